#if Postgres
    public import ApusJobs
    public import ApusTimers
    public import Logging

    /// A store of jobs in a PostgreSQL database, in the schema `apus` or another one
    /// (``PostgresConfiguration/schema``), which is created at the first opening.
    ///
    /// A turn that ``commit(_:in:)`` has acknowledged is as durable as the server's transactions. Instants have a
    /// precision of one nanosecond. An instant after the year 2262 is read back as the last instant that a
    /// `WallInstant` can have, so a stored instant may become later, and never earlier.
    public final class PostgresStore: JobStore {
        let writer: ServerLink
        private let listener: ServerLink
        let queries: StoreQueries
        private let keeper: SchemaKeeper
        let engine: TimerEngine
        private let logger: Logger
        var schema: SchemaName { writer.schema }
        let phase = Locked(Phase.closed)
        private let turnstile = Turnstile()
        let timing: MembershipMachine.Timing

        enum Phase {
            case closed
            case open(Owner)
        }

        /// The session that this object has opened last, with its cluster member.
        struct Owner {
            var member: ClusterMember
            var signals: ClusterSignals
            /// The session as it was returned by `open(as:)`; its shards may have changed since.
            var session: StoreSession
            /// The clock record in the database; `nil` if it is unknown after a commit with an unknown fate.
            var clock: StoreClock?

            /// Returns whether a session is the current one.
            ///
            /// Its shards may differ from those at the opening, but none of them may have an earlier epoch.
            func isOwner(_ other: StoreSession) -> Bool {
                session.node == other.node && session.number == other.number
                    && session.shards.allSatisfy { shard, epoch in other.shards[shard].map { $0 >= epoch } ?? true }
            }
        }

        /// Creates a store in a database.
        ///
        /// Nothing is read or created before ``open(as:)``.
        ///
        /// - Parameters:
        ///   - configuration: the server.
        ///   - engine: measures time-outs.
        ///   - logger: receives the server's notices.
        ///   - patience: the time for which the other nodes wait for a beat of this node before they take over its
        ///     jobs, from 3 s to 5 min. The node itself stops acting a second earlier. A longer patience suits machines
        ///     that may be stopped or overloaded for a while; the jobs of a dead node wait as long.
        public convenience init(
            _ configuration: PostgresConfiguration, engine: TimerEngine = .shared,
            logger: Logger = Logger(label: "apus.postgres"), patience: Duration = .seconds(3)
        ) {
            let patience = min(max(patience, Self.shortestPatience), Self.longestPatience)
            self.init(
                configuration, engine: engine, logger: logger, migrations: .shipped, timing: .init(patience: patience))
        }

        /// The shortest patience that a store accepts, which is the default.
        public static let shortestPatience: Duration = .seconds(3)
        /// The longest patience that a store accepts.
        public static let longestPatience: Duration = .seconds(300)

        /// Creates a store with these versions of the schema and this timing.
        package init(
            _ configuration: PostgresConfiguration, engine: TimerEngine, logger: Logger, migrations: StoreMigrations,
            timing: MembershipMachine.Timing = .init()
        ) {
            self.timing = timing
            self.engine = engine
            self.logger = logger
            writer = ServerLink(configuration, engine: engine, logger: logger)
            listener = ServerLink(configuration, engine: engine, logger: logger)
            queries = StoreQueries(link: ServerLink(configuration, engine: engine, logger: logger))
            keeper = SchemaKeeper(link: writer, migrations: migrations)
        }

        /// The store stops its member, because the member's beats would otherwise continue.
        deinit { if case .open(let owner) = phase.withLock({ $0 }) { owner.member.stop() } }

        /// The capabilities of this store: durable, shared, with a precision of one nanosecond.
        public var capabilities: StoreCapabilities {
            StoreCapabilities(isDurable: true, isShared: true, timePrecision: .nanoseconds(1))
        }

        // MARK: Owners

        /// Joins the cluster as a node, and creates the schema if necessary.
        ///
        /// The function returns when the node owns its first shards, which is immediate if there are no other nodes. No
        /// job moves to the node, because the jobs that it can run are unknown.
        ///
        /// - Throws: `JobError` with `newerSchema` or `unavailable`.
        public func open(as node: NodeID) async throws -> StoreSession { try await open(as: node, jobs: nil) }

        /// Joins the cluster as a node that can run these jobs; otherwise like ``open(as:)``.
        ///
        /// A node that can run none gets no shards, and does not wait for any.
        ///
        /// - Throws: `JobError` with `newerSchema` or `unavailable`.
        public func open(as node: NodeID, running jobs: RunnableJobs) async throws -> StoreSession {
            try await open(as: node, jobs: jobs)
        }

        private func open(as node: NodeID, jobs: RunnableJobs?) async throws -> StoreSession {
            try await turnstile.pass {
                try await self.mapErrors {
                    try await SessionCheck.check(self.listener, self.writer)
                    try await self.keeper.prepare()
                    if case .open(let owner) = self.phase.withLock({ $0 }) { try await self.leave(owner) }
                    return try await self.join(node, jobs)
                }
            }
        }

        /// The time that a new node waits for shards, in addition to the time in which a dead node is noticed.
        private static let patience: Duration = .seconds(15)

        /// Joins the cluster, and joins again under another number if other nodes declare the node dead before it has
        /// shards.
        private func join(_ name: NodeID, _ jobs: RunnableJobs?) async throws -> StoreSession {
            let end = engine.time.uptime().advanced(by: Self.patience + timing.patience)
            while true {
                if let session = try await join(name, jobs, until: end) { return session }
            }
        }

        /// Joins once.
        ///
        /// - Returns: `nil` if another node has ended this one.
        private func join(_ name: NodeID, _ jobs: RunnableJobs?, until end: UptimeInstant) async throws -> StoreSession?
        {
            let rows = try await listener.execute(
                PostgresBatch([
                    // The timeline is adopted before the node gets a number, because an adoption skips numbers.
                    StoreTimeline.adopt,
                    // The lock of the session shows the node as alive to the others, even if its first beat is late.
                    PostgresStatement(
                        """
                        WITH new AS (
                            INSERT INTO apus.node (name, version, patience_ms, jobs) VALUES ($1, $2, $3, $4) RETURNING id)
                        SELECT id, pg_try_advisory_lock($5, id::int4) FROM new
                        """,
                        [
                            .text(name.rawValue), .text(ApusVersion.current),
                            .int64(timing.patience.wholeNanoseconds / 1_000_000), .text(NodeJobs.text(of: jobs)),
                            .int32(schema.lockClass),
                        ]),
                    // The state of the schema is selected again, because a migration may have been applied in the
                    // meantime.
                    SchemaKeeper.select,
                ]))
            let (timeline, id): (Int32, Int64) = (try rows[0][0].decode(at: 0), try rows[1][0].decode(at: 0))
            do { try keeper.check(try SchemaKeeper.state(of: rows[2])) } catch {
                try? await ClusterMember.end(id, on: writer)
                throw error
            }
            let signals = ClusterSignals()
            let member = ClusterMember(
                node: id, running: jobs, timeline: timeline, writer: writer, session: listener, queries: queries,
                engine: engine, logger: logger, timing: timing
            ) { signals.send($0) }
            listener.receive { [weak member] in member?.notified($0) }
            // Signals before `begin()` are dropped, because the session that is returned is read later and contains
            // their results.
            do {
                for link in [writer, listener] { try await link.rename(member.connectionName(member.node)) }
                await member.beat()
                let takesShards = !(jobs?.isEmpty ?? false)
                while takesShards ? member.shards.isEmpty : !member.isTrusted {
                    if member.wasEnded { return nil }
                    guard engine.time.uptime() < end else {
                        throw JobError(
                            code: .unavailable,
                            message: takesShards
                                ? "the other nodes released no shards to this one; check that they run and reach the database"
                                : "the database cannot be reached")
                    }
                    try await engine.sleep(for: .milliseconds(200))
                    await member.beat()
                }
                var session = StoreSession(node: name, shards: member.shards, clock: nil, isShared: true)
                (session.clock, session.queues) = try await queries.clockAndQueues()
                (session.others, session.number) = (member.known, member.node)
                session.schema = schema.name
                session.mayHaveCalendars = try await queries.mayHaveCalendars()
                let owner = Owner(member: member, signals: signals, session: session, clock: session.clock)
                phase.withLock { $0 = .open(owner) }
                signals.begin()
                member.start()
                return session
            } catch {
                try? await ClusterMember.end(member.node, on: writer)
                throw error
            }
        }

        /// Releases ownership, after which the store can be opened again.
        ///
        /// It has no effect if the session is no longer the owner.
        ///
        /// - Throws: `JobError` if the database cannot be reached; the other nodes then take over the shards after this
        ///   node's patience.
        public func close(_ session: StoreSession) async throws {
            try await turnstile.pass {
                let owner = self.phase.withLock { phase -> Owner? in
                    guard case .open(let owner) = phase, owner.isOwner(session) else { return nil }
                    phase = .closed
                    return owner
                }
                guard let owner else { return }
                try await self.mapErrors { try await self.leave(owner) }
                await self.disconnect()
            }
        }

        private func leave(_ owner: Owner) async throws {
            owner.member.stop()
            owner.signals.finish()
            try await ClusterMember.end(owner.member.node, on: writer)
        }

        /// Closes the connections, as the end of the process does.
        ///
        /// The store can be opened again.
        package func disconnect() async {
            if case .open(let owner) = phase.withLock({ $0 }) { owner.member.stop() }
            await writer.disconnect()
            await listener.disconnect()
            await queries.link.disconnect()
        }

        func owner(of session: StoreSession) throws -> Owner {
            let owner = try checkOpen()
            guard owner.isOwner(session) else {
                throw JobError(code: .notOwner, message: "the store has a newer owner: nothing was written")
            }
            return owner
        }

        @discardableResult
        func checkOpen() throws -> Owner {
            guard case .open(let owner) = phase.withLock({ $0 }) else {
                throw JobError(code: .closed, message: "the store is not open; call open() first")
            }
            return owner
        }

        func mapErrors<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
            do { return try await body() } catch let error as PostgresError { throw error.jobError }
        }

        // MARK: Writing

        /// Commits a turn; see `JobStore.commit(_:in:)`.
        public func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>] {
            let owner = try owner(of: session)
            let writing = TurnWriting(
                turn, node: owner.member.node, timeline: owner.member.timeline, session: session,
                isClockNew: turn.clock != owner.clock,
                submissionFloor: owner.member.submissions.withLock(\.sequence))
            let results = try await mapErrors {
                do { return try await writing.results(on: self.writer) } catch {
                    self.updateClock(nil, of: owner.member)
                    owner.member.forget(turn.released)
                    throw error
                }
            }
            owner.member.events.change()
            // If this process was stopped in the meantime, other nodes may have declared it dead after the commit.
            guard owner.member.isTrusted else {
                owner.member.forget(turn.released)
                throw JobError(
                    code: .unavailable,
                    message: "the database answered so late that other nodes may have declared this one dead")
            }
            updateClock(turn.clock, of: owner.member)
            owner.member.submissions.withLock { $0.took(turn.taken, results.parts) }
            if turn.isLeaving { owner.member.leave() }
            owner.member.released(turn.released)
            if results.hasSubmissions { owner.signals.send(.submissions) }
            return results.parts
        }

        private func updateClock(_ clock: StoreClock?, of member: ClusterMember) {
            phase.withLock { phase in
                guard case .open(var owner) = phase, owner.member === member else { return }
                owner.clock = clock
                phase = .open(owner)
            }
        }

        /// Removes jobs and refusals that need not be kept any longer; see
        /// `JobStore.retire(keptUntil:refusedBefore:budget:in:)`.
        ///
        /// It also removes nodes that ended more than a day ago, and queues that have had no settings for more than a
        /// day.
        public func retire(
            keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
        ) async throws -> Bool {
            let owner = try owner(of: session)
            return try await mapErrors {
                let fence = TurnStatements.fence(
                    owner.member.node, session.shards.sorted { $0.key < $1.key }, timeline: owner.member.timeline)
                let results = try await self.writer.execute(
                    PostgresBatch(
                        [
                            fence,
                            PostgresStatement(
                                Self.retireJobs,
                                [
                                    .int64(StoreInstant.encode(instant)), .int64(Int64(budget)),
                                    .array(session.shards.keys.map { Int64($0.rawValue) }),
                                ]),
                            RefusalColumns.retire(before: refusedBefore, budget: budget, in: session.shards.keys),
                        ] + StoreRemembered.remove(atMost: budget)))
                let removed = try results.dropFirst(2).map { try $0[0].decode(Int64.self, at: 0) }
                return try results[1][0].decode(Int64.self, at: 0) > Int64(budget)
                    || budget > 0 && removed.contains { $0 >= Int64(budget) }
            }
        }

        /// Removes jobs that need not be kept any longer, and the earliest hints in `apus.ended` that lead to them.
        ///
        /// Outdated hints are removed too. The statement returns the number of hints that were found, at most one more
        /// than the budget. Each job is found by one search in an index, whatever the planner estimates about the
        /// tables.
        private static let retireJobs = """
            WITH hint AS MATERIALIZED (
                SELECT e.kept_until, e.sequence, k.key FROM (
                    SELECT * FROM apus.ended WHERE kept_until < $1 ORDER BY kept_until, sequence OFFSET 0) AS e
                CROSS JOIN unnest(e.keys) AS k (key)
                LEFT JOIN LATERAL (SELECT j.key, j.shard FROM apus.job AS j WHERE j.key = k.key OFFSET 0) AS j ON true
                WHERE j.key IS NULL OR j.shard = ANY ($3::int8[])
                LIMIT $2 + 1
            ), budget AS MATERIALIZED (
                SELECT * FROM hint ORDER BY kept_until, sequence, key LIMIT $2
            ), old AS MATERIALIZED (
                SELECT DISTINCT b.key FROM budget AS b, LATERAL (
                    SELECT 1 FROM apus.job AS j
                    WHERE j.key = b.key AND j.state IN ('cancelled', 'finished') AND j.open_runs = 0
                        AND j.kept_until < $1 OFFSET 0) AS j
            ), rest AS MATERIALIZED (
                SELECT e.kept_until, e.sequence, array(
                    SELECT k FROM unnest(e.keys) AS k WHERE NOT k = ANY (b.keys)) AS keys
                FROM apus.ended AS e JOIN (
                    SELECT kept_until, sequence, array_agg(key) AS keys FROM budget GROUP BY kept_until, sequence
                ) AS b USING (kept_until, sequence)
            ), no_hint AS (
                DELETE FROM apus.ended AS e USING rest AS r
                WHERE e.kept_until = r.kept_until AND e.sequence = r.sequence AND r.keys = '{}'
            ), fewer_hints AS (
                UPDATE apus.ended AS e SET keys = r.keys FROM rest AS r
                WHERE e.kept_until = r.kept_until AND e.sequence = r.sequence AND r.keys <> '{}'
            ), \(removal)
            SELECT count(*) FROM hint
            """

        /// Removes the jobs whose keys are in `old`, with all their rows.
        private static let removal = """
            no_run AS (
                DELETE FROM apus.run AS r USING old AS o WHERE r.job = o.key
            ), no_request AS (
                DELETE FROM apus.request AS r USING old AS o WHERE r.job = o.key
            ), not_aside AS (
                DELETE FROM apus.set_aside AS s USING old AS o WHERE s.job = o.key
            ), no_job AS (
                DELETE FROM apus.job AS j USING old AS o WHERE j.key = o.key RETURNING j.key
            )
            """

        /// Deletes ended jobs; see `JobStore.delete(_:in:)`.
        ///
        /// No epoch is checked. The owner of the shard writes an ended job only to continue it, and then finds that the
        /// job does not exist any more. A job that another transaction has locked is skipped, because waiting for that
        /// transaction could end in a deadlock.
        public func delete(_ jobs: [JobVersion], in session: StoreSession) async throws -> Set<Int64> {
            let owner = try owner(of: session)
            return try await mapErrors {
                let results = try await self.writer.execute(
                    PostgresBatch([
                        PostgresStatement(
                            Self.deleteJobs, [.array(jobs.map(\.key)), .array(jobs.map(\.version))])
                    ]))
                owner.member.events.change()
                return Set(try results[0].map { try $0.decode(Int64.self, at: 0) })
            }
        }

        private static let deleteJobs = """
            WITH old AS MATERIALIZED (
                SELECT j.key
                FROM apus.job AS j JOIN unnest($1::int8[], $2::int8[]) AS i (key, version) USING (key, version)
                WHERE j.state IN ('cancelled', 'finished') AND j.open_runs = 0
                ORDER BY j.key FOR UPDATE OF j SKIP LOCKED
            ), \(removal)
            SELECT key FROM no_job
            """

        /// Submits a job as an application does, in a transaction of its own.
        package func submit(_ request: JobRequest, at now: WallInstant) async throws {
            try await mapErrors {
                let command = try JobJSON.encode(JobCommand.submit([request]))
                _ = try await self.writer.execute(
                    PostgresBatch([
                        PostgresStatement(
                            "INSERT INTO apus.submission (shard, submitted, command) VALUES ($1, $2, $3)",
                            [
                                .int64(0), .int64(StoreInstant.encode(now)),
                                .text(String(decoding: command, as: UTF8.self)),
                            ])
                    ]))
            }
            if case .open(let owner) = phase.withLock({ $0 }) { owner.signals.send(.submissions) }
        }

        // MARK: Reading

        /// Returns the bounds of the database's clock; see `JobStore.wall(at:)`.
        public func wall(at instant: ContinuousInstant) -> ClosedRange<WallInstant>? {
            guard case .open(let owner) = phase.withLock({ $0 }) else { return nil }
            return owner.member.wall(at: instant)
        }

        /// Returns the jobs that must be examined, the earliest first; see `JobStore.due(_:in:)`.
        public func due(_ load: JobLoad, in session: StoreSession) async throws -> DueJobs {
            try checkOpen()
            // Without shards the search would read all wakes.
            if session.shards.isEmpty { return DueJobs(jobs: [], next: nil) }
            return try await mapErrors { try await self.queries.due(load, in: Array(session.shards.keys)) }
        }

        /// Returns the jobs with a claimed run; see `JobStore.interrupted(after:limit:in:)`.
        public func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
            try checkOpen()
            if session.shards.isEmpty { return [] }
            return try await mapErrors {
                try await self.queries.interrupted(after: key, limit: max(0, limit), in: Array(session.shards.keys))
            }
        }

        /// Returns the jobs that repeat on the wall clock; see `JobStore.anchored(after:limit:in:)`.
        public func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
            try checkOpen()
            if session.shards.isEmpty { return [] }
            return try await mapErrors {
                try await self.queries.anchored(after: key, limit: max(0, limit), in: Array(session.shards.keys))
            }
        }

        /// Returns the submissions that no turn has taken; see `JobStore.submissions(limit:in:)`.
        public func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission] {
            let owner = try checkOpen()
            if session.shards.isEmpty { return [] }
            let floor = owner.member.submissions.withLock {
                $0.start(of: Set(session.shards.keys), at: engine.time.uptime())
            }
            return try await mapErrors {
                try await self.queries.submissions(
                    above: floor, limit: max(0, limit), in: Array(session.shards.keys))
            }
        }

        /// Returns the signals for the scheduler; see `JobStore.signals(in:)`.
        public func signals(in session: StoreSession) -> AsyncStream<StoreSignal> {
            guard case .open(let owner) = phase.withLock({ $0 }), owner.isOwner(session) else {
                return AsyncStream { $0.finish() }
            }
            return owner.signals.stream
        }

        /// Returns the referenced jobs; see `JobStore.find(_:)`.
        public func find(_ references: [JobReference]) async throws -> [FoundJob?] {
            try checkOpen()
            return try await mapErrors { try await self.queries.find(references) }
        }
    }

    /// The signals for the scheduler of a node, none of which is dropped after ``begin()``.
    final class ClusterSignals: Sendable {
        let stream: AsyncStream<StoreSignal>
        private let continuation: AsyncStream<StoreSignal>.Continuation
        init() { (stream, continuation) = AsyncStream.makeStream(of: StoreSignal.self) }
        private let isLive = Locked(false)
        /// Makes the stream deliver signals from now on.
        func begin() { isLive.withLock { $0 = true } }
        func send(_ signal: StoreSignal) { if isLive.withLock({ $0 }) { continuation.yield(signal) } }
        func finish() { continuation.finish() }
    }

    /// Lists and counts of jobs and runs.
    extension PostgresStore {
        /// Returns the jobs that could not be read; see `JobStore.setAside(after:limit:)`.
        public func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] {
            try checkOpen()
            return try await mapErrors { try await self.queries.setAside(after: key, limit: ListPage.size(limit)) }
        }

        /// Returns the refused submissions; see `JobStore.refusals(limit:cursor:)`.
        public func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
            try checkOpen()
            return try await mapErrors { try await self.queries.refusals(limit: ListPage.size(limit), cursor: cursor) }
        }

        /// Returns the jobs that match a query, at most 10,000 in one page.
        public func jobs(_ query: JobQuery) async throws -> JobPage {
            try checkOpen()
            return try await mapErrors { try await self.queries.jobs(query) }
        }

        /// Returns the number of jobs that match a query; see `JobStore.count(_:)`.
        public func count(_ query: JobQuery) async throws -> Int {
            try checkOpen()
            return try await mapErrors { try await self.queries.count(query) }
        }

        /// Returns the jobs with the earliest wakes; see `JobStore.soonest(limit:)`.
        public func soonest(limit: Int) async throws -> [Job] {
            try checkOpen()
            return try await mapErrors { try await self.queries.soonest(limit: max(0, limit)) }
        }

        /// Returns the runs that match a query, the newest first, at most 10,000 in one page.
        public func runs(_ query: RunQuery) async throws -> RunPage {
            try checkOpen()
            return try await mapErrors { try await self.queries.runs(query) }
        }
    }
#endif

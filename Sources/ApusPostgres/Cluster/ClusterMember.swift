#if Postgres
    import ApusJobs
    import ApusTimers
    import Logging

    /// Keeps a node in the cluster: it beats, takes and releases shards, and signals the changes to the scheduler.
    ///
    /// The connection of the session holds the lock by which the other nodes notice the end of the process.
    final class ClusterMember: Sendable {
        let node: Int64
        private let writer: ServerLink
        private let session: ServerLink
        private var schema: SchemaName { session.schema }
        private let engine: TimerEngine
        private let logger: Logger
        private let machine: Locked<MembershipMachine>
        private let owned = Locked<[ShardID: StoreEpoch]>([:])
        /// The last epochs of released shards, so that a view from before the release does not make this node their
        /// owner again.
        private let given = Locked<[ShardID: StoreEpoch]>([:])
        /// Shards with jobs that an earlier owner set aside and that may not be due again yet, because
        /// ``giveBack(_:)`` has failed.
        private let notGivenBack = Locked<[ShardID]>([])
        private let task = Locked<Task<Void, Never>?>(nil)
        private let signal: @Sendable (StoreSignal) -> Void
        private let clock = Locked(DatabaseClock())
        let events: ClusterEvents
        let submissions: Locked<SubmissionFloor>
        /// The timeline of the database; the promotion of a standby changes it.
        private let knownTimeline: Locked<Int32>
        /// The jobs that the scheduler can run, and whether the database has them; `nil` if the scheduler has not
        /// reported them.
        private let runnable: Locked<(jobs: RunnableJobs?, isStored: Bool)>
        /// The other nodes that were last signalled to the scheduler.
        private let others = Locked(OtherSchedulers())
        /// The process of the server that listens for this node; a new process has missed earlier notifications.
        private let listening = Locked<Int32?>(nil)

        /// Creates a member, which calls `signal` with everything that the scheduler must know.
        init(
            node: Int64, running jobs: RunnableJobs? = nil, timeline: Int32, writer: ServerLink, session: ServerLink,
            queries: StoreQueries, engine: TimerEngine,
            logger: Logger, timing: MembershipMachine.Timing = .init(),
            signal: @escaping @Sendable (StoreSignal) -> Void
        ) {
            self.node = node
            knownTimeline = Locked(timeline)
            runnable = Locked((jobs, true))
            submissions = Locked(SubmissionFloor(period: timing.wholeRead))
            self.writer = writer
            self.session = session
            self.engine = engine
            self.logger = logger
            self.signal = signal
            events = ClusterEvents(
                node: node, link: session, queries: queries, engine: engine, logger: logger, timing: timing)
            machine = Locked(MembershipMachine(id: node, timing: timing, at: engine.time.uptime()))
        }

        /// The shards that this node owns.
        var shards: [ShardID: StoreEpoch] { owned.withLock { $0 } }

        /// The timeline of the database from which the scheduler's jobs were read.
        var timeline: Int32 { knownTimeline.withLock { $0 } }

        /// The executor of the member's tasks; no handler can block it.
        private static var executor: PollTasks { PostgresThread.shared.tasks }

        /// The other nodes, as of the last beat.
        var known: OtherSchedulers { others.withLock { $0 } }

        /// Sets the jobs that the scheduler can run; the next beat reports them to the other nodes.
        func serve(_ jobs: RunnableJobs) {
            runnable.withLock { if $0.jobs != jobs { $0 = (jobs, false) } }
        }

        /// Starts beating.
        func start() {
            let task = Task(executorPreference: Self.executor) {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await self.keepBeating() }
                    group.addTask { await self.watch() }
                }
            }
            self.task.withLock { $0 = task }
        }

        private func keepBeating() async {
            while !Task.isCancelled {
                try? await engine.sleep(until: machine.withLock { $0.nextBeat })
                guard !Task.isCancelled else { return }
                await beat()
            }
        }

        /// Notices when the node's trust in its last beat ends, even if a beat gets no answer.
        private func watch() async {
            while !Task.isCancelled {
                // Each successful beat makes the trust end later.
                let end = machine.withLock { $0.endOfTrust }
                let now = engine.time.uptime()
                let soon = now.advanced(by: machine.withLock(\.timing).trust / 8)
                try? await engine.sleep(until: end.map { $0 > now ? $0 : soon } ?? soon)
                guard !Task.isCancelled else { return }
                await perform(machine.withLock { $0.look(at: engine.time.uptime()) })
            }
        }

        func stop() {
            task.withLock { $0.take() }?.cancel()
            events.finish()
        }

        /// Returns the bounds of the database's clock; `nil` before the first beat.
        func wall(at instant: ContinuousInstant) -> ClosedRange<WallInstant>? {
            clock.withLock { $0.wall(at: instant) }
        }

        /// Whether this node still trusts its last beat, so that no other node can have considered it dead yet.
        var isTrusted: Bool {
            let now = engine.time.uptime()
            return machine.withLock { machine in machine.endOfTrust.map { now < $0 } ?? false }
        }

        /// Whether the beats have found that another node has ended this one.
        var wasEnded: Bool { machine.withLock { $0.state == .fenced } }

        /// Handles a notification on one of the node's channels.
        func notified(_ notification: PostgresNotification) {
            if notification.channel == events.channel { return events.receive(notification.payload) }
            if notification.channel == schema.channel("submissions") {
                // A node without shards has no submissions to read.
                if owned.withLock(\.isEmpty) { return }
                signal(.submissions)
                // `apus.notify_submission` sends no notification for later submissions of the same burst, so the
                // submissions are read once more after the burst.
                _ = Task(executorPreference: Self.executor) { [weak self, engine] in
                    try await engine.sleep(for: Self.burst)
                    self?.signal(.submissions)
                }
                return
            }
            switch notification.payload {
            case "submissions":
                submissions.withLock { $0.readWhole() }
                signal(.submissions)
            case "replies": _ = Task(executorPreference: Self.executor) { await self.takeReplies() }
            case "jobs": signal(.wake)
            default: break
            }
        }

        /// The time after which submissions are read again.
        ///
        /// It is a little longer than the 20 ms for which `apus.notify_submission` sends no further notification.
        private static let burst: Duration = .milliseconds(25)

        /// Stops taking shards, and releases those that the node owns.
        func leave() { machine.withLock { $0.leave() } }

        // MARK: Replies

        private func takeReplies() async {
            do {
                try signal(replies: try await session.execute(PostgresBatch([takingReplies]))[0])
            } catch { logger.debug("replies could not be read", metadata: ["error": "\(error)"]) }
        }

        private var takingReplies: PostgresStatement {
            PostgresStatement("DELETE FROM apus.reply WHERE node = $1 RETURNING call, reply", [.int64(node)])
        }

        private func signal(replies rows: PostgresRows) throws {
            for row in rows {
                let text = try row.decode(String.self, at: 1)
                let call = Int(try row.decode(Int64.self, at: 0))
                do {
                    signal(.reply(call: call, try JobJSON.decode(JobReply.self, from: Array(text.utf8))))
                } catch {
                    signal(
                        .reply(
                            call: call,
                            .refused(
                                code: "unavailable", message: "the answer of the other node cannot be read: \(error)")))
                }
            }
        }

        // MARK: Beats

        func beat() async {
            let began = engine.time.uptime()
            do {
                let view = try await view()
                await perform(machine.withLock { $0.beat(view, began: began, at: engine.time.uptime()) })
            } catch {
                logger.debug("a beat of this node failed", metadata: ["error": "\(error)"])
                await perform(machine.withLock { $0.beatFailed(began: began, at: engine.time.uptime()) })
            }
        }

        /// Executes the transaction of a beat, and returns the view that it reads.
        func view() async throws -> MembershipMachine.View {
            try await sayWhatRuns()
            let results = try await session.execute(
                PostgresBatch([
                    PostgresStatement(
                        """
                        INSERT INTO apus.beat AS b (node, number)
                        SELECT n.id, 1 FROM apus.node AS n WHERE n.id = $1 AND n.ended IS NULL
                        ON CONFLICT (node) DO UPDATE SET number = b.number + 1, at = clock_timestamp()
                        """, [.int64(node)]),
                    // This statement takes the lock unless a session holds it. That session may belong to an earlier
                    // connection of this node.
                    PostgresStatement(
                        "SELECT pg_try_advisory_lock($1, $2) WHERE NOT \(schema.isLocked("$2::int8"))",
                        [.int32(schema.lockClass), .int32(Int32(truncatingIfNeeded: node))]),
                    PostgresStatement(
                        """
                        SELECT n.id, coalesce(b.number, 0), n.leaving, \(schema.isLocked("n.id")), n.patience_ms, n.jobs
                        FROM apus.node AS n LEFT JOIN apus.beat AS b ON b.node = n.id WHERE n.ended IS NULL
                        """),
                    PostgresStatement("SELECT id, node, epoch FROM apus.shard"),
                    takingReplies,
                    TurnStatements.hasSubmissions(node, above: 0),
                    PostgresStatement("LISTEN apus_node_\(node)", isPrepared: false),
                    PostgresStatement("LISTEN apus_events", isPrepared: false),
                    StoreQueries.selectClock, StoreQueries.selectQueues,
                    StoreTimeline.current,
                    PostgresStatement("SELECT queue, places FROM apus.place WHERE node = $1", [.int64(node)]),
                    PostgresStatement("LISTEN apus_submissions", isPrepared: false),
                    PostgresStatement("SELECT pg_backend_pid()"),
                ]))
            try await readClock()
            let process = try results[13][0].decode(Int32.self, at: 0)
            let isNew = listening.withLock { listening in
                defer { listening = process }
                return listening != process
            }
            if isNew {
                signal(.wake)
                events.missed()
            }
            try signal(replies: results[4])
            let axis = ElapsedAxis(try StoreQueries.clock(of: results[8]))
            var places: [QueueID: Int64] = [:]
            for row in results[11] { places[QueueID(try row.decode(at: 0))] = try row.decode(at: 1) }
            for queue in try StoreQueries.queues(of: results[9], axis) {
                signal(.queue(queue, places: Int(places[queue.id] ?? 0)))
            }
            if try results[5][0].decode(Bool.self, at: 0) { signal(.submissions) }
            let timeline = try results[10][0].decode(Int32.self, at: 0)
            if timeline != self.timeline {
                try await forgetLostHistory()
                return try await self.view()
            }
            var view = MembershipMachine.View(nodes: [], owners: [:])
            for row in results[2] {
                view.nodes.append(
                    .init(
                        id: try row.decode(at: 0), beat: try row.decode(at: 1), hasSession: try row.decode(at: 3),
                        isLeaving: try row.decode(at: 2), patience: .milliseconds(try row.decode(Int64.self, at: 4)),
                        jobs: NodeJobs.jobs(of: try row.decodeIfPresent(String.self, at: 5))))
            }
            var mine: [ShardID: StoreEpoch] = [:]
            for row in results[3] {
                let shard = ShardID(rawValue: Int(try row.decode(Int64.self, at: 0)))
                let owner = try row.decodeIfPresent(Int64.self, at: 1)
                view.owners[shard] = .some(owner)
                if owner == node { mine[shard] = StoreEpoch(rawValue: try row.decode(at: 2)) }
            }
            adopt(mine, view.owners)
            let found = view.others(than: node)
            let isOther = others.withLock { others in
                defer { others = found }
                return others != found
            }
            if isOther { signal(.others(found)) }
            await events.beat(hasOthers: view.nodes.count > 1)
            return view
        }

        /// Stores in the node's row, before a beat, which jobs the node can run.
        ///
        /// The other nodes read this in the transactions of their own beats.
        ///
        /// A turn that is being written locks the node's row. A beat must not wait for the turn, so it skips a locked
        /// row, and the next beat tries again.
        private func sayWhatRuns() async throws {
            guard let jobs = runnable.withLock({ $0.isStored ? nil : $0.jobs }) else { return }
            let rows = try await session.execute(
                PostgresBatch([
                    PostgresStatement(
                        """
                        UPDATE apus.node SET jobs = $2 WHERE id = (
                            SELECT id FROM apus.node WHERE id = $1 AND ended IS NULL FOR NO KEY UPDATE SKIP LOCKED)
                        RETURNING id
                        """, [.int64(node), .text(NodeJobs.text(of: jobs))])
                ]))
            if rows[0].isEmpty { return }
            runnable.withLock { if $0.jobs == jobs { $0.isStored = true } }
        }

        /// Reads the clock in a batch of its own, to keep the time between the query and the answer short.
        private func readClock() async throws {
            let asked = engine.time.continuous()
            let rows = try await session.execute(PostgresBatch([PostgresStatement("SELECT apus.now()")]))[0]
            let answered = engine.time.continuous()
            let wall = StoreInstant.decode(try rows[0].decode(at: 0))
            clock.withLock { $0.learn(wall, asked: asked, answered: answered) }
        }

        /// Forgets what was read from a database that has since been replaced by its promoted standby.
        ///
        /// The standby may lack the last commits. The scheduler therefore reads its jobs again, and the node takes its
        /// shards again, under later epochs.
        private func forgetLostHistory() async throws {
            let old = owned.withLock { owned in
                defer { owned = [:] }
                return owned
            }
            // The epochs may have decreased too, and the node's row may lack the jobs that it can run.
            given.withLock { $0 = [:] }
            runnable.withLock { if $0.jobs != nil { $0.isStored = false } }
            logger.notice("the database was promoted; this node reads its contents again")
            for shard in old.keys.sorted() { signal(.revoked(shard)) }
            let rows = try await writer.execute(PostgresBatch([StoreTimeline.adopt]))[0]
            let timeline: Int32 = try rows[0].decode(at: 0)
            knownTimeline.withLock { $0 = timeline }
        }

        /// Adopts the shards that the database assigns to this node.
        private func adopt(_ found: [ShardID: StoreEpoch], _ owners: [ShardID: Int64?]) {
            let mine = given.withLock { given in
                found.filter { shard, epoch in given[shard].map { $0 < epoch } ?? true }
            }
            let old = owned.withLock { owned in
                defer { owned = mine }
                return owned
            }
            // A shard without an owner was just released by this node, and is therefore not revoked.
            for shard in old.keys.sorted() where mine[shard] == nil && owners[shard].flatMap({ $0 }) != nil {
                signal(.revoked(shard))
            }
            let granted = mine.sorted { $0.key < $1.key }.filter { old[$0.key] != $0.value }
            for (shard, epoch) in granted { signal(.granted(shard, epoch)) }
            giveBack(granted.map(\.key) + notGivenBack.exchange(\.self, with: []))
        }

        // MARK: Actions

        private func perform(_ actions: [MembershipMachine.Action]) async {
            for action in actions {
                do { try await perform(action) } catch {
                    logger.warning("a change of the cluster's shards or nodes failed", metadata: ["error": "\(error)"])
                }
            }
        }

        private func perform(_ action: MembershipMachine.Action) async throws {
            switch action {
            case .act: signal(.connected)
            case .ceaseToAct: signal(.cutOff)
            case .take(let shards): try await take(shards)
            case .giveBack(let count): signal(.share(max(0, owned.withLock(\.count) - count)))
            case .declareDead(let id, let beat):
                logger.notice("a node was declared dead", metadata: ["node": "\(id)"])
                // An unfinished transaction of the dead node would delay the other nodes, so its connections are ended.
                _ = try await writer.execute(
                    PostgresBatch([
                        PostgresStatement(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE application_name = $1 AND datname = current_database() AND usename = current_user
                            """, [.text(connectionName(id))])
                    ]))
                try await Self.end(id, ifBeatIs: beat, on: writer)
            case .forgetShards:
                let lost = owned.withLock { owned in
                    defer { owned = [:] }
                    return owned.keys.sorted()
                }
                for shard in lost { signal(.revoked(shard)) }
                signal(.ended)
            }
        }

        func take(_ wanted: [ShardID]) async throws {
            let rows = try await writer.execute(
                PostgresBatch([
                    TurnStatements.fence(node, [], timeline: timeline),
                    PostgresStatement(
                        """
                        UPDATE apus.shard SET node = $1, epoch = epoch + 1
                        WHERE id = ANY ($2::int8[]) AND node IS NULL RETURNING id, epoch
                        """, [.int64(node), .array(wanted.map { Int64($0.rawValue) })]),
                    SetAside.giveBack(wanted, to: node),
                ]))
            for row in rows[1] {
                let (id, epoch): (Int64, Int64) = (try row.decode(at: 0), try row.decode(at: 1))
                let (shard, new) = (ShardID(rawValue: Int(id)), StoreEpoch(rawValue: epoch))
                owned.withLock { $0[shard] = new }
                signal(.granted(shard, new))
            }
            if try rows[2][0].decode(Int64.self, at: 0) == SetAside.pageSize { giveBack(wanted) }
        }

        /// Makes due again those jobs that earlier owners of these shards have set aside.
        ///
        /// It does so a page at a time, concurrently with the beats.
        ///
        /// After an error, the next beat tries again.
        private func giveBack(_ shards: [ShardID]) {
            if shards.isEmpty { return }
            _ = Task(executorPreference: Self.executor) { [weak self, node, writer, timeline, logger] in
                do {
                    var count = SetAside.pageSize
                    while count == SetAside.pageSize {
                        let rows = try await writer.execute(
                            PostgresBatch([
                                TurnStatements.fence(node, [], timeline: timeline),
                                SetAside.giveBack(shards, to: node),
                            ]))
                        count = try rows[1][0].decode(at: 0)
                        if count > 0 { self?.signal(.wake) }
                    }
                } catch {
                    logger.warning(
                        "jobs that were set aside could not be made due again yet", metadata: ["error": "\(error)"])
                    self?.notGivenBack.withLock { $0 += shards }
                }
            }
        }

        /// Forgets shards that may have been released.
        ///
        /// If a shard was not released, the next beat finds it as a new one.
        func forget(_ shards: [ShardID]) {
            owned.withLock { owned in for shard in shards { owned[shard] = nil } }
        }

        /// Records that a turn has released shards.
        func released(_ shards: [ShardID]) {
            for shard in shards {
                guard let epoch = owned.withLock({ $0.removeValue(forKey: shard) }) else { continue }
                given.withLock { $0[shard] = epoch }
            }
        }

        /// Returns the name of a node's connections in the server's views.
        func connectionName(_ node: Int64) -> String {
            schema == .apus ? "apus node \(node)" : "apus node \(node) of \(schema)"
        }

        /// Ends a node, so that it can write nothing any more and its shards are free.
        ///
        /// It waits for the node's active transactions and for an active beat; a later beat finds the node ended. If
        /// the node has another beat than `beat` by now, it is alive, and the function has no effect.
        static func end(_ node: Int64, ifBeatIs beat: Int64? = nil, on link: ServerLink) async throws {
            _ = try await link.execute(
                PostgresBatch([
                    PostgresStatement(
                        """
                        WITH silent AS MATERIALIZED (
                            SELECT b.node FROM apus.beat AS b WHERE b.node = $1 AND ($2 IS NULL OR b.number = $2) FOR UPDATE)
                        UPDATE apus.node AS n SET ended = clock_timestamp() WHERE n.id = $1 AND n.ended IS NULL AND (
                            EXISTS (SELECT 1 FROM silent) OR NOT EXISTS (SELECT 1 FROM apus.beat AS b WHERE b.node = $1))
                        """, [.int64(node), .int64(beat)]),
                    PostgresStatement(
                        "UPDATE apus.shard SET node = NULL WHERE node = $1 AND \(isEnded)", [.int64(node)]),
                    PostgresStatement("DELETE FROM apus.place WHERE node = $1 AND \(isEnded)", [.int64(node)]),
                    PostgresStatement("DELETE FROM apus.reply WHERE node = $1 AND \(isEnded)", [.int64(node)]),
                    PostgresStatement("DELETE FROM apus.beat WHERE node = $1 AND \(isEnded)", [.int64(node)]),
                ]))
        }

        private static let isEnded = "EXISTS (SELECT 1 FROM apus.node AS n WHERE n.id = $1 AND n.ended IS NOT NULL)"
    }

    /// Checks that a connection keeps its session in one process of the server, as a node's lock and settings require.
    ///
    /// A pooler in transaction mode assigns any session to each transaction. Two connections that are used in turn then
    /// see each other's settings, or do not see their own.
    enum SessionCheck {
        /// Checks two connections.
        ///
        /// - Throws: ``JobError`` with `unavailable` if they do not keep their sessions; ``PostgresError``.
        static func check(_ first: ServerLink, _ second: ServerLink) async throws {
            let links = [first, second]
            let names = ["apus.first_of_two", "apus.second_of_two"]
            let marks = links.map { _ in "\(SystemRandom().next())" }
            var processes: [Int32?] = [nil, nil]
            // The connections follow each other in every order, so that a pooler that uses its sessions in turn is
            // detected too.
            for index in [0, 1, 0, 0, 1, 1, 0, 1] {
                let rows = try await links[index].execute(
                    PostgresBatch([
                        PostgresStatement(
                            """
                            SELECT pg_backend_pid(), coalesce(current_setting($1, true), '') = $2,
                                coalesce(current_setting($3, true), '') = $4
                            """,
                            [
                                .text(names[index]), .text(marks[index]), .text(names[1 - index]),
                                .text(marks[1 - index]),
                            ],
                            isPrepared: false),
                        PostgresStatement(
                            "SELECT set_config($1, $2, false)", [.text(names[index]), .text(marks[index])],
                            isPrepared: false),
                    ]))[0]
                let process = try rows[0].decode(Int32.self, at: 0)
                let (hasOwn, hasOther): (Bool, Bool) = (try rows[0].decode(at: 1), try rows[0].decode(at: 2))
                guard !hasOther, processes[index].map({ $0 == process && hasOwn }) ?? true else { throw pooled }
                processes[index] = process
            }
        }

        private static let pooled = JobError(
            code: .unavailable,
            message:
                "the connection does not keep its session, because it goes through a pooler in transaction mode; connect to the "
                + "server itself, or to a port of the pooler in session mode")
    }
#endif

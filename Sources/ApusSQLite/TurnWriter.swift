#if SQLite
    import ApusJobs
    import ApusTimers

    /// Writes turns and all other changes to the file, each in one transaction, on the writer connection's queue only.
    final class TurnWriter {
        private let connection: Connection
        private let durability: SQLiteStore.Durability
        private let beforeCommit: (@Sendable () -> Void)?
        /// The last key, counted here because SQLite's AUTOINCREMENT would write one more page in each commit.
        private var lastKey: Int64
        /// The number of rows that the current part has changed; if it is zero, the part can fail without a rollback.
        private var rowsChanged = 0
        /// The clock record in the file.
        private var clock: StoreClock?
        private(set) var commits = 0
        /// Whether submissions remained after the last turn.
        private(set) var hasSubmissions = false
        /// The error of a failed sync, after which later writes over this connection cannot be trusted.
        private var failure: JobError?

        var hasFailedToSync: Bool { failure != nil }

        init(_ connection: Connection, _ configuration: SQLiteStore.Configuration) throws {
            self.connection = connection
            durability = configuration.durability
            beforeCommit = configuration.beforeCommit
            lastKey =
                try connection.statement(
                    "SELECT max(last_key, ifnull((SELECT max(key) FROM apus_job), 0)) FROM apus_owner"
                ).firstRow { $0.integer() } ?? 0
            clock = try StoreReader.clock(on: connection)
        }

        func queryPlans() throws -> [String: [String]] { try connection.queryPlans() }

        // MARK: Transactions

        /// Runs `body` in a transaction; throws if a session is given that is no longer the owner.
        func write<Value>(in session: StoreSession?, _ body: () throws -> Value) throws -> Value {
            if let failure { throw failure }
            do {
                return try connection.writing(durability) {
                    if let session { try check(session) }
                    return try body()
                }
            } catch {
                if let failed = error as? SQLiteFailure, failed.isFailedSync {
                    failure = JobError(
                        code: .unavailable,
                        message:
                            "writing \(connection.path) to the disk failed, and nothing more is written until the file is opened again; check the disk",
                        cause: failed)
                    throw failure!
                }
                throw error
            }
        }

        /// Makes a node the owner of the file, under a new epoch.
        func takeOwnership(_ node: NodeID) throws -> StoreSession {
            let (epoch, queues, mayHaveCalendars) = try write(in: nil) {
                try connection.statement("UPDATE apus_owner SET epoch = epoch + 1").run()
                // The record is read from the file, because an earlier commit may have written it although the commit
                // reported an error.
                clock = try StoreReader.clock(on: connection)
                return (
                    try currentEpoch(), try StoreReader.queues(on: connection),
                    try StoreReader.mayHaveCalendars(on: connection)
                )
            }
            let session = StoreSession(
                node: node, shards: [.only: StoreEpoch(rawValue: epoch)], clock: clock, queues: queues,
                mayHaveCalendars: mayHaveCalendars)
            // If no job was set aside, this costs one query.
            let anyIsSetAside = "SELECT EXISTS (SELECT 1 FROM apus_set_aside)"
            if try connection.statement(anyIsSetAside).firstRow({ $0.integer() }) == 1 {
                while try write(in: session, { try SetAsideRow.giveBack(on: connection) }) {}
            }
            return session
        }

        private func currentEpoch() throws -> Int64 {
            try connection.statement("SELECT epoch FROM apus_owner").firstRow { $0.integer() } ?? 0
        }

        private func check(_ session: StoreSession) throws {
            let (epoch, current) = (session.shards[.only]?.rawValue ?? 0, try currentEpoch())
            guard epoch == current else {
                throw JobError(
                    code: .notOwner,
                    message:
                        "the store has a newer owner (epoch \(current); this one had \(epoch)): nothing was written")
            }
        }

        // MARK: Turns

        /// An error after which the turn is written again, with a savepoint for each part.
        ///
        /// It is thrown when a part has failed after it changed rows.
        private struct PartlyApplied: Error {}

        func commit(_ turn: StoreTurn, in session: StoreSession) throws -> [Result<[Job], JobError>] {
            let key = lastKey
            let results: [Result<[Job], JobError>]
            do {
                results = try commit(turn, in: session, withSavepoints: false)
            } catch is PartlyApplied {
                lastKey = key
                results = try commit(turn, in: session, withSavepoints: true)
            }
            clock = turn.clock
            commits += 1
            return results
        }

        private func commit(
            _ turn: StoreTurn, in session: StoreSession, withSavepoints: Bool
        ) throws -> [Result<[Job], JobError>] {
            try write(in: session) {
                let axis = ElapsedAxis(turn.clock)
                // An empty turn writes the clock record too, because such a turn tests whether the file can be written.
                if turn.clock != clock || turn.parts.isEmpty { try Self.write(turn.clock, on: connection) }
                for queue in turn.queues { try Self.write(queue, axis, on: connection) }
                try SetAsideRow.insert(turn.setAside, on: connection)
                let taken = turn.takenByPart
                let results = try turn.parts.enumerated().map {
                    try apply($1, taking: taken[$0], axis, withSavepoint: withSavepoints)
                }
                hasSubmissions = try SubmissionRow.areThere(on: connection)
                beforeCommit?()
                return results
            }
        }

        private func apply(
            _ changes: [JobChange], taking submission: TakenSubmission?, _ axis: ElapsedAxis, withSavepoint: Bool
        ) throws -> Result<[Job], JobError> {
            if withSavepoint { try connection.statement("SAVEPOINT part").run() }
            rowsChanged = 0
            do {
                let jobs = try changes.map { try apply($0, axis) }
                if let submission { try SubmissionRow.remove(submission, on: connection) }
                if withSavepoint { try connection.statement("RELEASE part").run() }
                return .success(jobs)
            } catch {
                let mapped = SQLiteErrors.jobError(error, path: connection.path)
                // These errors concern this part only.
                let isOwn = [.conflict, .alreadyExists, .invalid, .notOwner].contains(mapped.code)
                guard connection.isInTransaction, isOwn else { throw error }
                if withSavepoint {
                    try connection.statement("ROLLBACK TO part").run()
                    try connection.statement("RELEASE part").run()
                } else if rowsChanged > 0 {
                    throw PartlyApplied()
                }
                return .failure(mapped)
            }
        }

        private func apply(_ change: JobChange, _ axis: ElapsedAxis) throws -> Job {
            var job = change.job
            guard change.shard == .only else {
                throw JobError(
                    code: .notOwner,
                    message: "\(job.id): the store has no shard \(change.shard.rawValue), so the job was not written")
            }
            switch change.expected {
            case .version(let version):
                try update(job, expected: version, change, axis)
                job.version = version + 1
            case .absent:
                if change.requiresFreeName, let name = job.request.name { try requireFree(name, for: job.id) }
                if let known = change.onlyBeside { try requireNone(beside: known) }
                try insert(&job, axis)
            }
            let isRelative = job.isTriggerRelative
            for run in change.runs {
                func write(_ sql: SQLText) throws -> Int {
                    let statement = try connection.statement(sql)
                    RunRow.bind(run, jobKey: job.key, isTriggerRelative: isRelative, axis, to: statement)
                    return try statement.run()
                }
                // A run that has ended nearly always has a row already, so the faster update is tried first.
                var count = run.state.isOpen ? 0 : try write(RunRow.update)
                if count == 0 { count = try write(RunRow.upsert) }
                rowsChanged += count
            }
            if let kept = change.keptRuns { try retireRuns(of: job.key, keeping: kept) }
            return job
        }

        /// Throws if a job that has not ended has the name.
        ///
        /// It does not throw if the identifier is taken too, because the insertion then throws the error for the
        /// identifier.
        private func requireFree(_ name: String, for id: JobID) throws {
            let other = try connection.statement(
                """
                SELECT 1 FROM apus_request AS request JOIN apus_job AS job ON job.key = request.job
                WHERE request.name = ? AND \(JobRow.hasNotEnded)
                    AND NOT EXISTS (SELECT 1 FROM apus_job AS job WHERE job.id = ? AND \(JobRow.hasNotEnded))
                LIMIT 1
                """
            ).bind(name).bind(id.rawValue).firstRow { $0.integer() }
            if other != nil { throw JobError.nameIsTaken(name) }
        }

        private func requireNone(beside known: LabelledJobs) throws {
            let keys = known.keys.sorted().map(String.init).joined(separator: ", ")
            let other = try connection.statement(
                """
                SELECT 1 FROM apus_job AS job JOIN apus_request AS request ON request.job = job.key
                WHERE \(JobRow.hasNotEnded) AND job.key NOT IN (SELECT value FROM json_each(?)) AND \(JobRow.hasLabel)
                LIMIT 1
                """
            ).bind("[\(keys)]").bind(known.label).bind(known.value).firstRow { $0.integer() }
            if other != nil { throw JobError.isLabelled(known) }
        }

        private func insert(_ job: inout Job, _ axis: ElapsedAxis) throws {
            job.key = lastKey + 1
            job.version = 1
            do {
                try JobRow.insert(job, axis, counting: &rowsChanged, on: connection)
            } catch let failure as SQLiteFailure where failure.message.hasSuffix("job.id") {
                throw JobError(
                    code: .conflict, message: "\(job.id): a job has this identifier already; read it again",
                    cause: failure)
            }
            // A key whose insertion was rolled back may remain unused, which has no cost.
            lastKey = job.key
        }

        private func update(
            _ job: Job, expected version: Int64, _ change: JobChange, _ axis: ElapsedAxis
        ) throws {
            let isWhole = change.isRequestChanged
            let isStateWritten = isWhole || change.isStateChanged
            let statement = try connection.statement(
                isWhole ? JobRow.update : isStateWritten ? JobRow.updateState : JobRow.updateProgress)
            JobRow.bindProgress(job, axis, to: statement)
            if isStateWritten { JobRow.bindState(job, to: statement) }
            if isWhole { JobRow.bindLane(job, job.request, to: statement) }
            statement.bind(job.key).bind(version).bind(job.id.rawValue)
            let count = try statement.run()
            guard count == 1 else {
                throw JobError(
                    code: .conflict,
                    message: "\(job.id): the job has changed since it was read as version \(version); read it again")
            }
            rowsChanged += count
            if isWhole {
                let other = try connection.statement(JobRow.updateRequest)
                JobRow.bindRequest(job, job.request, to: other)
                try other.bind(job.key).run()
            } else if isStateWritten, job.countsContent {
                let uniqueness = JobRow.uniqueness(job, job.request)
                try connection.statement(JobRow.updateUniqueness).bind(uniqueness).bind(job.key).run()
            }
        }

        static func write(_ clock: StoreClock, on connection: Connection) throws {
            try connection.statement(
                """
                INSERT INTO apus_clock (id, boot_id, wall_offset, elapsed_offset) VALUES (1, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET
                    boot_id = excluded.boot_id, wall_offset = excluded.wall_offset,
                    elapsed_offset = excluded.elapsed_offset
                """
            ).bind(clock.bootID).bind(clock.wallOffset.wholeNanoseconds).bind(clock.elapsedOffset.wholeNanoseconds)
                .run()
        }

        static func write(_ queue: JobQueue, _ axis: ElapsedAxis, on connection: Connection) throws {
            try connection.statement(
                """
                INSERT INTO apus_queue (
                    id, concurrency, concurrency_per_key, rate_runs, rate_period, paused, recent_starts, last_start)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET
                    concurrency = excluded.concurrency, concurrency_per_key = excluded.concurrency_per_key,
                    rate_runs = excluded.rate_runs, rate_period = excluded.rate_period, paused = excluded.paused, recent_starts = excluded.recent_starts, last_start = excluded.last_start
                """
            ).bind(queue.id.rawValue).bind(queue.concurrency.map(Int64.init))
                .bind(queue.concurrencyPerKey.map(Int64.init)).bind(queue.rate.map { Int64($0.runs) })
                .bind(queue.rate?.period.wholeNanoseconds).bind(queue.isPaused ? 1 as Int64 : 0)
                .bind(Int64(queue.recentStarts)).bind(queue.lastStart.map(axis.encode)).run()
        }

        // MARK: Retention

        /// Removes the older runs of a job, except open ones.
        ///
        /// Of the attempts, the newest `kept` stay. Of the runs without an attempt, such as skipped ones, the newest
        /// `kept` stay too.
        private func retireRuns(of key: Int64, keeping kept: Int) throws {
            let isAttempt = "(attempt > 0 AND state <> 'skipped')"
            for some in [isAttempt, "NOT \(isAttempt)"] {
                try connection.statement(
                    """
                    DELETE FROM apus_run WHERE job = ?1 AND \(some) AND state NOT IN ('waiting', 'claimed') AND sequence <= (
                        SELECT sequence FROM apus_run INDEXED BY apus_run_by_job WHERE job = ?1 AND \(some)
                        ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
                    """
                ).bind(key).bind(Int64(max(0, kept))).run()
            }
        }

        /// Removes jobs and refusals that need not be kept any longer, the earliest first, and returns whether there
        /// may be more.
        func retire(
            keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
        ) throws -> Bool {
            try write(in: session) {
                let found =
                    try connection.statement(
                        "SELECT count(*) FROM (SELECT 1 FROM apus_job AS job WHERE \(Self.isRetired) LIMIT ?2)"
                    ).bind(instant.stored).bind(Int64(budget) + 1).firstRow { $0.integer() } ?? 0
                let hasOldRefusals = try RefusalRow.retire(before: refusedBefore, budget: budget, on: connection)
                if found == 0 { return hasOldRefusals }
                try keepLastKey()
                try connection.statement(
                    """
                    DELETE FROM apus_job AS job WHERE key IN (
                        SELECT key FROM apus_job AS job WHERE \(Self.isRetired) ORDER BY kept_until LIMIT ?2)
                    """
                ).bind(instant.stored).bind(Int64(budget)).run()
                return found > Int64(budget) || hasOldRefusals
            }
        }

        func delete(_ jobs: [JobVersion], in session: StoreSession) throws -> Set<Int64> {
            try write(in: session) {
                try keepLastKey()
                var deleted: Set<Int64> = []
                for job in jobs {
                    let count = try connection.statement(
                        """
                        DELETE FROM apus_job AS job
                        WHERE key = ? AND version = ? AND \(JobRow.hasEnded) AND open_runs = 0
                        """
                    ).bind(job.key).bind(job.version).run()
                    if count > 0 { deleted.insert(job.key) }
                }
                return deleted
            }
        }

        /// Stores the last key before jobs are removed, because their keys must not be used again.
        private func keepLastKey() throws {
            try connection.statement(
                "UPDATE apus_owner SET last_key = max(last_key, ifnull((SELECT max(key) FROM apus_job), 0))"
            ).run()
        }

        /// The condition for a job that need not be kept any longer, with the expression of the index `apus_job_ended`.
        private static let isRetired = "\(JobRow.hasEnded) AND open_runs = 0 AND kept_until < ?1"
    }
#endif

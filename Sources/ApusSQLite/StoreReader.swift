#if SQLite
    import ApusJobs
    import ApusTimers

    /// The queries. Called on a connection's queue only, inside a transaction.
    enum StoreReader {
        private static let openRuns = """
            SELECT \(RunRow.columns) FROM run WHERE run.job = ? AND \(RunRow.isOpen) ORDER BY run.occurrence, run.attempt
            """

        /// The outcome of the last occurrence that has one: one look into the index of outcomes.
        private static let lastOutcome = """
            SELECT \(RunRow.columns) FROM run INDEXED BY run_one_outcome
            WHERE run.job = ? AND run.final = 1 ORDER BY run.occurrence DESC LIMIT 1
            """

        /// The jobs of a statement's rows, with what their next transition depends on.
        private static func load(_ statement: PreparedStatement, on connection: Connection) throws -> [FoundJob] {
            let axis = try axis(on: connection)
            var found: [FoundJob] = []
            try statement.forEachRow { row in
                let job: Job
                do throws(UnreadableJob) { job = try JobRow.read(row, axis) } catch {
                    found.append(.unreadable(error))
                    return
                }
                do { found.append(.job(try complete(job, axis, on: connection))) } catch let problem as StoredProblem {
                    found.append(.unreadable(UnreadableJob(key: job.key, id: job.id, problem: problem.text)))
                }
            }
            return found
        }

        private static func complete(_ job: Job, _ axis: ElapsedAxis, on connection: Connection) throws -> LoadedJob {
            var loaded = LoadedJob(job: job, open: [], elapsedOffset: axis.duration)
            let isRelative = job.request.trigger.isRelative
            if job.openRunCount > 0 {
                try connection.statement(openRuns).bind(job.key).forEachRow {
                    loaded.open.append(try RunRow.read($0, job: job.id, isTriggerRelative: isRelative, axis))
                }
            }
            if job.nextOccurrence > 1 {
                let last = try connection.statement(lastOutcome).bind(job.key).firstRow {
                    try RunRow.read($0, job: job.id, isTriggerRelative: isRelative, axis)
                }
                if let last, last.state == .skipped, last.through == job.nextOccurrence - 1 { loaded.lastSkip = last }
            }
            return loaded
        }

        // MARK: The clock

        static func clock(on connection: Connection) throws -> StoreClock? {
            try connection.statement("SELECT boot_id, wall_offset, elapsed_offset FROM clock").firstRow { row in
                StoreClock(
                    bootID: row.optionalText(), wallOffset: .nanoseconds(row.integer()),
                    elapsedOffset: .nanoseconds(row.integer()))
            }
        }

        static func axis(on connection: Connection) throws -> ElapsedAxis { ElapsedAxis(try clock(on: connection)) }

        /// Whether there is a calendar trigger, of an ended job too. In the words of the partial index.
        static func mayHaveCalendars(on connection: Connection) throws -> Bool {
            try connection.statement("SELECT 1 FROM request WHERE trigger_calendar IS NOT NULL AND job > 0 LIMIT 1")
                .firstRow { $0.integer() } != nil
        }

        static func queues(on connection: Connection) throws -> [JobQueue] {
            let axis = try axis(on: connection)
            var queues: [JobQueue] = []
            try connection.statement(
                """
                SELECT id, concurrency, rate_runs, rate_period, paused, recent_starts, last_start FROM queue ORDER BY id
                """
            ).forEachRow { row in
                var queue = JobQueue(id: QueueID(row.text()))
                queue.concurrency = row.optionalInteger().map(Int.init)
                let (runs, period) = (row.optionalInteger(), row.optionalDuration())
                if let runs, let period { queue.rate = QueueRate(runs: Int(runs), per: period) }
                queue.isPaused = row.integer() == 1
                queue.recentStarts = Int(row.integer())
                queue.lastStart = row.optionalInteger().map(axis.decode)
                queues.append(queue)
            }
            return queues
        }

        // MARK: Jobs

        /// Jobs wake by two clocks, each with an index. Their first rows are merged.
        static func due(
            through instant: WallInstant, limit: Int, excluding lanes: [QueueLane], on connection: Connection
        ) throws -> DueJobs {
            let isIncluded = lanes.map { _ in "AND NOT (queue = ? AND priority = ?)" }.joined(separator: " ")
            func bind(_ lanes: [QueueLane], to statement: PreparedStatement) -> PreparedStatement {
                for lane in lanes { statement.bind(lane.queue.rawValue).bind(Int64(lane.priority.rawValue)) }
                return statement
            }
            let axis = try axis(on: connection)
            let (wall, elapsed) = (StoreInstant.bound(instant), axis.bound(instant))
            var wakes: [Int64: WallInstant] = [:]
            func find(_ column: String, through bound: Int64, _ decode: (Int64) -> WallInstant) throws {
                let statement = try connection.statement(
                    """
                    SELECT key, \(column) FROM job WHERE \(column) IS NOT NULL AND \(column) <= ? \(isIncluded)
                    ORDER BY \(column), key LIMIT ?
                    """
                ).bind(bound)
                try bind(lanes, to: statement).bind(Int64(limit) + 1).forEachRow { row in
                    let (key, wake) = (row.integer(), decode(row.integer()))
                    wakes[key] = min(wake, wakes[key] ?? wake)
                }
            }
            try find("wake", through: wall, StoreInstant.decode)
            try find("elapsed_wake", through: elapsed, axis.decode)
            // The first of those that are due by neither clock.
            func first(of column: String, after bound: Int64, other: String, after otherBound: Int64) throws -> Int64? {
                let statement = try connection.statement(
                    """
                    SELECT \(column) FROM job
                    WHERE \(column) IS NOT NULL AND \(column) > ? AND (\(other) IS NULL OR \(other) > ?) \(isIncluded)
                    ORDER BY \(column) LIMIT 1
                    """
                ).bind(bound).bind(otherBound)
                return try bind(lanes, to: statement).firstRow { $0.integer() }
            }
            let later = [
                try first(of: "wake", after: wall, other: "elapsed_wake", after: elapsed).map(StoreInstant.decode),
                try first(of: "elapsed_wake", after: elapsed, other: "wake", after: wall).map(axis.decode),
            ].compactMap { $0 }
            let order = wakes.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            let found = try order.prefix(limit).compactMap { try job(key: $0.key, on: connection) }
            return DueJobs(
                jobs: found.readable, unreadable: found.unreadable,
                next: (order.dropFirst(limit).prefix(1).map(\.value) + later).min())
        }

        static func interrupted(after key: Int64, limit: Int, on connection: Connection) throws -> [FoundJob] {
            let statement = try connection.statement(
                """
                SELECT \(JobRow.columns) FROM \(JobRow.table)
                WHERE job.key IN (
                    SELECT DISTINCT run.job FROM run INDEXED BY run_open
                    WHERE \(RunRow.isOpen) AND run.job > ? AND run.state = 'claimed'
                        AND (SELECT \(SetAsideRow.isNone) FROM job WHERE job.key = run.job)
                    ORDER BY run.job LIMIT ?)
                ORDER BY key
                """)
            return try load(statement.bind(key).bind(Int64(limit)), on: connection)
        }

        static func anchored(after key: Int64, limit: Int, on connection: Connection) throws -> [FoundJob] {
            let statement = try connection.statement(
                """
                SELECT \(JobRow.columns) FROM \(JobRow.table)
                WHERE \(JobRow.hasNotEnded) AND key > ? AND (trigger_anchor IS NOT NULL OR trigger_calendar IS NOT NULL)
                    AND \(SetAsideRow.isNone)
                ORDER BY key LIMIT ?
                """)
            return try load(statement.bind(key).bind(Int64(limit)), on: connection)
        }

        static func job(_ reference: JobReference, on connection: Connection) throws -> FoundJob? {
            switch reference {
            case .key(let key): return try job(key: key, on: connection)
            case .idempotencyKey(let key):
                let statement = try connection.statement(
                    "SELECT \(JobRow.columns) FROM \(JobRow.table) WHERE idempotency_key = ?")
                return try load(statement.bind(key), on: connection).first
            case .payload(let kind, let payload, let instant):
                // One look into an index each.
                let same = "WHERE kind = ? AND payload = ? AND unique_payload"
                var key = try connection.statement("SELECT job FROM request \(same) = 1").bind(kind).bind(payload)
                    .firstRow { $0.integer() }
                if key == nil, let instant {
                    let later =
                        "SELECT key FROM \(JobRow.table) \(same) > 0 AND created > ? ORDER BY request.job DESC LIMIT 1"
                    key = try connection.statement(later).bind(kind).bind(payload).bind(instant.stored)
                        .firstRow { $0.integer() }
                }
                return try key.flatMap { try job(key: $0, on: connection) }
            case .id(let id):
                guard let key = try key(of: id, on: connection) else { return nil }
                return try job(key: key, on: connection)
            }
        }

        private static func job(key: Int64, on connection: Connection) throws -> FoundJob? {
            let statement = try connection.statement("SELECT \(JobRow.columns) FROM \(JobRow.table) WHERE job.key = ?")
            if let found = try load(statement.bind(key), on: connection).first { return found }
            return try connection.statement("SELECT id FROM job WHERE key = ?").bind(key).firstRow { row in
                FoundJob.unreadable(UnreadableJob(key: key, id: JobID(row.text()), problem: "it has no request"))
            }
        }

        /// The job that an identifier means: the job that has not ended, else the last submitted.
        static func key(of id: JobID, on connection: Connection) throws -> Int64? {
            // One look into an index each, however many jobs have had the identifier.
            for rest in ["AND \(JobRow.hasNotEnded)", "ORDER BY key DESC LIMIT 1"] {
                let key = try connection.statement("SELECT key FROM job WHERE id = ? \(rest)")
                    .bind(id.rawValue).firstRow { $0.integer() }
                if let key { return key }
            }
            return nil
        }
    }
#endif

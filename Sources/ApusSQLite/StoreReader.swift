#if SQLite
    import ApusJobs
    import ApusTimers

    /// The queries of a store, used on a connection's queue only, inside a transaction.
    enum StoreReader {
        private static let jobByKey = SQLText("SELECT \(JobRow.columns) FROM \(JobRow.table) WHERE job.key = ?")

        private static let openRuns = SQLText(
            """
            SELECT \(RunRow.columns) FROM apus_run AS run WHERE run.job = ? AND \(RunRow.isOpen)
            ORDER BY run.occurrence, run.attempt
            """)

        /// The outcome of the last occurrence that has one, found by one search in the index of outcomes.
        private static let lastOutcome = SQLText(
            """
            SELECT \(RunRow.columns) FROM apus_run AS run INDEXED BY apus_run_one_outcome
            WHERE run.job = ? AND run.final = 1 ORDER BY run.occurrence DESC LIMIT 1
            """)

        /// Reads the jobs of a statement's rows, with everything that their next transition depends on.
        private static func load(
            _ statement: PreparedStatement, _ axis: ElapsedAxis, on connection: Connection
        ) throws -> [FoundJob] {
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
            let isRelative = job.isTriggerRelative
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
            try connection.statement("SELECT boot_id, wall_offset, elapsed_offset FROM apus_clock").firstRow { row in
                StoreClock(
                    bootID: row.optionalText(), wallOffset: .nanoseconds(row.integer()),
                    elapsedOffset: .nanoseconds(row.integer()))
            }
        }

        static func axis(on connection: Connection) throws -> ElapsedAxis { ElapsedAxis(try clock(on: connection)) }

        /// Returns whether any job, ended or not, has a calendar trigger.
        ///
        /// The condition repeats the expression of the partial index, because SQLite uses the index only then.
        static func mayHaveCalendars(on connection: Connection) throws -> Bool {
            try connection.statement(
                """
                SELECT 1 FROM apus_request INDEXED BY apus_request_calendar
                WHERE trigger_calendar IS NOT NULL AND job > 0 LIMIT 1
                """
            )
            .firstRow { $0.integer() } != nil
        }

        static func queues(on connection: Connection) throws -> [JobQueue] {
            let axis = try axis(on: connection)
            var queues: [JobQueue] = []
            try connection.statement(
                """
                SELECT id, concurrency, concurrency_per_key, rate_runs, rate_period, paused, recent_starts, last_start
                FROM apus_queue ORDER BY id
                """
            ).forEachRow { row in
                var queue = JobQueue(id: QueueID(row.text()))
                queue.concurrency = row.optionalInteger().map(Int.init)
                queue.concurrencyPerKey = row.optionalInteger().map(Int.init)
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

        /// One of the two clocks by which jobs wake.
        private struct Clock {
            var column: String
            /// The column of the other clock.
            var other: String
            var (bound, otherBound): (Int64, Int64)
            var decode: (Int64) -> WallInstant
        }

        /// Returns the first jobs of each lane, found by an index for each of the two clocks.
        static func due(_ load: JobLoad, on connection: Connection) throws -> DueJobs {
            let axis = try axis(on: connection)
            let (wall, elapsed) = (StoreInstant.bound(load.through), axis.bound(load.through))
            let clocks = [
                Clock(
                    column: "wake", other: "elapsed_wake", bound: wall, otherBound: elapsed, decode: StoreInstant.decode
                ),
                Clock(column: "elapsed_wake", other: "wake", bound: elapsed, otherBound: wall, decode: axis.decode),
            ]
            var selection = DueSelection()
            var lanes: [[String]] = []
            for clock in clocks {
                lanes.append(try load.lanes?.sorted().map(\.stored) ?? Self.lanes(of: clock, on: connection))
                for text in lanes.last! {
                    guard let lane = QueueLane(stored: text) else { continue }
                    let first = try instants(of: clock, "<=", on: connection).bind(text).bind(clock.bound)
                        .firstRow { clock.decode($0.integer()) }
                    if let first { selection.add(lane, first: first) }
                }
            }
            let limits = load.limits(of: selection.lanes)
            for (clock, lanes) in zip(clocks, lanes) {
                for text in lanes {
                    // A lane that cannot be decoded is read too, because its jobs must be set aside.
                    let lane = QueueLane(stored: text)
                    let limit: Int? = if let lane { limits[lane] } else { Int.max }
                    if limit == 0 { continue }
                    if let limit {
                        let rows = try connection.statement(
                            """
                            SELECT key, \(clock.column) FROM apus_job INDEXED BY apus_job_\(clock.column)
                            WHERE \(clock.column) IS NOT NULL AND lane = ? AND \(clock.column) <= ?
                            ORDER BY \(clock.column), key LIMIT ?
                            """)
                        let count = min(limit, load.mostRows) + 1
                        try rows.bind(text).bind(clock.bound).bind(Int64(count)).forEachRow {
                            selection.add($0.integer(), clock.decode($0.integer()), of: lane)
                        }
                    }
                    // This condition excludes jobs that are already due by the other clock.
                    let isLater = "AND (\(clock.other) IS NULL OR \(clock.other) > ?)"
                    let later = try instants(of: clock, ">", isLater, on: connection).bind(text).bind(clock.bound)
                        .bind(clock.otherBound).firstRow { clock.decode($0.integer()) }
                    if let later { selection.add(later: later) }
                }
            }
            let (keys, next) = selection.finish(load, limits)
            let found = try keys.compactMap { try job(key: $0, axis, on: connection) }
            return DueJobs(jobs: found.readable, unreadable: found.unreadable, next: next, left: selection.left)
        }

        /// Returns the lanes in which a job wakes, each found by one search in the index.
        private static func lanes(of clock: Clock, on connection: Connection) throws -> [String] {
            func first(_ comparison: String, _ lane: String) throws -> String? {
                try connection.statement(
                    """
                    SELECT lane FROM apus_job INDEXED BY apus_job_\(clock.column)
                    WHERE \(clock.column) IS NOT NULL AND lane \(comparison) ? ORDER BY lane LIMIT 1
                    """
                ).bind(lane).firstRow { $0.text() }
            }
            var lanes: [String] = []
            var next = try first(">=", "")
            while let lane = next {
                lanes.append(lane)
                next = try first(">", lane)
            }
            return lanes
        }

        /// Returns the statement for the first instant of a lane; parameters: the lane, the bound, and those of `also`.
        private static func instants(
            of clock: Clock, _ comparison: String, _ also: String = "", on connection: Connection
        ) throws -> PreparedStatement {
            try connection.statement(
                """
                SELECT \(clock.column) FROM apus_job INDEXED BY apus_job_\(clock.column)
                WHERE \(clock.column) IS NOT NULL AND lane = ? AND \(clock.column) \(comparison) ? \(also)
                ORDER BY \(clock.column) LIMIT 1
                """)
        }

        static func interrupted(after key: Int64, limit: Int, on connection: Connection) throws -> [FoundJob] {
            var keys: [Int64] = []
            try connection.statement(
                """
                SELECT DISTINCT run.job FROM apus_run AS run INDEXED BY apus_run_open
                WHERE \(RunRow.isOpen) AND run.job > ? AND run.state = 'claimed'
                    AND (SELECT \(SetAsideRow.isNone) FROM apus_job AS job WHERE job.key = run.job)
                ORDER BY run.job LIMIT ?
                """
            ).bind(key).bind(Int64(limit)).forEachRow { keys.append($0.integer()) }
            let axis = try axis(on: connection)
            return try keys.compactMap { try job(key: $0, axis, on: connection) }
        }

        static func anchored(after key: Int64, limit: Int, on connection: Connection) throws -> [FoundJob] {
            let statement = try connection.statement(
                """
                SELECT \(JobRow.columns)
                FROM apus_request AS request INDEXED BY apus_request_anchored JOIN apus_job AS job ON job.key = request.job
                WHERE (request.trigger_anchor IS NOT NULL OR request.trigger_calendar IS NOT NULL) AND request.job > ?
                    AND \(JobRow.hasNotEnded) AND \(SetAsideRow.isNone)
                ORDER BY request.job LIMIT ?
                """)
            return try load(statement.bind(key).bind(Int64(limit)), try axis(on: connection), on: connection)
        }

        static func job(_ reference: JobReference, on connection: Connection) throws -> FoundJob? {
            let axis = try axis(on: connection)
            switch reference {
            case .key(let key): return try job(key: key, axis, on: connection)
            case .idempotencyKey(let key):
                let statement = try connection.statement(
                    "SELECT \(JobRow.columns) FROM \(JobRow.table) WHERE idempotency_key = ?")
                return try load(statement.bind(key), axis, on: connection).first
            case .unique(let kind, let content, let instant):
                // Each of the two statements is one search in an index.
                let same = "WHERE kind = ? AND \(JobRow.content) = ? AND unique_payload"
                let open = try connection.statement("SELECT job FROM apus_request \(same) = 1").bind(kind)
                JobRow.bind(content, to: open)
                var key = try open.firstRow { $0.integer() }
                if key == nil, let instant {
                    let later = try connection.statement(
                        "SELECT key FROM \(JobRow.table) \(same) > 0 AND created > ? ORDER BY request.job DESC LIMIT 1"
                    ).bind(kind)
                    JobRow.bind(content, to: later)
                    key = try later.bind(instant.stored).firstRow { $0.integer() }
                }
                return try key.flatMap { try job(key: $0, axis, on: connection) }
            case .id(let id):
                guard let key = try key(of: id, on: connection) else { return nil }
                return try job(key: key, axis, on: connection)
            }
        }

        private static func job(
            key: Int64, _ axis: ElapsedAxis, on connection: Connection
        ) throws -> FoundJob? {
            let statement = try connection.statement(jobByKey).bind(key)
            if let found = try load(statement, axis, on: connection).first { return found }
            return try connection.statement("SELECT id FROM apus_job WHERE key = ?").bind(key).firstRow { row in
                FoundJob.unreadable(UnreadableJob(key: key, id: JobID(row.text()), problem: "it has no request"))
            }
        }

        /// Returns the key of the job that an identifier denotes: the job that has not ended, else the last one
        /// submitted.
        static func key(of id: JobID, on connection: Connection) throws -> Int64? {
            // Each statement is one search in an index, however many jobs have had the identifier.
            for rest in [JobRow.hasNotEnded, "\(JobRow.isNotOpen) ORDER BY key DESC LIMIT 1"] {
                let key = try connection.statement("SELECT key FROM apus_job AS job WHERE id = ? AND \(rest)")
                    .bind(id.rawValue).firstRow { $0.integer() }
                if let key { return key }
            }
            return nil
        }
    }
#endif

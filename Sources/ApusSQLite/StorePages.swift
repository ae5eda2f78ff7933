#if SQLite
    import ApusJobs
    import ApusTimers

    /// Reads lists of jobs and runs in pages; used on a connection's queue only, inside a transaction.
    enum StorePages {
        static func jobs(_ query: JobQuery, on connection: Connection) throws -> JobPage {
            let limit = try ListPage.size(query.limit)
            let statement = try select(
                JobRow.columns, query, after: try query.cursor.map { try ListPage.position($0, prefix: "j") },
                "ORDER BY \(key(query))\(query.newestFirst ? " DESC" : "") LIMIT ?", on: connection)
            let axis = try StoreReader.axis(on: connection)
            var found: [Result<Job, UnreadableJob>] = []
            try statement.bind(Int64(limit + 1)).forEachRow { row in
                found.append(Result { () throws(UnreadableJob) in try JobRow.read(row, axis) })
            }
            let hasMore = found.count > limit
            if hasMore { found.removeLast() }
            let jobs = found.compactMap { try? $0.get() }
            let unreadable = found.compactMap { if case .failure(let job) = $0 { job } else { nil } }
            let keys = [jobs.last?.key, unreadable.last?.key].compactMap { $0 }
            let last = query.newestFirst ? keys.min() : keys.max()
            return JobPage(
                jobs: jobs,
                lastRuns: try jobs.map { query.includesLastRuns ? try lastRun(of: $0, axis, on: connection) : nil },
                unreadable: unreadable, nextCursor: hasMore ? last.map { "j\($0)" } : nil)
        }

        static func count(_ query: JobQuery, on connection: Connection) throws -> Int {
            try select("count(*)", query, after: nil, "", on: connection).firstRow { Int($0.integer()) } ?? 0
        }

        /// The column by which the jobs are ordered: that of the index in which they are found.
        private static func key(_ query: JobQuery) -> String { query.calendarsOnly ? "request.job" : "job.key" }

        /// The conditions of a query, each with the binding of its parameters.
        private struct Filter {
            private var conditions: [String] = []
            private var bindings: [(PreparedStatement) -> Void] = []

            mutating func add(_ condition: String, _ bind: @escaping (PreparedStatement) -> Void = { _ in }) {
                conditions.append(condition)
                bindings.append(bind)
            }

            /// Adds the condition that the column has one of the texts; without texts, it adds none.
            mutating func add(_ column: String, in texts: [String]) {
                if texts.isEmpty { return }
                add("\(column) IN (\(Self.marks(texts)))") { statement in for text in texts { statement.bind(text) } }
            }

            static func marks(_ texts: [String]) -> String { texts.map { _ in "?" }.joined(separator: ", ") }

            var sql: String { conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))" }

            /// Binds the parameters of the filter, which must be the first ones of the statement.
            func bind(to statement: PreparedStatement) -> PreparedStatement {
                for bind in bindings { bind(statement) }
                return statement
            }
        }

        /// Returns the statement for the rows that match a query; `rest` has the order and the limit.
        private static func select(
            _ columns: String, _ query: JobQuery, after: Int64?, _ rest: String, on connection: Connection
        ) throws -> PreparedStatement {
            var filter = Filter()
            if let after { filter.add("\(key(query)) \(query.newestFirst ? "<" : ">") ?") { $0.bind(after) } }
            try add(query, to: &filter, on: connection)
            return filter.bind(
                to: try connection.statement(
                    """
                    SELECT \(columns) FROM \(query.calendarsOnly ? JobRow.calendars : JobRow.table) \(filter.sql) \(rest)
                    """))
        }

        /// Adds the conditions of the query, on the columns of `job` and `request`.
        private static func add(_ query: JobQuery, to filter: inout Filter, on connection: Connection) throws {
            // SQLite uses the partial index only for a condition with the index's expression and a bound of its column.
            if query.calendarsOnly { filter.add("request.trigger_calendar IS NOT NULL AND request.job > 0") }
            if let prefix = query.idPrefixOrName, !prefix.isEmpty {
                // UTF-8 text never contains the byte 0xFF, so this sorts after every text with the prefix.
                let end = Array(prefix.utf8) + [0xFF]
                filter.add(Self.matchesIDOrName) {
                    $0.bind(prefix).bind(rawText: end).bind(prefix).bind(rawText: end).bind(prefix)
                }
            }
            let names = query.names.sorted()
            if !names.isEmpty {
                filter.add("job.key IN (SELECT job FROM apus_request WHERE name IN (\(Filter.marks(names))))") {
                    for name in names { $0.bind(name) }
                }
            }
            if let kind = query.kind { filter.add("request.kind = ?") { $0.bind(kind) } }
            filter.add("job.queue", in: query.queues.sorted().map(\.rawValue))
            filter.add("request.fairness_key", in: query.fairnessKeys.sorted())
            if let created = query.created {
                filter.add("job.created >= ? AND job.created < ?") {
                    $0.bind(created.lowerBound.stored).bind(created.upperBound.stored)
                }
            }
            if let due = query.due {
                let axis = try StoreReader.axis(on: connection)
                filter.add(Self.isDue) {
                    $0.bind(axis.encode(due.lowerBound)).bind(axis.encode(due.upperBound))
                    $0.bind(due.lowerBound.stored).bind(due.upperBound.stored)
                }
            }
            if let key = query.idempotencyKey { filter.add("request.idempotency_key = ?") { $0.bind(key) } }
            filter.add("job.state", in: query.states.map(\.rawValue).sorted())
            // SQLite uses the partial index only for a condition with the index's expression.
            if !query.states.isEmpty, query.states.allSatisfy({ !$0.isFinal }) { filter.add(JobRow.hasNotEnded) }
            for label in query.labels.sorted(by: { $0.key < $1.key }) {
                filter.add(JobRow.hasLabel) { $0.bind(label.key).bind(label.value) }
            }
            filter.add(Self.lastEnded, in: query.lastEnded.map(\.rawValue).sorted())
        }

        /// The condition for the next due instant, which is in elapsed time for a relative trigger.
        ///
        /// Parameters: the bounds in elapsed time, then the bounds on the wall clock.
        private static let isDue = """
            CASE WHEN request.trigger = 'after' OR (request.trigger = 'every' AND request.trigger_anchor IS NULL)
                THEN job.next_due >= ? AND job.next_due < ? ELSE job.next_due >= ? AND job.next_due < ? END
            """

        /// The condition for a job whose identifier begins with a text, or whose name is that text.
        ///
        /// It selects a set of keys, so that SQLite uses the indexes whatever it estimates about the table. Parameters:
        /// the bounds of the identifiers, twice, and the text.
        private static let matchesIDOrName = """
            job.key IN (
                SELECT key FROM apus_job AS job WHERE id >= ? AND id < ? AND \(JobRow.hasNotEnded)
                UNION SELECT key FROM apus_job AS job WHERE id >= ? AND id < ? AND \(JobRow.isNotOpen)
                UNION SELECT job FROM apus_request WHERE name = ?)
            """

        /// The state of the last attempt that has ended; see ``JobQuery/lastEnded``.
        private static let lastEnded = """
            (SELECT run.state FROM apus_run AS run INDEXED BY apus_run_by_job
                WHERE run.job = job.key AND run.claimed IS NOT NULL AND NOT (\(RunRow.isOpen))
                ORDER BY run.sequence DESC LIMIT 1)
            """

        /// Returns the active run, else the last run that began, else the last that ended without an attempt; see
        /// ``JobPage/lastRuns``.
        private static func lastRun(of job: Job, _ axis: ElapsedAxis, on connection: Connection) throws -> Run? {
            for (index, condition) in [
                ("apus_run_open", "\(RunRow.isOpen) AND run.state = 'claimed'"),
                ("apus_run_by_job", "run.claimed IS NOT NULL"), ("apus_run_by_job", "NOT (\(RunRow.isOpen))"),
            ] {
                let found: Run? =
                    try connection.statement(
                        """
                        SELECT \(RunRow.columns) FROM apus_run AS run INDEXED BY \(index)
                        WHERE run.job = ? AND \(condition) ORDER BY run.sequence DESC LIMIT 1
                        """
                    ).bind(job.key).firstRow { row in
                        // A run that cannot be read is left out, as in the page of the job's runs.
                        try? RunRow.read(row, job: job.id, isTriggerRelative: job.isTriggerRelative, axis)
                    } ?? nil
                if let found { return found }
            }
            return nil
        }

        static func runs(_ query: RunQuery, on connection: Connection) throws -> RunPage {
            let limit = try ListPage.size(query.limit)
            var filter = Filter()
            if let cursor = query.cursor {
                let after = try ListPage.position(cursor, prefix: "r")
                filter.add("run.sequence < ?") { $0.bind(after) }
            }
            if let id = query.jobID {
                let key = try StoreReader.key(of: id, on: connection) ?? 0
                filter.add("run.job = ?") { $0.bind(key) }
            }
            if let occurrence = query.occurrence.map(Int64.init) {
                filter.add("run.occurrence <= ? AND run.through >= ?") { $0.bind(occurrence).bind(occurrence) }
            }
            filter.add("run.state", in: query.states.map(\.rawValue).sorted())
            if query.begunOnly { filter.add("run.claimed IS NOT NULL") }
            if let since = query.since {
                filter.add("(run.finished IS NULL OR run.finished >= ?)") { $0.bind(since.stored) }
            }
            try add(query.jobQuery, to: &filter, on: connection)
            // CROSS JOIN makes the runs the outer loop, regardless of SQLite's statistics, so that they are read in the
            // order of the page.
            let statement = filter.bind(
                to: try connection.statement(
                    """
                    SELECT run.sequence, job.id, request.trigger, request.trigger_anchor, request.name, \(RunRow.columns)
                    FROM apus_run AS run CROSS JOIN apus_job AS job ON job.key = run.job
                        CROSS JOIN apus_request AS request ON request.job = run.job \(filter.sql)
                    ORDER BY run.sequence DESC LIMIT ?
                    """))

            let axis = try StoreReader.axis(on: connection)
            var runs: [Run] = []
            var positions: [Int64] = []
            var names: [JobID: String] = [:]
            try statement.bind(Int64(limit + 1)).forEachRow { row in
                positions.append(row.integer())
                let id = JobID(row.text())
                let isRelative = JobRow.isRelative(trigger: row.text(), anchor: row.optionalInteger())
                let name = row.optionalText()
                if positions.count > limit { return }
                guard let run = try? RunRow.read(row, job: id, isTriggerRelative: isRelative, axis) else { return }
                runs.append(run)
                // Several jobs may have had the identifier. The first run is the newest, so its job's name is kept.
                if let name, names[id] == nil { names[id] = name }
            }
            let hasMore = positions.count > limit
            return RunPage(
                runs: runs, names: names, nextCursor: hasMore ? "r\(positions[limit - 1])" : nil)
        }
    }
#endif

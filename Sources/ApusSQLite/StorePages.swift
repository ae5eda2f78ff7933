#if SQLite
    import ApusJobs
    import ApusTimers

    /// Lists, one page at a time. Called on a connection's queue only, inside a transaction.
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

        /// The column of the jobs' order: that of the index which finds them.
        private static func key(_ query: JobQuery) -> String { query.calendarsOnly ? "request.job" : "job.key" }

        /// The rows that match, but for what the query says of pages.
        private static func select(
            _ columns: String, _ query: JobQuery, after: Int64?, _ rest: String, on connection: Connection
        ) throws -> PreparedStatement {
            let states = query.states.map(\.rawValue).sorted()
            let labels = query.labels.sorted { $0.key < $1.key }

            var conditions: [String] = []
            if after != nil { conditions.append("\(key(query)) \(query.newestFirst ? "<" : ">") ?") }
            // In the words of the partial index, and a bound, without which SQLite does not use it.
            if query.calendarsOnly { conditions.append("request.trigger_calendar IS NOT NULL AND request.job > 0") }
            if let prefix = query.idPrefixOrName, !prefix.isEmpty { conditions.append(Self.matchesIDOrName) }
            let names = query.names.sorted()
            if !names.isEmpty {
                let list = names.map { _ in "?" }.joined(separator: ", ")
                conditions.append("job.key IN (SELECT job FROM apus_request WHERE name IN (\(list)))")
            }
            if query.kind != nil { conditions.append("request.kind = ?") }
            let queues = query.queues.sorted()
            if !queues.isEmpty {
                conditions.append("job.queue IN (\(queues.map { _ in "?" }.joined(separator: ", ")))")
            }
            let keys = query.fairnessKeys.sorted()
            if !keys.isEmpty {
                conditions.append("request.fairness_key IN (\(keys.map { _ in "?" }.joined(separator: ", ")))")
            }
            if query.created != nil { conditions.append("job.created >= ? AND job.created < ?") }
            if query.due != nil { conditions.append(Self.isDue) }
            if query.idempotencyKey != nil { conditions.append("request.idempotency_key = ?") }
            if !states.isEmpty {
                conditions.append("job.state IN (\(states.map { _ in "?" }.joined(separator: ", ")))")
                // In the words of the partial index, so that SQLite can use it.
                if query.states.allSatisfy({ !$0.isFinal }) { conditions.append(JobRow.hasNotEnded) }
            }
            for _ in labels {
                conditions.append(JobRow.hasLabel)
            }
            let lastEnded = query.lastEnded.map(\.rawValue).sorted()
            if !lastEnded.isEmpty {
                conditions.append("\(Self.lastEnded) IN (\(lastEnded.map { _ in "?" }.joined(separator: ", ")))")
            }
            let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
            let statement = try connection.statement(
                """
                SELECT \(columns) FROM \(query.calendarsOnly ? JobRow.calendars : JobRow.table) \(filter) \(rest)
                """)
            if let after { statement.bind(after) }
            if let prefix = query.idPrefixOrName, !prefix.isEmpty {
                // No UTF-8 text has the byte 0xFF: it sorts after everything that begins with the prefix.
                let end = Array(prefix.utf8) + [0xFF]
                statement.bind(prefix).bind(rawText: end).bind(prefix).bind(rawText: end).bind(prefix)
            }
            for name in names { statement.bind(name) }
            if let kind = query.kind { statement.bind(kind) }
            for queue in queues { statement.bind(queue.rawValue) }
            for key in keys { statement.bind(key) }
            if let created = query.created {
                statement.bind(created.lowerBound.stored).bind(created.upperBound.stored)
            }
            if let due = query.due {
                let axis = try StoreReader.axis(on: connection)
                statement.bind(axis.encode(due.lowerBound)).bind(axis.encode(due.upperBound))
                statement.bind(due.lowerBound.stored).bind(due.upperBound.stored)
            }
            if let key = query.idempotencyKey { statement.bind(key) }
            for state in states { statement.bind(state) }
            for label in labels { statement.bind(label.key).bind(label.value) }
            for state in lastEnded { statement.bind(state) }
            return statement
        }

        /// The next due instant counts elapsed time for a relative trigger. Parameters: the range in elapsed time, and by the
        /// wall clock.
        private static let isDue = """
            CASE WHEN request.trigger = 'after' OR (request.trigger = 'every' AND request.trigger_anchor IS NULL)
                THEN job.next_due >= ? AND job.next_due < ? ELSE job.next_due >= ? AND job.next_due < ? END
            """

        /// As a set of keys, so that the indexes are used whatever SQLite guesses about the table. Parameters: the range of
        /// the identifiers, twice, and the name.
        private static let matchesIDOrName = """
            job.key IN (
                SELECT key FROM apus_job AS job WHERE id >= ? AND id < ? AND \(JobRow.hasNotEnded)
                UNION SELECT key FROM apus_job AS job WHERE id >= ? AND id < ? AND \(JobRow.isNotOpen)
                UNION SELECT job FROM apus_request WHERE name = ?)
            """

        /// See ``JobQuery/lastEnded``.
        private static let lastEnded = """
            (SELECT run.state FROM apus_run AS run INDEXED BY apus_run_by_job
                WHERE run.job = job.key AND run.claimed IS NOT NULL AND NOT (\(RunRow.isOpen))
                ORDER BY run.sequence DESC LIMIT 1)
            """

        /// See ``JobPage/lastRuns``: what is running, else what began last, else what ended without an attempt.
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
                        // One that cannot be read is left out here, as in the page of the job's runs.
                        try? RunRow.read(row, job: job.id, isTriggerRelative: job.request.trigger.isRelative, axis)
                    } ?? nil
                if let found { return found }
            }
            return nil
        }

        static func runs(_ query: RunQuery, on connection: Connection) throws -> RunPage {
            let limit = try ListPage.size(query.limit)
            let after = try query.cursor.map { try ListPage.position($0, prefix: "r") }
            var conditions: [String] = []
            if after != nil { conditions.append("run.sequence < ?") }
            let key = try query.jobID.map { try StoreReader.key(of: $0, on: connection) ?? 0 }
            if key != nil { conditions.append("run.job = ?") }
            if query.occurrence != nil { conditions.append("run.occurrence <= ? AND run.through >= ?") }
            let states = query.states.map(\.rawValue).sorted()
            if !states.isEmpty {
                conditions.append("run.state IN (\(states.map { _ in "?" }.joined(separator: ", ")))")
            }
            if query.begunOnly { conditions.append("run.claimed IS NOT NULL") }
            if query.since != nil { conditions.append("(run.finished IS NULL OR run.finished >= ?)") }
            let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
            let statement = try connection.statement(
                """
                SELECT run.sequence, job.id, request.trigger, request.trigger_anchor, request.name, \(RunRow.columns)
                FROM apus_run AS run JOIN apus_job AS job ON job.key = run.job
                    JOIN apus_request AS request ON request.job = run.job \(filter)
                ORDER BY run.sequence DESC LIMIT ?
                """)
            if let after { statement.bind(after) }
            if let key { statement.bind(key) }
            if let occurrence = query.occurrence { statement.bind(Int64(occurrence)).bind(Int64(occurrence)) }
            for state in states { statement.bind(state) }
            if let since = query.since { statement.bind(since.stored) }

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
                // Of jobs that had one identifier after another, the newest comes first.
                if let name, names[id] == nil { names[id] = name }
            }
            let hasMore = positions.count > limit
            return RunPage(
                runs: runs, names: names, nextCursor: hasMore ? "r\(positions[limit - 1])" : nil)
        }
    }
#endif

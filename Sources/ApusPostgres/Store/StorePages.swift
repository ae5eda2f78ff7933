#if Postgres
    import ApusJobs
    import ApusTimers

    /// Lists of jobs and runs in pages.
    extension StoreQueries {
        /// The conditions of a query, with their parameters.
        private struct Filter {
            private(set) var parameters: [PostgresValue] = []
            private var conditions: [String] = []

            /// Adds a condition, which has `$` in the place of the parameter.
            mutating func add(_ condition: String, _ parameter: PostgresValue) {
                parameters.append(parameter)
                let number = "$\(parameters.count)"
                conditions.append(
                    condition.unicodeScalars.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
                        .joined(separator: number))
            }

            mutating func add(_ condition: String) { conditions.append(condition) }

            var isEmpty: Bool { conditions.isEmpty }

            var sql: String { conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))" }
        }

        /// Returns the keys of the jobs whose identifier begins with `text` or whose name equals it, found by indexes.
        ///
        /// - Returns: `nil` if there are so many that a page of them is found quickly among all jobs.
        private func keys(meantBy text: String) async throws -> [Int64]? {
            let limit = ListPage.largest
            // This bound is greater than all identifiers with this prefix, because an identifier has at most 300 bytes,
            // and the added characters alone have 300 bytes.
            let end = text + String(repeating: "\u{10FFFF}", count: 75)
            let rows = try await link.read([
                PostgresStatement(
                    """
                    (SELECT key FROM apus.job WHERE id ~>=~ $1 AND id ~<~ $2 LIMIT \(limit + 1))
                    UNION ALL (SELECT job FROM apus.request WHERE name = $1 LIMIT \(limit + 1))
                    """, [.text(text), .text(end)])
            ])[0]
            return rows.count > limit ? nil : try rows.map { try $0.decode(Int64.self, at: 0) }
        }

        /// Returns the conditions of the query, without its page.
        private func filter(_ query: JobQuery) async throws -> Filter {
            var filter = Filter()
            if let prefix = query.idPrefixOrName, !prefix.isEmpty {
                if let keys = try await keys(meantBy: prefix) {
                    filter.add("j.key = ANY ($::int8[])", .array(keys))
                } else {
                    filter.add("(starts_with(j.id, $) OR r.name = $)", .text(prefix))
                }
            }
            if !query.names.isEmpty {
                // The keys are an array, so that the index of names is used whatever the planner estimates about the
                // table.
                filter.add(
                    "j.key = ANY (ARRAY(SELECT n.job FROM apus.request AS n WHERE n.name = ANY ($::text[])))",
                    .array(query.names.sorted()))
            }
            if let kind = query.kind { filter.add("r.kind = $", .text(kind)) }
            if !query.queues.isEmpty {
                filter.add("r.queue = ANY ($::text[])", .array(query.queues.map(\.rawValue).sorted()))
            }
            if !query.fairnessKeys.isEmpty {
                filter.add("r.fairness_key = ANY ($::text[])", .array(query.fairnessKeys.sorted()))
            }
            if let due = query.due {
                filter.add("\(Self.nextDue) >= $::int8", .int64(StoreInstant.encode(due.lowerBound)))
                filter.add("\(Self.nextDue) < $::int8", .int64(StoreInstant.encode(due.upperBound)))
            }
            if let created = query.created {
                filter.add("j.created >= $", .int64(StoreInstant.encode(created.lowerBound)))
                filter.add("j.created < $", .int64(StoreInstant.encode(created.upperBound)))
            }
            if let key = query.idempotencyKey { filter.add("r.idempotency_key = $", .text(key)) }
            if !query.states.isEmpty {
                filter.add("j.state = ANY ($::text[])", .array(query.states.map(\.rawValue).sorted()))
            }
            if query.calendarsOnly { filter.add("r.trigger_calendar IS NOT NULL") }
            if !query.labels.isEmpty {
                filter.add("\(JobColumns.labels) @> $::jsonb", .text(LabelsJSON.encode(query.labels)))
            }
            if !query.lastEnded.isEmpty {
                filter.add("\(Self.lastEnded) = ANY ($::text[])", .array(query.lastEnded.map(\.rawValue).sorted()))
            }
            return filter
        }

        func count(_ query: JobQuery) async throws -> Int {
            let filter = try await filter(query)
            let statement = PostgresStatement(
                "SELECT count(*) FROM \(JobColumns.table) \(filter.sql)", filter.parameters, isPrepared: false)
            return Int(try await link.read([statement])[0][0].decode(Int64.self, at: 0))
        }

        func jobs(_ query: JobQuery) async throws -> JobPage {
            let limit = try ListPage.size(query.limit)
            var filter = try await filter(query)
            if let after = query.cursor {
                let position = try ListPage.position(after, prefix: "j")
                filter.add(query.newestFirst ? "j.key < $" : "j.key > $", .int64(position))
            }
            let results = try await link.read(
                [
                    PostgresStatement("SELECT elapsed_offset FROM apus.clock"),
                    PostgresStatement(
                        """
                        SELECT \(JobColumns.selected) FROM \(JobColumns.table) \(filter.sql)
                        ORDER BY j.key\(query.newestFirst ? " DESC" : "") LIMIT \(limit + 1)
                        """, filter.parameters, isPrepared: false),
                ], isSnapshot: true)
            let axis = try Self.axis(of: results[0])
            var (jobs, unreadable): ([Job], [UnreadableJob]) = ([], [])
            var last: Int64?
            for row in results[1].prefix(limit) {
                var row = RowReader(row)
                do {
                    let job = try JobColumns.read(&row, axis).job
                    jobs.append(job)
                    last = job.key
                } catch let job as UnreadableJob {
                    unreadable.append(job)
                    last = job.key
                }
            }
            return JobPage(
                jobs: jobs,
                lastRuns: query.includesLastRuns ? try await lastRuns(of: jobs, axis) : jobs.map { _ in nil },
                unreadable: unreadable, nextCursor: results[1].count > limit ? last.map { "j\($0)" } : nil)
        }

        /// Returns the jobs with the earliest wakes, which it selects from the first jobs of each lane on each of the
        /// two clocks.
        func soonest(limit: Int) async throws -> [Job] {
            let results = try await link.read(
                [false, true].map { isElapsed in
                    PostgresStatement(
                        """
                        WITH RECURSIVE \(Self.lanes("l", isElapsed: isElapsed))
                        SELECT o.key FROM l, LATERAL (
                            SELECT w.key, w.instant FROM apus.wake AS w
                            WHERE w.elapsed = \(isElapsed) AND w.lane = l.lane ORDER BY w.instant, w.key LIMIT $1) AS o
                        ORDER BY o.instant, o.key LIMIT $1
                        """, [.int64(Int64(limit))])
                }, isSnapshot: true)
            let keys = Set(try results.flatMap { try $0.map { try $0.decode(Int64.self, at: 0) } })
            return JobPage.soonest(try await load(Array(keys)).readable.map(\.job), limit: limit)
        }

        /// The state of the last attempt that has ended; see ``JobQuery/lastEnded``.
        ///
        /// It is found by the index of the job's runs, as in ``runs(_:)``.
        private static let lastEnded = """
            (SELECT e.state FROM apus.run AS e WHERE e.job = j.key AND e.claimed IS NOT NULL
                ORDER BY e.sequence + 0 DESC LIMIT 1)
            """

        /// The next due instant in nanoseconds on the wall clock, to which the elapsed time of a relative trigger is
        /// converted.
        ///
        /// It is a `numeric`, so the sum cannot overflow.
        private static let nextDue = """
            (j.next_due::numeric + CASE WHEN r.trigger = 'after' OR r.trigger = 'every' AND r.trigger_anchor IS NULL
                THEN coalesce((SELECT c.elapsed_offset FROM apus.clock AS c), 0) ELSE 0 END)
            """

        private static func axis(of rows: PostgresRows) throws -> ElapsedAxis {
            guard let row = rows.first else { return ElapsedAxis(nil) }
            return ElapsedAxis(
                StoreClock(
                    bootID: nil, wallOffset: .zero, elapsedOffset: .nanoseconds(try row.decode(Int64.self, at: 0))))
        }

        /// Returns for each job the active run, else the last run that began, else the last that ended without an
        /// attempt; see ``JobPage/lastRuns``.
        private func lastRuns(of jobs: [Job], _ axis: ElapsedAxis) async throws -> [Run?] {
            if jobs.isEmpty { return [] }
            let runs =
                ["open_run", "run"].map {
                    "SELECT \(RunColumns.selected(of: "r")), r.sequence FROM apus.\($0) AS r WHERE r.job = i.key"
                }.joined(separator: " UNION ALL ")
            let rows = try await link.read([
                PostgresStatement(
                    """
                    SELECT \(RunColumns.selected(of: "o")) FROM unnest($1::int8[]) AS i (key), LATERAL (
                        SELECT * FROM (\(runs)) AS r WHERE r.state <> 'waiting' OR r.claimed IS NOT NULL ORDER BY
                            CASE WHEN r.state = 'claimed' THEN 1 WHEN r.claimed IS NOT NULL THEN 2 ELSE 3 END,
                            r.sequence DESC
                        LIMIT 1) AS o
                    """, [.array(jobs.map(\.key))])
            ])[0]
            var found: [Int64: Run] = [:]
            let byKey = Dictionary(jobs.map { ($0.key, $0) }) { first, _ in first }
            for row in rows {
                let key: Int64 = try row.decode(at: 0)
                guard let job = byKey[key] else { continue }
                var row = RowReader(row)
                // A run that cannot be read is left out, as in the page of the job's runs.
                do {
                    found[key] = try RunColumns.read(
                        &row, job: job.id, isTriggerRelative: job.isTriggerRelative, axis)
                } catch is StoredProblem {}
            }
            return jobs.map { found[$0.key] }
        }

        func runs(_ query: RunQuery) async throws -> RunPage {
            let limit = try ListPage.size(query.limit)
            var filter = try await filter(query.jobQuery)
            // The job of a run is joined only if a condition needs it.
            let jobs =
                filter.isEmpty ? "" : " JOIN apus.job AS j ON j.key = o.job JOIN apus.request AS r ON r.job = o.job"
            if let after = query.cursor {
                filter.add("o.sequence < $", .int64(try ListPage.position(after, prefix: "r")))
            }
            if let id = query.jobID { filter.add("o.job = \(Self.keyOfID("$"))", .text(id.rawValue)) }
            if let occurrence = query.occurrence {
                filter.add("$ BETWEEN o.occurrence AND o.through", .int64(Int64(occurrence)))
            }
            if !query.states.isEmpty {
                filter.add("o.state = ANY ($::text[])", .array(query.states.map(\.rawValue).sorted()))
            }
            if query.begunOnly { filter.add("o.claimed IS NOT NULL") }
            if let since = query.since {
                filter.add("(o.finished IS NULL OR o.finished >= $)", .int64(StoreInstant.encode(since)))
            }
            // Each of the two tables is read by its own index, and the results are merged. For one job, `+ 0` makes
            // PostgreSQL use the index of the job's runs, because in the order of all runs those of the job may be far
            // apart.
            let order = query.jobID == nil ? "o.sequence" : "o.sequence + 0"
            let tables = ["open_run", "run"].map { table in
                """
                (SELECT \(RunColumns.selected(of: "o")), o.sequence FROM apus.\(table) AS o\(jobs) \(filter.sql)
                ORDER BY \(order) DESC LIMIT \(limit + 1))
                """
            }
            let results = try await link.read(
                [
                    PostgresStatement("SELECT elapsed_offset FROM apus.clock"),
                    PostgresStatement(
                        """
                        SELECT \(RunColumns.selected(of: "o")), o.sequence, j.id, r.trigger, r.trigger_anchor,
                            r.name
                        FROM (\(tables.joined(separator: " UNION ALL "))) AS o
                        JOIN apus.job AS j ON j.key = o.job JOIN apus.request AS r ON r.job = o.job
                        ORDER BY o.sequence DESC LIMIT \(limit + 1)
                        """, filter.parameters, isPrepared: false),
                ], isSnapshot: true)
            let axis = try Self.axis(of: results[0])
            let count = RunColumns.all.count
            var runs: [Run] = []
            var names: [JobID: String] = [:]
            for row in results[1].prefix(limit) {
                let isRelative = JobColumns.isRelative(
                    trigger: try row.decode(at: count + 2), anchor: try row.decodeIfPresent(at: count + 3))
                var reader = RowReader(row)
                let id = JobID(try row.decode(String.self, at: count + 1))
                do {
                    runs.append(try RunColumns.read(&reader, job: id, isTriggerRelative: isRelative, axis))
                } catch is StoredProblem { continue }
                // If several jobs have had the identifier, the first run is that of the newest one.
                if names[id] == nil, let name: String = try row.decodeIfPresent(at: count + 4) { names[id] = name }
            }
            let last = results[1].count > limit ? results[1][limit - 1] : nil
            return RunPage(
                runs: runs, names: names,
                nextCursor: try last.map { "r\(try $0.decode(Int64.self, at: count))" })
        }
    }
#endif

#if Postgres
    package import ApusJobs
    package import ApusTimers
    package import Logging

    /// Inspects a database's jobs, and migrates its schema, also while nodes run.
    package final class PostgresInspection: StoreInspection {
        private let keeper: SchemaKeeper
        private var link: ServerLink { keeper.link }

        package init(
            _ configuration: PostgresConfiguration, engine: TimerEngine = .shared,
            logger: Logger = Logger(label: "apus.postgres"), migrations: StoreMigrations = .shipped
        ) {
            var configuration = configuration
            // The queries read all rows, so they have no time limits.
            configuration.statementTimeout = nil
            configuration.answerTimeout = nil
            keeper = SchemaKeeper(
                link: ServerLink(configuration, engine: engine, logger: logger), migrations: migrations)
        }

        /// Closes the connection, which is opened again when it is needed.
        package func disconnect() async { await link.disconnect() }

        private func mapErrors<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
            do { return try await body() } catch let error as PostgresError { throw error.jobError }
        }

        // MARK: Migrations

        /// A version of the schema, with the statements that migrate a database to it.
        package struct Migration: Sendable {
            package var version: Int
            package var statements: [String]
            /// The oldest version of programs that can use the migrated schema; see
            /// ``StoreMigrations/Version/compatibleWith``.
            package var compatibleWith: Int
        }

        /// Returns the migrations that ``migrate()`` would apply, and whether running nodes must be stopped first.
        package func pendingMigrations() async throws -> (
            current: Int, migrations: [Migration], endsOlderPrograms: Bool
        ) {
            try await mapErrors {
                let state = try await self.keeper.state()
                if state.version >= self.keeper.migrations.newest { try self.keeper.check(state) }
                let missing = self.keeper.missing(in: state).enumerated().map { index, version in
                    Migration(
                        version: state.version + index + 1, statements: version.statements.map(self.link.schema.text),
                        compatibleWith: version.compatibleWith)
                }
                return (state.version, missing, self.keeper.endsOlderPrograms(from: state))
            }
        }

        /// Migrates the schema to the newest version that this program knows.
        ///
        /// - Throws: ``JobError`` with `owned`, `newerSchema` or `unavailable`.
        package func migrate() async throws { try await mapErrors { try await self.keeper.migrate { _ in } } }

        // MARK: Status

        package func status() async throws -> StoreStatus {
            try await mapErrors {
                let schema = try await self.schema()
                let results = try await self.link.read(
                    [
                        PostgresStatement("SELECT state, count(*) FROM apus.job GROUP BY state"),
                        PostgresStatement(
                            """
                            SELECT (SELECT count(*) FROM apus.open_run WHERE state = 'waiting'),
                                (SELECT count(*) FROM apus.open_run WHERE state = 'claimed'),
                                (SELECT count(*) FROM apus.run), (SELECT count(*) FROM apus.submission),
                                (SELECT count(*) FROM apus.refusal), (
                                    SELECT count(*) FROM apus.set_aside AS s
                                    JOIN apus.job AS j ON j.key = s.job AND j.version = s.version),
                                (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 FROM pg_class AS c
                                    WHERE c.relnamespace = 'apus'::regnamespace AND c.relkind IN ('r', 'p'))
                            """),
                        PostgresStatement(
                            """
                            SELECT n.name, (SELECT count(*) FROM apus.shard AS s WHERE s.node = n.id),
                                \(self.link.schema.isLocked("n.id"))
                            FROM apus.node AS n WHERE n.ended IS NULL ORDER BY n.id
                            """),
                        StoreQueries.selectSetAside(after: 0, limit: 5),
                    ], isSnapshot: true)
                var jobs: [JobState: Int] = [:]
                for row in results[0] {
                    guard let state = JobState(rawValue: try row.decode(at: 0)) else { continue }
                    jobs[state] = Int(try row.decode(Int64.self, at: 1))
                }
                var row = RowReader(results[1][0])
                let (waiting, claimed, ended) = (try row.int(), try row.int(), try row.int())
                let (submissions, refusals, setAside) = (try row.int(), try row.int(), try row.int())
                let first = try await StoreQueries(link: self.link).soonest(limit: 10).first
                return StoreStatus(
                    schema: schema.version, newestSchema: self.keeper.migrations.newest, bytes: try row.next(),
                    jobs: jobs, waitingRuns: waiting, claimedRuns: claimed, endedRuns: ended, submissions: submissions,
                    refusals: refusals, setAsideCount: setAside,
                    setAside: try StoreQueries.setAside(of: results[3]), earliestWake: first?.nextWake,
                    nodes: try results[2].map {
                        StoreStatus.Node(
                            name: try $0.decode(at: 0), shards: Int(try $0.decode(Int64.self, at: 1)),
                            isConnected: try $0.decode(at: 2))
                    })
            }
        }

        /// Returns the state of the schema.
        ///
        /// - Throws: ``JobError`` with `notFound` if there is no schema, or with `newerSchema`.
        private func schema() async throws -> StoreSchemaState {
            let state = try await keeper.state()
            guard state.version > 0 else {
                throw JobError(
                    code: .notFound, message: "the database has no jobs: there is no schema \(link.schema) in it")
            }
            guard state.compatibleWith <= keeper.migrations.newest else {
                try keeper.check(state)
                return state
            }
            return state
        }

        // MARK: Check

        package func check() async throws -> [StoreFinding] {
            try await mapErrors {
                _ = try await self.schema()
                let results = try await self.link.read(
                    Self.rules.map { PostgresStatement($0.sql, isPrepared: false) }, isSnapshot: true)
                var findings = try zip(Self.rules, results).compactMap { rule, rows in
                    rule.finding(
                        try rows.map { (Int(try $0.decode(Int64.self, at: 0)), try $0.decode(String.self, at: 1)) })
                }
                if let unreadable = try await self.unreadableRows().finding { findings.append(unreadable) }
                return findings
            }
        }

        /// Reads every row of jobs and runs, page by page, and returns those that cannot be read.
        private func unreadableRows() async throws -> UnreadableRows {
            let axis = ElapsedAxis(try StoreQueries.clock(of: try await link.read([StoreQueries.selectClock])[0]))
            var unreadable = UnreadableRows()
            func add(_ rows: PostgresRows) throws {
                for row in rows {
                    var reader = RowReader(row)
                    let id = try row.decode(String.self, at: RunColumns.all.count)
                    do {
                        _ = try RunColumns.read(&reader, job: JobID(id), isTriggerRelative: false, axis)
                    } catch let problem as StoredProblem {
                        unreadable.add("a run of \(id): \(problem.text)")
                    }
                }
            }
            var key: Int64 = 0
            while true {
                let rows = try await page(
                    """
                    SELECT \(JobColumns.selected) FROM \(JobColumns.table) WHERE j.key > $1 ORDER BY j.key LIMIT $2
                    """, key)
                let keys = try rows.map { try $0.decode(Int64.self, at: 0) }
                guard let last = keys.last else { break }
                key = last
                for row in rows {
                    var row = RowReader(row)
                    do { _ = try JobColumns.read(&row, axis) } catch let job as UnreadableJob { unreadable.add(job) }
                }
                try add(
                    try await link.read([
                        PostgresStatement(
                            """
                            SELECT \(RunColumns.selected(of: "o")), j.id
                            FROM apus.open_run AS o JOIN apus.job AS j ON j.key = o.job WHERE o.job = ANY ($1::int8[])
                            """, [.array(keys)])
                    ])[0])
            }
            var sequence: Int64 = 0
            while true {
                let rows = try await page(
                    """
                    SELECT \(RunColumns.selected(of: "o")), coalesce(j.id, 'no job'), o.sequence
                    FROM (SELECT * FROM apus.run WHERE sequence > $1 ORDER BY sequence LIMIT $2) AS o
                    LEFT JOIN apus.job AS j ON j.key = o.job ORDER BY o.sequence
                    """, sequence)
                guard let last = rows.last else { return unreadable }
                sequence = try last.decode(at: RunColumns.all.count + 1)
                try add(rows)
            }
        }

        private func page(_ sql: String, _ position: Int64) async throws -> PostgresRows {
            try await link.read([PostgresStatement(sql, [.int64(position), .int64(1_000)])])[0]
        }

        private static let jobName = "j.id || ' (key ' || j.key || ')'"

        static let rules: [StoreRule] = [
            StoreRule(
                "each instant at which a job is examined is among the wakes",
                violations: """
                    SELECT \(jobName) AS subject FROM apus.job AS j JOIN apus.request AS r ON r.job = j.key, LATERAL (
                        SELECT \(JobColumns.lane) AS lane) AS l
                    WHERE j.wake IS NOT NULL AND NOT EXISTS (
                            SELECT 1 FROM apus.wake AS w WHERE NOT w.elapsed AND w.lane = l.lane
                                AND w.instant = j.wake AND w.key = j.key)
                        OR j.elapsed_wake IS NOT NULL AND NOT EXISTS (
                            SELECT 1 FROM apus.wake AS w WHERE w.elapsed AND w.lane = l.lane
                                AND w.instant = j.elapsed_wake AND w.key = j.key)
                    """),
            StoreRule(
                "each wake agrees with its job",
                violations: """
                    SELECT 'key ' || w.key || ' at ' || w.instant AS subject FROM apus.wake AS w
                    LEFT JOIN apus.job AS j ON j.key = w.key LEFT JOIN apus.request AS r ON r.job = w.key
                    WHERE j.key IS NULL OR r.job IS NULL
                        OR w.instant IS DISTINCT FROM CASE WHEN w.elapsed THEN j.elapsed_wake ELSE j.wake END
                        OR (w.shard, w.lane) <> (j.shard, \(JobColumns.lane))
                    """),
            StoreRule(
                "a job counts its open runs",
                violations: """
                    SELECT \(jobName) || ': ' || j.open_runs || ', not ' || coalesce(o.count, 0) AS subject FROM apus.job AS j
                    LEFT JOIN (SELECT job, count(*) FROM apus.open_run GROUP BY job) AS o ON o.job = j.key
                    WHERE j.open_runs <> coalesce(o.count, 0)
                    """),
            StoreRule(
                "an identifier belongs to one job that has not ended",
                violations: """
                    SELECT j.id AS subject FROM apus.job AS j WHERE \(JobColumns.hasNotEnded) GROUP BY j.id HAVING count(*) > 1
                    """),
            StoreRule(
                "kind and content belong to at most one unique job that has not ended",
                violations: """
                    SELECT r.kind || ' (key ' || min(r.job) || ')' AS subject FROM apus.request AS r WHERE r.unique_payload = 1
                    GROUP BY r.kind, \(JobColumns.content("r")) HAVING count(*) > 1
                    """),
            StoreRule(
                "what is unique by its content counts until it ends",
                violations: """
                    SELECT \(jobName) AS subject FROM apus.job AS j JOIN apus.request AS r ON r.job = j.key
                    WHERE r.unique_payload = CASE WHEN \(JobColumns.hasNotEnded) THEN 2 ELSE 1 END
                    """),
            StoreRule(
                "an idempotency key belongs to one job",
                violations: """
                    SELECT r.idempotency_key AS subject FROM apus.request AS r WHERE r.idempotency_key IS NOT NULL
                    GROUP BY r.idempotency_key HAVING count(*) > 1
                    """),
            StoreRule(
                "an occurrence has one outcome",
                violations: """
                    SELECT 'key ' || a.job || ', occurrence ' || b.occurrence AS subject FROM apus.run AS a
                    JOIN apus.run AS b ON b.job = a.job AND b.final
                        AND b.occurrence > a.occurrence AND b.occurrence <= a.through
                    WHERE a.final AND a.through > a.occurrence
                    UNION ALL
                    SELECT 'key ' || r.job || ', occurrence ' || r.occurrence FROM apus.run AS r WHERE r.final
                    GROUP BY r.job, r.occurrence HAVING count(*) > 1
                    """),
            StoreRule(
                "a run is open or over, not both",
                violations: """
                    SELECT 'key ' || o.job || ', occurrence ' || o.occurrence || ', attempt ' || o.attempt AS subject
                    FROM apus.open_run AS o JOIN apus.run AS r USING (job, occurrence, attempt)
                    """),
            StoreRule(
                "an occurrence that has an outcome has no open run",
                violations: """
                    SELECT 'key ' || o.job || ', occurrence ' || o.occurrence AS subject FROM apus.open_run AS o
                    JOIN apus.run AS r ON r.job = o.job AND r.occurrence = o.occurrence AND r.final
                    """),
            StoreRule(
                "jobs have requests, and requests and runs have jobs",
                violations: """
                    SELECT \(jobName) || ' has no request' AS subject FROM apus.job AS j
                    WHERE NOT EXISTS (SELECT 1 FROM apus.request AS r WHERE r.job = j.key)
                    UNION ALL
                    SELECT 'the request of key ' || r.job || ' has no job' FROM apus.request AS r
                    WHERE NOT EXISTS (SELECT 1 FROM apus.job AS j WHERE j.key = r.job)
                    UNION ALL
                    SELECT DISTINCT 'runs of key ' || o.job || ' have no job'
                    FROM (SELECT job FROM apus.open_run UNION ALL SELECT job FROM apus.run) AS o
                    WHERE NOT EXISTS (SELECT 1 FROM apus.job AS j WHERE j.key = o.job)
                    """),
            StoreRule(
                "there are the shards 0 to \(StoreSchema.shards - 1), and jobs and submissions are in one of them",
                violations: """
                    SELECT 'shard ' || coalesce(s.id, g.id) AS subject FROM apus.shard AS s
                    FULL JOIN generate_series(0, \(StoreSchema.shards - 1)) AS g (id) ON g.id = s.id
                    WHERE s.id IS NULL OR g.id IS NULL
                    UNION ALL
                    SELECT \(jobName) FROM apus.job AS j
                    WHERE NOT EXISTS (SELECT 1 FROM apus.shard AS s WHERE s.id = j.shard)
                    UNION ALL
                    SELECT 'submission ' || o.sequence FROM apus.submission AS o
                    WHERE NOT EXISTS (SELECT 1 FROM apus.shard AS s WHERE s.id = o.shard)
                    """),
            StoreRule(
                "the owner of a shard is a node that has not ended",
                violations: """
                    SELECT 'shard ' || s.id AS subject FROM apus.shard AS s LEFT JOIN apus.node AS n ON n.id = s.node
                    WHERE s.node IS NOT NULL AND (n.id IS NULL OR n.ended IS NOT NULL)
                    """),
            StoreRule(
                "jobs that have ended are found by the instant until which they are kept",
                violations: """
                    SELECT \(jobName) AS subject FROM apus.job AS j
                    WHERE NOT \(JobColumns.hasNotEnded) AND j.open_runs = 0 AND NOT EXISTS (
                        SELECT 1 FROM apus.ended AS e
                        WHERE e.kept_until = j.kept_until AND j.key = ANY (e.keys))
                    """),
            StoreRule(
                "a number is given only once",
                violations: """
                    SELECT 'apus.job_key' AS subject WHERE
                        (SELECT max(key) FROM apus.job) > coalesce(pg_sequence_last_value('apus.job_key'), 0)
                    UNION ALL
                    SELECT 'apus.run_sequence' WHERE
                        (SELECT max(sequence) FROM (
                            SELECT max(sequence) AS sequence FROM apus.run
                            UNION ALL SELECT max(sequence) FROM apus.open_run) AS r)
                        > coalesce(pg_sequence_last_value('apus.run_sequence'), 0)
                    """),
        ]
    }
#endif

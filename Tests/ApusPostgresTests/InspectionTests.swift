#if Postgres && SQLite
    import ApusJobs
    @testable import ApusPostgres
    import ApusSQLite
    import ApusVirtualTime
    import ApusTimers
    import PostgresTestServer
    import Testing

    @Suite("The inspection of a database")
    struct InspectionTests {
        /// Gives `body` a database with the jobs of a seed.
        private func withJobs(_ body: (PostgresConfiguration) async throws -> Void) async throws {
            try await withFolder { folder in
                try await withDatabase { database in
                    let path = "\(folder)/a.db"
                    let store = SQLiteStore(path: path)
                    let session = try await store.open(as: NodeID(rawValue: "source"))
                    let random = RandomStore(seed: 11)
                    _ = try await store.commit(
                        StoreTurn(
                            parts: random.changes(80).map { [$0] }, clock: RandomStore.clock, queues: random.queues()),
                        in: session)
                    try await store.close(session)
                    let copy = StoreCopy(from: CopyableSQLiteStore(path: path), to: CopyablePostgresStore(database))
                    _ = try await copy.run { _ in }
                    try await body(database)
                }
            }
        }

        private func findings(_ database: PostgresConfiguration) async throws -> [StoreFinding] {
            let inspection = PostgresInspection(database)
            do {
                let findings = try await inspection.check()
                await inspection.disconnect()
                return findings
            } catch {
                await inspection.disconnect()
                throw error
            }
        }

        /// For each rule, the statements that break it.
        ///
        /// They first drop the indexes that would prevent the damage.
        private static let damages: [(rule: String, sql: [String])] = [
            ("each instant at which", ["DELETE FROM apus.wake WHERE key = (SELECT min(key) FROM apus.wake)"]),
            (
                "each wake agrees",
                ["UPDATE apus.wake SET shard = 255 - shard WHERE key = (SELECT min(key) FROM apus.wake)"]
            ),
            (
                "a job counts",
                ["UPDATE apus.job SET open_runs = open_runs + 1 WHERE key = (SELECT max(key) FROM apus.job)"]
            ),
            (
                "an identifier belongs",
                [
                    "DROP INDEX apus.job_id_unique",
                    """
                    UPDATE apus.job SET id = 'twice' WHERE key IN (
                        SELECT key FROM apus.job WHERE state = 'suspended' ORDER BY key LIMIT 2)
                    """,
                ]
            ),
            (
                "kind and content belong",
                [
                    "DROP INDEX apus.request_unique",
                    """
                    UPDATE apus.request SET unique_payload = 1, kind = 'x', payload = 'y' WHERE job IN (
                        SELECT key FROM apus.job WHERE state = 'suspended' ORDER BY key LIMIT 2)
                    """,
                ]
            ),
            (
                "what is unique",
                [
                    """
                    UPDATE apus.request SET unique_payload = 1, kind = 'alone' WHERE job = (
                        SELECT key FROM apus.job WHERE state = 'finished' ORDER BY key LIMIT 1)
                    """
                ]
            ),
            (
                "an idempotency key",
                [
                    "DROP INDEX apus.request_idempotency_key",
                    "UPDATE apus.request SET idempotency_key = 'same' WHERE job IN (SELECT key FROM apus.job ORDER BY key LIMIT 2)",
                ]
            ),
            (
                "an occurrence has one outcome",
                ["UPDATE apus.run SET through = 10000, occurrence = -10000 WHERE state = 'skipped'"]
            ),
            (
                "a run is open or over",
                [
                    """
                    INSERT INTO apus.run SELECT job, occurrence, attempt, through, lost_before, due, stands_for, 'failed',
                        false, reason, not_before, claimed, started, finished, exit_code, output, result, progress,
                        progress_message, sequence + 100000 FROM apus.open_run LIMIT 1
                    """
                ]
            ),
            (
                "an occurrence that has an outcome",
                [
                    """
                    INSERT INTO apus.run SELECT job, occurrence, attempt + 5, through, lost_before, due, stands_for,
                        'failed', true, reason, not_before, claimed, started, finished, exit_code, output, result,
                        progress, progress_message, sequence + 100000 FROM apus.open_run LIMIT 1
                    """
                ]
            ),
            ("jobs have requests", ["DELETE FROM apus.request WHERE job = (SELECT max(job) FROM apus.request)"]),
            (
                "there are the shards",
                ["DELETE FROM apus.shard WHERE id = 3", "INSERT INTO apus.shard (id) VALUES (300)"]
            ),
            (
                "the owner of a shard",
                [
                    "INSERT INTO apus.node (name, ended) VALUES ('dead', now())",
                    "UPDATE apus.shard SET node = (SELECT max(id) FROM apus.node) WHERE id = 9",
                ]
            ),
            ("jobs that have ended", ["UPDATE apus.ended SET keys = keys[2:] WHERE sequence = 1"]),
            ("a number is given only once", ["SELECT setval('apus.job_key', 1)"]),
        ]

        @Test("an undamaged store passes the check")
        func allIsWell() async throws {
            try await withJobs { database in
                let found = try await findings(database)
                #expect(found.isEmpty)
            }
        }

        @Test("the check finds a violation of each rule")
        func damages() async throws {
            #expect(Self.damages.count == PostgresInspection.rules.count)
            try await withJobs { database in
                for (rule, sql) in Self.damages {
                    // Each damage gets its own copy of the database.
                    let name = uniqueName("damaged")
                    let original = try #require(database["dbname"])
                    try await withConnection { try await $0.run("CREATE DATABASE \(name) TEMPLATE \(original)") }
                    var damaged = database
                    damaged.set("dbname", to: name)
                    try await withConnection(damaged) { connection in
                        for statement in sql { try await connection.run(statement) }
                    }
                    let found = try await findings(damaged)
                    #expect(
                        found.contains { $0.rule.hasPrefix(rule) && $0.count > 0 && !$0.examples.isEmpty }, "\(rule)")
                    try await withConnection { try await $0.run("DROP DATABASE \(name) WITH (FORCE)") }
                }
            }
        }

        @Test("the status counts jobs, runs and nodes, and shows the next wake")
        func status() async throws {
            try await withJobs { database in
                let store = PostgresStore(patient: database)
                let session = try await store.open(as: NodeID(rawValue: "node one"))
                let inspection = PostgresInspection(database)
                let status = try await inspection.status()
                await inspection.disconnect()
                #expect(status.nodes == [.init(name: "node one", shards: 256, isConnected: true)])
                #expect((status.schema, status.newestSchema) == (7, 7))
                #expect(status.bytes > 100_000)
                var (jobs, next): ([Job], String?) = ([], nil)
                repeat {
                    let page = try await store.jobs(JobQuery(limit: 50, cursor: next))
                    jobs += page.jobs
                    next = page.nextCursor
                } while next != nil
                #expect(status.jobs == Dictionary(grouping: jobs, by: \.state).mapValues(\.count))
                #expect(status.waitingRuns + status.claimedRuns == jobs.map(\.openRunCount).reduce(0, +))
                #expect(status.earliestWake == jobs.compactMap(\.nextWake).min())
                try await store.close(session)
            }
        }

        @Test("an empty database has no store to inspect")
        func empty() async throws {
            try await withDatabase { database in
                let error = await #expect(throws: JobError.self) { _ = try await findings(database) }
                #expect(error?.code == .notFound)
            }
        }
    }
#endif

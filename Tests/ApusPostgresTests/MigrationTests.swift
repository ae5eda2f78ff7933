#if Postgres
    import ApusJobs
    import ApusTestSupport
    @testable import ApusPostgres
    import ApusVirtualTime
    import ApusTimers
    import Logging
    import Testing

    @Suite("Migrations of the schema", .timeLimit(.minutes(10)))
    struct MigrationTests {
        /// The shipped versions and an additive one.
        private static let adding = StoreMigrations(
            StoreMigrations.shipped.versions + [
                .init(
                    ["ALTER TABLE apus.node ADD COLUMN zone text"],
                    compatibleWith: StoreMigrations.shipped.compatibleWith)
            ])
        /// The shipped versions and one that breaks older programs.
        private static let breaking = StoreMigrations(
            StoreMigrations.shipped.versions + [
                .init(
                    ["ALTER TABLE apus.clock RENAME COLUMN boot_id TO boot"],
                    compatibleWith: StoreMigrations.shipped.newest + 1)
            ])

        private func store(
            _ configuration: PostgresConfiguration, _ migrations: StoreMigrations = .shipped
        ) -> PostgresStore {
            PostgresStore(
                configuration, engine: .shared, logger: Logger(label: "apus.tests.store"), migrations: migrations,
                timing: .patient)
        }

        private func keeper(
            _ configuration: PostgresConfiguration, _ migrations: StoreMigrations = .shipped
        ) -> SchemaKeeper {
            SchemaKeeper(
                link: ServerLink(configuration, engine: .shared, logger: Logger(label: "apus.tests.schema")),
                migrations: migrations)
        }

        private func error(_ body: () async throws -> Void) async -> JobError? {
            do { try await body() } catch { return error as? JobError }
            return nil
        }

        private func open(_ store: PostgresStore) async throws -> StoreSession {
            try await store.open(as: NodeID(rawValue: "node"))
        }

        @Test("nodes that open an empty database at the same time create one schema")
        func atOnce() async throws {
            try await withDatabase { database in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        group.addTask {
                            let keeper = keeper(database, Self.adding)
                            try await keeper.prepare()
                            await keeper.link.disconnect()
                        }
                    }
                    try await group.waitForAll()
                }
                let versions = try await withConnection(database) {
                    try await $0.query("SELECT version, compatible_with FROM apus.schema_version ORDER BY version")
                        .map { [try $0.decode(Int32.self, at: 0), try $0.decode(Int32.self, at: 1)] }
                }
                #expect(versions == [[1, 1], [2, 2], [3, 2], [4, 4], [5, 5], [6, 6], [7, 7], [8, 7]])
            }
        }

        @Test("an older schema is not changed by a program that opens it, and the error says what to run")
        func notSilently() async throws {
            try await withDatabase { database in
                try await keeper(database).prepare()
                let error = await error { _ = try await open(store(database, Self.adding)) }
                #expect(error?.code == .unavailable)
                #expect(error?.message.contains("apus store migrate --store") == true)
                #expect(try await keeper(database).state() == StoreSchemaState(version: 7, compatibleWith: 7))
            }
        }

        @Test("after an additive migration, a running node of the previous version continues, and another one can join")
        func rollingUpgrade() async throws {
            try await withDatabase { database in
                let old = JobScheduler(store: store(database))
                // A node owns shards only if it has a handler.
                old.register("k") { _ in }
                try await old.start()
                try await keeper(database, Self.adding).migrate { _ in }
                try await old.submit(JobRequest(id: "a", kind: "k", trigger: .after(.zero)))
                #expect(try await old.outcome(of: JobID("a"))?.state == .succeeded)
                let new = store(database, Self.adding)
                let joined = try await open(new)
                #expect(!joined.shards.isEmpty)
                try await new.close(joined)
                await old.stop(grace: .zero)
                // Another node of the previous version joins.
                let last = store(database)
                try await last.close(try await open(last))
            }
        }

        @Test("after a breaking migration, older programs are refused and change nothing")
        func newerSchema() async throws {
            try await withDatabase { database in
                try await keeper(database).prepare()
                try await keeper(database, Self.breaking).migrate { _ in }
                let error = await error { _ = try await open(store(database)) }
                #expect(error?.code == .newerSchema)
                #expect(error?.message.contains("must know version 8 at least; this one knows 7") == true)
                try await keeper(database, Self.breaking).prepare()
            }
        }

        @Test("a migration that breaks older programs waits until they are stopped")
        func breakingNeedsStop() async throws {
            try await withDatabase { database in
                let old = store(database)
                let session = try await open(old)
                let new = keeper(database, Self.breaking)
                let error = await error { try await new.migrate { _ in } }
                #expect(error?.code == .owned)
                #expect(error?.message.contains("and these run: node") == true)
                try await old.close(session)
                try await new.migrate { _ in }
                #expect(try await new.state().version == 8)
            }
        }

        @Test("a node that has read the old version before a breaking migration does not join after it")
        func joinsAcross() async throws {
            try await withDatabase { database in
                let old = store(database)
                try await keeper(database).prepare()
                // The node passes the check of the version, and then its row waits for the lock that a migration holds.
                try await withConnection(database) { blocker in
                    try await blocker.run("SELECT pg_advisory_lock(1, 1)")
                    try await blocker.run(
                        """
                        CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN PERFORM pg_advisory_xact_lock(1, 1); RETURN new; END $$
                        """,
                        "CREATE TRIGGER hold BEFORE INSERT ON apus.node FOR EACH ROW EXECUTE FUNCTION public.hold()")
                    let joining = Task { await error { _ = try await open(old) } }
                    // The query covers this database only, because other tests wait for locks in theirs.
                    try await until("the node's row waits") {
                        try await blocker.value(
                            """
                            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                            """, as: Int64.self) > 0
                    }
                    // This is the state after a breaking migration. The statement waits for no lock, because no row
                    // exists yet.
                    try await blocker.run(
                        "INSERT INTO apus.schema_version (version, compatible_with) VALUES (8, 8)")
                    // The lock is released in a batch of its own. In the batch above, it would be released before the
                    // row is committed.
                    try await blocker.run("SELECT pg_advisory_unlock(1, 1)")
                    let joined = await joining.value
                    #expect(joined?.code == .newerSchema)
                    let alive = try await blocker.value(
                        "SELECT count(*) FROM apus.node WHERE ended IS NULL", as: Int64.self)
                    #expect(alive == 0)
                }
            }
        }

        @Test("a migration that fails leaves the schema as it was")
        func allOrNothing() async throws {
            try await withDatabase { database in
                try await keeper(database).prepare()
                let half = StoreMigrations(
                    Self.adding.versions + [.init(["ALTER TABLE apus.nowhere ADD COLUMN x text"], compatibleWith: 1)])
                await #expect(throws: PostgresError.self) { try await keeper(database, half).migrate { _ in } }
                #expect(try await keeper(database).state().version == 7)
                let columns = try await withConnection(database) {
                    try await $0.value(
                        "SELECT count(*) FROM information_schema.columns WHERE table_name = 'node' AND column_name = 'zone'",
                        as: Int64.self)
                }
                #expect(columns == 0)
            }
        }

        @Test("the migration to version 4 keeps existing wakes and rights, and drops the places of killed nodes")
        func fourth() async throws {
            try await withDatabase { database in
                let third = StoreMigrations(Array(StoreMigrations.shipped.versions.prefix(3)))
                try await keeper(database, third).prepare()
                try await withConnection(database) { connection in
                    for statement in [
                        // These rows are a job without a request, a wake without a job, and a place of a node that no
                        // longer runs.
                        """
                        INSERT INTO apus.job (key, version, id, shard, state, created, updated, first, origin,
                            next_occurrence, next_due, occurrences, missed, wake, open_runs, runs_since_retired)
                        VALUES (1, 1, 'a', 0, 'scheduled', 0, 0, 9, 0, 1, 9, 0, 0, 9, 0, 0)
                        """,
                        """
                        INSERT INTO apus.wake (elapsed, instant, key, shard, queue, priority)
                        VALUES (false, 9, 1, 0, 'default', 2), (false, 9, 2, 0, 'default', 2)
                        """,
                        "INSERT INTO apus.place (queue, node, places, wanted) VALUES ('q', 77, 1, 1)",
                        "INSERT INTO apus.reply (node, call, reply) VALUES (77, 1, '')",
                        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA apus TO app",
                    ] { try await connection.run(statement) }
                }
                try await keeper(database).migrate { _ in }
                try await withConnection(database) { connection in
                    let lanes: String = try await connection.value("SELECT string_agg(lane, '|') FROM apus.wake")
                    #expect(lanes == "2 0 default ")
                    for table in ["place", "reply"] {
                        let count: Int64 = try await connection.value("SELECT count(*) FROM apus.\(table)")
                        #expect(count == 0, "\(table)")
                    }
                    for table in ["set_aside", "refusal"] {
                        let isGranted: Bool = try await connection.value(
                            "SELECT has_table_privilege('app', 'apus.\(table)', 'INSERT, UPDATE, DELETE')")
                        #expect(isGranted, "\(table)")
                    }
                }
            }
        }

        @Test("without the privilege to create the schema, the error names the grant, with which the store opens")
        func privileges() async throws {
            try await withDatabase { database in
                var reader = database
                reader.set("user", to: "reader")
                let first = await error { _ = try await open(store(reader)) }
                #expect(first?.code == .unavailable)
                let name = try #require(database["dbname"])
                #expect(first?.message.contains("GRANT CREATE ON DATABASE \(name) TO reader") == true)
                try await withConnection(database) { try await $0.run("CREATE SCHEMA apus AUTHORIZATION reader") }
                let granted = store(reader)
                try await granted.close(try await open(granted))
                // The new user has no right to use the schema of another user.
                var app = database
                app.set("user", to: "app")
                let second = await error { _ = try await open(store(app)) }
                #expect(second?.message.contains("GRANT USAGE ON SCHEMA apus TO app") == true)
                // The schema belongs to another user and has no tables.
                app.schemaName = try SchemaName("order")
                try await withConnection(database) {
                    try await $0.run(#"CREATE SCHEMA "order""#, #"GRANT USAGE ON SCHEMA "order" TO app"#)
                }
                let third = await error { _ = try await open(store(app)) }
                #expect(third?.message.contains(#"GRANT USAGE, CREATE ON SCHEMA "order" TO app"#) == true)
            }
        }
    }
#endif

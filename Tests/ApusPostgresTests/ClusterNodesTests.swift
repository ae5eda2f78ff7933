#if Postgres
    import ApusJobs
    import ApusPostgres
    import ApusTestSupport
    import ApusTimers
    import Foundation
    import PostgresTestServer
    import Testing

    @testable import ApusPostgres

    @Suite("The nodes of a cluster, as the database knows them")
    struct ClusterNodesTests {
        /// Gives `body` a database with the schema and without nodes, and an unopened store in it.
        private func withDatabase(
            _ body: (PostgresStore, PostgresConnection) async throws -> Void
        ) async throws {
            let name = uniqueName("nodes")
            try await withConnection { try await $0.run("CREATE DATABASE \(name)") }
            var configuration = try await PostgresServer.shared.value.configuration
            configuration.set("dbname", to: name)
            configuration.connectTimeout = .seconds(60)
            let store = PostgresStore(patient: configuration)
            try await store.close(try await store.open(as: NodeID(rawValue: "first")))
            try await withConnection(configuration) { try await body(store, $0) }
            await store.disconnect()
            try await withConnection { try await $0.run("DROP DATABASE \(name) WITH (FORCE)") }
        }

        /// Adds a node that owns shards, and whose last heartbeat was `seconds` ago.
        ///
        /// A node that must not become silent during the test gets a last heartbeat in the future, namely in an hour.
        private func add(
            _ name: String, beat seconds: Int, shards: ClosedRange<Int>, hasSession: Bool = true,
            isLeaving: Bool = false,
            to database: PostgresConnection
        ) async throws {
            let id = try await database.value(
                """
                INSERT INTO apus.node (name, version, leaving) VALUES ('\(name)', '\(name) 1', \(isLeaving)) RETURNING id
                """, as: Int64.self)
            try await database.run(
                """
                INSERT INTO apus.beat (node, number, at) VALUES (\(id), 7, clock_timestamp() - interval '\(seconds) s')
                """,
                "UPDATE apus.shard SET node = \(id) WHERE id BETWEEN \(shards.lowerBound) AND \(shards.upperBound)")
            if hasSession { try await database.run("SELECT pg_advisory_lock(\(SchemaName.apus.lockClass), \(id))") }
        }

        @Test("a joining node announces its name and version, and a node that has left is not listed")
        func joinsAndLeaves() async throws {
            try await withDatabase { store, _ in
                #expect(try await store.nodes() == [])
                let session = try await store.open(as: NodeID(rawValue: "second"))
                let nodes = try await store.nodes()
                #expect(nodes.map(\.name.rawValue) == ["second"] && nodes.map(\.version) == [ApusVersion.current])
                #expect(nodes.map(\.shards) == [StoreSchema.shards])
                #expect(nodes.map(\.lag) == [.zero])
                #expect(nodes.map(\.jobs) == [nil])
                try await store.close(session)
                #expect(try await store.nodes() == [])
                let jobs = RunnableJobs(kinds: ["a", "\"\u{0}"], queues: .only(["q"]))
                let next = try await store.open(as: NodeID(rawValue: "third"), running: jobs)
                #expect(try await store.nodes().map(\.jobs) == [jobs])
                try await store.close(next)
            }
        }

        /// Gives `body` a cluster of one scheduler, and the number of its node.
        ///
        /// While `body` runs, the first heartbeats of other nodes are blocked. `joined` gets the result of opening a
        /// store at that time.
        private func whileJoining(
            _ body: (_ first: Int64, PostgresConnection) async throws -> Void,
            joined: (_ first: Int64, StoreSession) async throws -> Void
        ) async throws {
            try await ApusPostgresTests.withDatabase { configuration in
                let scheduler = JobScheduler(store: PostgresStore(patient: configuration))
                scheduler.register("k") { _ in }
                try await scheduler.start()
                let new = PostgresStore(patient: configuration)
                try await withConnection(configuration) { database in
                    let first = try await database.value("SELECT max(id) FROM apus.node", as: Int64.self)
                    try await database.run(
                        "SELECT pg_advisory_lock(1, 1)",
                        """
                        CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN PERFORM pg_advisory_xact_lock(1, 1); RETURN new; END $$
                        """,
                        """
                        CREATE TRIGGER hold BEFORE INSERT ON apus.beat FOR EACH ROW WHEN (new.node > \(first))
                        EXECUTE FUNCTION public.hold()
                        """)
                    let joining = Task { try await new.open(as: NodeID(rawValue: "late")) }
                    try await until("the node is there") {
                        try await database.value(
                            "SELECT EXISTS (SELECT 1 FROM apus.node WHERE id > \(first))", as: Bool.self)
                    }
                    try await body(first, database)
                    try await database.run("SELECT pg_advisory_unlock(1, 1)")
                    let session = try await joining.value
                    try await joined(first, session)
                    try await new.close(session)
                }
                await scheduler.stop(grace: .zero)
            }
        }

        @Test("a node whose first heartbeat is late is not declared dead while its session lives")
        func lateBeat() async throws {
            try await whileJoining { first, database in
                let number = "(SELECT number FROM apus.beat WHERE node = \(first))"
                let beginning = try await database.value("SELECT \(number)", as: Int64.self)
                // A node sends at most four heartbeats a second, so sixteen take longer than the two seconds after
                // which a node without a session is declared dead.
                try await until("sixteen beats of the other node") {
                    try await database.value("SELECT \(number) > \(beginning) + 16", as: Bool.self)
                }
            } joined: { first, session in
                #expect(session.number == first + 1 && !session.shards.isEmpty)
            }
        }

        @Test("a node declared dead before it had shards joins under another number")
        func joinsAgain() async throws {
            try await whileJoining { first, database in
                try await database.run("UPDATE apus.node SET ended = clock_timestamp() WHERE id > \(first)")
            } joined: { first, session in
                #expect(session.number == first + 2 && !session.shards.isEmpty)
            }
        }

        @Test("a node without heartbeats or a session is silent, and one asked to stop is leaving")
        func states() async throws {
            try await withDatabase { store, database in
                try await add("alive", beat: -3_600, shards: 0...9, to: database)
                try await add("leaving", beat: -3_600, shards: 10...10, isLeaving: true, to: database)
                try await add("no beat", beat: 60, shards: 20...39, to: database)
                try await add("no session", beat: -3_600, shards: 40...43, hasSession: false, to: database)
                try await add("dying", beat: 60, shards: 50...50, hasSession: false, isLeaving: true, to: database)
                let nodes = try await store.nodes()
                #expect(nodes.map(\.name.rawValue) == ["alive", "leaving", "no beat", "no session", "dying"])
                #expect(nodes.map(\.state) == [.alive, .leaving, .silent, .silent, .silent])
                #expect(nodes.map(\.shards) == [10, 1, 20, 4, 1])
                #expect(nodes.map(\.version) == nodes.map { "\($0.name) 1" })
                #expect(nodes.map { $0.beatAge >= .seconds(60) } == [false, false, true, false, true])
                #expect(nodes.map(\.id) == nodes.map(\.id).sorted())
            }
        }

        @Test("a node's lag is that of the oldest due job in its shards, on either clock")
        func lag() async throws {
            try await withDatabase { store, database in
                try await add("late", beat: 0, shards: 0...9, to: database)
                try await add("later", beat: 0, shards: 10...19, to: database)
                try await add("in time", beat: 0, shards: 20...29, to: database)
                let now = try await database.value(
                    "SELECT (extract(epoch FROM clock_timestamp()) * 1000000000)::int8", as: Int64.self)
                let second: Int64 = 1_000_000_000
                try await database.run(
                    "DELETE FROM apus.clock",
                    "INSERT INTO apus.clock (id, wall_offset, elapsed_offset) VALUES (1, 0, \(1_000 * second))")
                // The clock for elapsed time shows 1,000 s less than the wall clock.
                for (isElapsed, instant, shard) in [
                    (false, now - 5 * second, 3), (false, now - 7 * second, 4), (false, now + 900 * second, 12),
                    (true, now - 1_100 * second, 12), (true, now - 900 * second, 21), (false, now + 60 * second, 22),
                    (false, Int64.max, 23), (true, Int64.max, 24),
                ] {
                    try await database.run(
                        """
                        INSERT INTO apus.wake (elapsed, lane, instant, key, shard)
                        VALUES (\(isElapsed), '2 0 default k', \(instant), \(shard), \(shard))
                        """)
                }
                let lags = try await store.nodes().map(\.lag)
                #expect(lags.count == 3 && lags[2] == .zero)
                #expect(lags[0] >= .seconds(7) && lags[1] >= .seconds(100))
                // The upper bounds allow a quarter of an hour for the test.
                #expect(lags[0] < .seconds(900) && lags[1] < .seconds(1_000))
            }
        }
    }
#endif

#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Testing

    @Suite("The records of past nodes and queues")
    struct RememberedTests {
        @Test("only nodes that ended more than a day ago are removed, some at a time")
        func nodes() async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                let store = PostgresStore(patient: configuration)
                let session = try await store.open(as: NodeID(rawValue: "node"))
                try await database.run(
                    """
                    INSERT INTO apus.node (name, ended)
                    SELECT 'old', clock_timestamp() - interval '25 hours' FROM generate_series(1, 25)
                    """,
                    "INSERT INTO apus.node (name, ended) VALUES ('recent', clock_timestamp() - interval '23 hours')")
                func retire() async throws -> Bool {
                    try await store.retire(
                        keptUntil: SystemTime().wall(), refusedBefore: SystemTime().wall(), budget: 10, in: session)
                }
                func count(_ name: String) async throws -> Int64 {
                    try await database.value("SELECT count(*) FROM apus.node WHERE name = '\(name)'", as: Int64.self)
                }
                #expect(try await retire())
                #expect(try await count("old") == 15)
                #expect(try await retire())
                #expect(try await !retire())
                #expect(try await count("old") == 0)
                #expect(try await count("recent") == 1)
                #expect(try await store.nodes().map(\.name.rawValue) == ["node"])
                try await store.close(session)
            }
        }

        @Test("a queue without settings for a day is removed, and one with new settings stays")
        func queues() async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                let store = PostgresStore(patient: configuration)
                let session = try await store.open(as: NodeID(rawValue: "node"))
                let clock = StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero)
                func write(_ queues: [JobQueue]) async throws {
                    var turn = StoreTurn(parts: [], clock: clock)
                    turn.queues = queues
                    _ = try await store.commit(turn, in: session)
                }
                let names = ["cleared", "again", "recent", "limited"]
                try await write(names.map { JobQueue(id: QueueID($0), concurrency: 1) })
                try await write(names.dropLast().map { JobQueue(id: QueueID($0)) })
                try await database.run(
                    "UPDATE apus.queue SET cleared = cleared - interval '25 hours' WHERE id <> 'recent'",
                    "INSERT INTO apus.place (queue, node, places, wanted) VALUES ('cleared', 1, 1, 1)")
                try await write([JobQueue(id: "again", concurrency: 2)])
                _ = try await store.retire(
                    keptUntil: SystemTime().wall(), refusedBefore: SystemTime().wall(), budget: 10, in: session)
                let left = try await database.value(
                    "SELECT string_agg(id, ' ' ORDER BY id) FROM apus.queue", as: String.self)
                #expect(left == "again limited recent")
                #expect(try await database.value("SELECT count(*) FROM apus.place", as: Int64.self) == 0)
                // The queue is written anew, with settings that count from then on.
                try await write([JobQueue(id: "cleared", concurrency: 3)])
                let isSet = "SELECT cleared IS NULL AND concurrency = 3 FROM apus.queue WHERE id = 'cleared'"
                #expect(try await database.value(isSet, as: Bool.self))
                try await store.close(session)
            }
        }
    }
#endif

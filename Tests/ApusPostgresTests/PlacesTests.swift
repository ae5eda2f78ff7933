#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Testing

    @Suite("Places in queues that nodes share")
    struct PlacesTests {
        /// Three nodes and their requests for places.
        private struct Bench {
            let connection: PostgresConnection

            func settle(limit: Int64, rate: Bool = false) async throws {
                try await connection.run(
                    "DELETE FROM apus.place", "DELETE FROM apus.queue",
                    """
                    INSERT INTO apus.queue (id, concurrency, rate_runs, rate_period, paused, recent_starts)
                    VALUES ('q', \(limit), \(rate ? "2, 1000000000" : "NULL, NULL"), false, 0)
                    """)
            }

            func ask(_ node: Int64, running: Int64, wanted: Int64) async throws -> Int64 {
                try await connection.value(
                    "SELECT apus.take_places(\(node), 'q', \(running), \(wanted))", as: Int64.self)
            }
        }

        private func withBench(_ body: (Bench) async throws -> Void) async throws {
            try await withDatabase { configuration in
                let store = PostgresStore(patient: configuration)
                try await SchemaKeeper(link: store.writer, migrations: .shipped).prepare()
                await store.disconnect()
                try await withConnection(configuration) { connection in
                    try await connection.run("INSERT INTO apus.node (name) VALUES ('a'), ('b'), ('c')")
                    try await body(Bench(connection: connection))
                }
            }
        }

        @Test("no node has fewer places than runs or more than it wants, and all nodes together stay within the limit")
        func bounds() async throws {
            try await withBench { bench in
                let random = SeededRandom(seed: 3)
                func below(_ limit: Int64) -> Int64 { Int64(random.next() % UInt64(limit)) }
                for limit in 1...12 as ClosedRange<Int64> {
                    try await bench.settle(limit: limit)
                    var given: [Int64: Int64] = [:]
                    for _ in 0..<25 {
                        let node = 1 + below(3)
                        // The node uses some of its places, but not more than it has been given.
                        let running = below(given[node, default: 0] + 1)
                        let wanted = running + below(2 * limit)
                        let new = try await bench.ask(node, running: running, wanted: wanted)
                        given[node] = new
                        #expect(new >= running && new <= max(running, wanted))
                        #expect(given.values.reduce(0, +) <= limit, "\(given) of \(limit)")
                    }
                }
            }
        }

        @Test("runs in progress keep their places when the limit is lowered, and no other run gets one")
        func lowered() async throws {
            try await withBench { bench in
                try await bench.settle(limit: 6)
                #expect(try await bench.ask(1, running: 0, wanted: 6) == 6)
                try await bench.connection.run("UPDATE apus.queue SET concurrency = 2")
                #expect(try await bench.ask(2, running: 0, wanted: 6) == 0)
                #expect(try await bench.ask(1, running: 5, wanted: 9) == 5)
                #expect(try await bench.ask(1, running: 0, wanted: 0) == 0)
                #expect(try await bench.ask(2, running: 0, wanted: 6) == 2)
            }
        }

        @Test("nodes that want all places have equal shares, and one that wants fewer leaves the rest to the others")
        func shares() async throws {
            try await withBench { bench in
                for limit in 1...13 as ClosedRange<Int64> {
                    try await bench.settle(limit: limit)
                    var given: [Int64: Int64] = [:]
                    // The nodes ask three times, because places that one node gives up are free only for the nodes that
                    // ask after it. The remainder of `limit / 3` moves to another node each second.
                    for _ in 0..<3 {
                        for node in 1...3 as ClosedRange<Int64> {
                            given[node] = try await bench.ask(node, running: 0, wanted: limit)
                        }
                    }
                    // When a second begins, two nodes may have the remainder for a moment.
                    let share = limit / 3
                    #expect(given.values.allSatisfy { $0 >= share - 1 && $0 <= share + 1 }, "\(given) of \(limit)")
                    #expect(given.values.reduce(0, +) <= limit)

                    try await bench.settle(limit: limit)
                    _ = try await bench.ask(1, running: 0, wanted: 1)
                    let other = try await bench.ask(2, running: 0, wanted: limit)
                    #expect(other == limit - 1)
                }
            }
        }

        @Test("one node at a time has all places of a queue with a rate")
        func rate() async throws {
            try await withBench { bench in
                try await bench.settle(limit: 5, rate: true)
                #expect(try await bench.ask(1, running: 0, wanted: 9) == 5)
                #expect(try await bench.ask(2, running: 0, wanted: 9) == 0)
                // The node has begun no run, and gives back its places.
                #expect(try await bench.ask(1, running: 0, wanted: 0) == 0)
                #expect(try await bench.ask(2, running: 0, wanted: 9) == 5)
            }
        }
    }
#endif

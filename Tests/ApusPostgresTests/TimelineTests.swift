#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Testing

    /// Imitates the promotion of a standby, as the nodes see it; `make chaos` promotes real standbys.
    @Suite("The timeline of a database")
    struct TimelineTests {
        @Test("a turn of another timeline, or for a lost shard, is refused and can be retried")
        func fence() async throws {
            try await withDatabase { configuration in
                let scheduler = JobScheduler(store: PostgresStore(patient: configuration))
                scheduler.register("k") { _ in }
                try await scheduler.start()
                try await withConnection(configuration) { connection in
                    func refusal(_ statement: PostgresStatement) async -> PostgresError? {
                        do {
                            _ = try await connection.execute(PostgresBatch([statement]))
                            return nil
                        } catch { return error }
                    }
                    let current = try await connection.value("SELECT apus.current_timeline()", as: Int32.self)
                    let first = ShardID(rawValue: 0)
                    let epoch = try await connection.value("SELECT epoch FROM apus.shard WHERE id = 0", as: Int64.self)
                    let own = [(first, StoreEpoch(rawValue: epoch))]
                    #expect(await refusal(TurnStatements.fence(1, own, timeline: current)) == nil)
                    let promoted = await refusal(TurnStatements.fence(1, own, timeline: current + 1))
                    #expect(promoted?.server?.sqlState == "AP002" && promoted?.jobError.code == .unavailable)
                    let lost = await refusal(TurnStatements.fence(1, [(first, StoreEpoch(rawValue: epoch + 1))]))
                    #expect(lost?.server?.sqlState == "AP002" && lost?.jobError.code == .unavailable)
                    // A node that has ended must learn that on any timeline.
                    let ended = await refusal(TurnStatements.fence(7, own, timeline: current + 1))
                    #expect(ended?.server?.sqlState == "AP001" && ended?.jobError.code == .notOwner)
                }
                await scheduler.stop(grace: .zero)
            }
        }

        @Test(
            "the first node on another timeline skips once the numbers and epochs that the lost time may have used")
        func adoption() async throws {
            try await withDatabase { configuration in
                let (first, second) = (PostgresStore(patient: configuration), PostgresStore(patient: configuration))
                let former = try await first.open(as: NodeID(rawValue: "first"))
                try await first.close(former)
                try await withConnection(configuration) { connection in
                    func numbers() async throws -> [Int64] {
                        try await connection.query(
                            """
                            SELECT nextval('apus.job_key'), nextval('apus.run_sequence'), max(epoch),
                                nextval(pg_get_serial_sequence('apus.submission', 'sequence')) FROM apus.shard
                            """
                        ).flatMap { row in try (0..<4).map { try row.decode(Int64.self, at: $0) } }
                    }
                    let before = try await numbers()
                    // A copy of the database that was restored on another timeline looks like this.
                    try await connection.run("UPDATE apus.timeline SET number = number + 5")
                    let session = try await second.open(as: NodeID(rawValue: "second"))
                    let after = try await numbers()
                    let skipped: [Int64] = [1_000_000_000, 1_000_000_000, 1_000_000, 1_000_000_000]
                    for (pair, skipped) in zip(zip(before, after), skipped) { #expect(pair.1 > pair.0 + skipped) }
                    let nodes = try await connection.value(
                        "SELECT min(id) > 1000 FROM apus.node WHERE name = 'second'", as: Bool.self)
                    #expect(nodes)
                    try await second.close(session)
                    try await first.close(try await first.open(as: NodeID(rawValue: "third")))
                    let later = try await numbers()
                    for (pair, skipped) in zip(zip(after, later), skipped) { #expect(pair.1 < pair.0 + skipped) }
                }
                await first.disconnect()
                await second.disconnect()
            }
        }
    }
#endif

#if Postgres
    import ApusPostgres
    import PostgresTestServer
    import Testing

    @testable import ApusPostgres

    @Suite("Batches in flight together")
    struct PipelineTests {
        @Test("each of hundreds of concurrent batches gets its own answers, whatever happens to the others")
        func many() async throws {
            try await withConnection { connection in
                let table = uniqueName()
                try await connection.run("CREATE TEMP TABLE \(table) (id int8 PRIMARY KEY)")
                let outcomes = await withTaskGroup(of: (Int64, Result<Int64, any Error>).self) { group in
                    for number in Int64(0)..<500 {
                        group.addTask {
                            do {
                                let results = try await connection.execute(
                                    PostgresBatch(
                                        [
                                            PostgresStatement("INSERT INTO \(table) VALUES ($1)", [.int64(number)]),
                                            PostgresStatement("SELECT $1 / $2", [.int64(number), .int64(number % 7)]),
                                        ], transaction: number.isMultiple(of: 2) ? .implicit : .explicit(.readCommitted)
                                    ))
                                return (number, .success(try results[1][0].decode(Int64.self, at: 0)))
                            } catch {
                                return (number, .failure(error))
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                for (number, outcome) in outcomes {
                    switch outcome {
                    case .success(let quotient): #expect(quotient == number / (number % 7))
                    case .failure(let error as PostgresError):
                        #expect(number % 7 == 0)
                        #expect(error.statement == 1)
                        #expect(error.fate == .notApplied)
                    case .failure(let error): Issue.record("\(error)")
                    }
                }
                let count: Int64 = try await connection.value("SELECT count(*) FROM \(table) WHERE id % 7 <> 0")
                let total: Int64 = try await connection.value("SELECT count(*) FROM \(table)")
                #expect(count == total)
                #expect(total == Int64(outcomes.count { (try? $0.1.get()) != nil }))
            }
        }

        @Test("an implicit batch has one sync, an explicit one two, and simultaneous batches are sent together")
        func roundTrips() async throws {
            try await withProxy { connection, proxy in
                let select = [PostgresStatement("SELECT 1"), PostgresStatement("SELECT 2")]
                _ = try await connection.execute(PostgresBatch(select))
                let before = await connection.status.calls
                let syncs = proxy.count("S")
                for _ in 0..<10 { _ = try await connection.execute(PostgresBatch(select)) }
                let implicit = await connection.status.calls
                #expect(implicit.syncs - before.syncs == 10)
                #expect(proxy.count("S") - syncs == 10)
                #expect(implicit.flushes - before.flushes == 10)
                #expect(implicit.preparations == before.preparations)
                _ = try await connection.execute(PostgresBatch(select, transaction: .explicit(.readCommitted)))
                let explicit = await connection.status.calls
                #expect(explicit.syncs - implicit.syncs == 2)
                #expect(explicit.flushes - implicit.flushes == 1)
                #expect(explicit.executions - implicit.executions == 4)
            }
        }

        @Test("a small batch is one write, at most two reads, and wakes the thread three times")
        func systemCalls() async throws {
            let connection = try await PostgresConnection.connect(
                PostgresServer.shared.value.configuration, thread: PostgresThread())
            _ = try await connection.query("SELECT 1")
            let before = await connection.status
            for _ in 0..<50 { _ = try await connection.query("SELECT 1") }
            let after = await connection.status
            #expect(after.calls.flushes - before.calls.flushes == 50)
            #expect(after.calls.reads - before.calls.reads <= 100)
            // For each batch, the thread wakes for the call, the answer and the status. The kernel may split an answer,
            // so a few batches may need one more wake-up.
            #expect(after.polls - before.polls < 50 * 3 + 25)
            await connection.close()
        }

        @Test("batches are answered in their order, and are sent while earlier ones wait")
        func withoutWaiting() async throws {
            try await withProxy { connection, proxy in
                _ = try await connection.query("SELECT 1")
                proxy.hold(.toClient)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<5 { group.addTask { _ = try await connection.query("SELECT 1") } }
                    await proxy.waitForMessages(6, "S")
                    proxy.release(.toClient)
                    try await group.waitForAll()
                }
                #expect(proxy.count("S") == 6)
            }
        }

        @Test("a batch sent during a preparation neither depends on it nor prepares the statement again")
        func preparationUnderWay() async throws {
            try await withProxy { connection, proxy in
                _ = try await connection.query("SELECT 1")
                let syncs = proxy.count("S")
                proxy.hold(.toClient)
                // The first batch fails before it prepares the shared text.
                let texts = [["SELECT 1 / 0", "SELECT 'shared'"], ["SELECT 'shared'"], ["SELECT 'shared'"]]
                let tasks = texts.map { batch in
                    Task { try await connection.execute(PostgresBatch(batch.map { PostgresStatement($0) })) }
                }
                await proxy.waitForMessages(syncs + 3, "S")
                proxy.release(.toClient)
                var failures = 0
                for task in tasks { do { _ = try await task.value } catch { failures += 1 } }
                #expect(failures == 1)
                // One preparation is for the first query, one for the division, and one for the shared text.
                let preparations = await connection.status.calls.preparations
                #expect(preparations == 3)
                for _ in 0..<2 { _ = try await connection.query("SELECT 'shared'") }
                let later = await connection.status.calls.preparations
                #expect(later <= preparations + 1)
            }
        }

        @Test("megabytes in both directions at once do not block each other")
        func large() async throws {
            try await withConnection { connection in
                let size = 3 << 20
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            let rows = try await connection.query("SELECT $1, $1", [.bytes(bytes)])
                            let isSame = rows[0].withBytes(at: 1) { $0.elementsEqual(bytes) }
                            #expect(isSame)
                        }
                    }
                    try await group.waitForAll()
                }
                let rows = try await connection.query("SELECT n FROM generate_series(1, 200000::int8) n")
                #expect(rows.count == 200_000)
                #expect(try rows.reduce(Int64(0)) { try $0 + $1.decode(Int64.self, at: 0) } == 200_000 * 200_001 / 2)
            }
        }

        @Test("a server that writes or reads single bytes is understood")
        func byteByByte() async throws {
            try await withProxy { connection, proxy in
                proxy.deliverByteByByte()
                let text = String(repeating: "äx", count: 1_000)
                let row = try await connection.query(
                    "SELECT $1 || $1, $2", [.text(text), .array([1, nil] as [Int64?])])[0]
                #expect(try row.decode(String.self, at: 0) == text + text)
                #expect(try row.decodeArray(of: Int64.self, at: 1) == [1, nil])
                let error = await postgresError { try await connection.query("SELECT 1 / 0") }
                #expect(error?.server?.sqlState == "22012")
            }
        }

        @Test("two connections share a thread, and a slow one does not delay the other")
        func sharedThread() async throws {
            try await withProxy { slow, proxy in
                try await withConnection { fast in
                    proxy.hold(.toClient)
                    async let held = slow.query("SELECT 1")
                    for _ in 0..<10 { _ = try await fast.query("SELECT 2") }
                    proxy.release(.toClient)
                    let rows = try await held
                    #expect(rows.count == 1)
                }
            }
        }

        @Test("a thread ends with its last connection")
        func threadEnds() async throws {
            weak var loop: PollLoop?
            do {
                let thread = PostgresThread()
                loop = thread.loop
                let connection = try await PostgresConnection.connect(
                    PostgresServer.shared.value.configuration, thread: thread)
                _ = try await connection.query("SELECT 1")
                // The connection is released without being closed.
            }
            while loop != nil { await Task.yield() }
        }
    }
#endif

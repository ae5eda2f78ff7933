#if Postgres
    import ApusPostgres
    import ApusTestSupport
    import ApusVirtualTime
    import ApusTimers
    import Foundation
    import Logging
    import PostgresTestServer
    import Testing

    @testable import ApusPostgres

    @Suite("Connections that break", .timeLimit(.minutes(10)))
    struct LossTests {
        /// Creates a table that gets one row for each applied batch.
        private func makeTable(_ connection: PostgresConnection) async throws -> String {
            let table = uniqueName("loss")
            try await connection.run("CREATE TABLE \(table) (id int8)")
            return table
        }

        /// Inserts a row and waits for a lock before or after it, which keeps the batch in flight.
        private func slowInsert(
            _ table: String, lock: Int64, _ transaction: PostgresBatch.Transaction = .implicit
        ) -> PostgresBatch {
            PostgresBatch(
                [
                    PostgresStatement("INSERT INTO \(table) VALUES (1)"),
                    PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.int64(lock)]),
                ], transaction: transaction)
        }

        @Test(
            "a session terminated in a statement has applied neither its batch nor later ones",
            arguments: [PostgresBatch.Transaction.implicit, .explicit(.readCommitted)])
        func terminated(transaction: PostgresBatch.Transaction) async throws {
            try await withConnection { observer in
                let table = try await makeTable(observer)
                let lock = Int64(table.hashValue)
                _ = try await observer.query("SELECT pg_advisory_lock($1)", [.int64(lock)])
                try await withConnection { connection in
                    let process = await connection.status.serverProcess
                    let first = Task { try await connection.execute(slowInsert(table, lock: lock, transaction)) }
                    let second = Task { try await connection.execute(slowInsert(table, lock: lock, transaction)) }
                    try await untilBlocked(process, observer)
                    _ = try await observer.query("SELECT pg_terminate_backend($1)", [.int32(process)])
                    for task in [first, second] {
                        let error = await postgresError { try await task.value }
                        #expect(error?.code == .shutDown)
                        #expect(error?.fate == .notApplied)
                        #expect(error?.server?.sqlState == "57P01")
                    }
                    let later = await postgresError { try await connection.query("SELECT 1") }
                    #expect(later?.code == .shutDown)
                    #expect(await connection.status.isOpen == false)
                }
                let count: Int64 = try await observer.value("SELECT count(*) FROM \(table)")
                #expect(count == 0)
                try await observer.run("DROP TABLE \(table)")
            }
        }

        @Test("a session terminated while idle reports the cause to the next caller")
        func terminatedIdle() async throws {
            try await withConnection { observer in
                try await withConnection { connection in
                    let process = await connection.status.serverProcess
                    _ = try await observer.query("SELECT pg_terminate_backend($1)", [.int32(process)])
                    for await _ in connection.notifications {}
                    let error = await postgresError { try await connection.query("SELECT 1") }
                    #expect(error?.code == .shutDown)
                    #expect(error?.fate == .notApplied)
                }
            }
        }

        @Test("a link whose idle session ended sends the next batch once, over another session")
        func replaced() async throws {
            try await withConnection { observer in
                let table = try await makeTable(observer)
                let link = ServerLink(
                    try await PostgresServer.shared.value.configuration, engine: .shared,
                    logger: Logger(label: "apus.tests"))
                let connection = try await link.connection()
                let process = await connection.status.serverProcess
                _ = try await observer.query("SELECT pg_terminate_backend($1)", [.int32(process)])
                for await _ in connection.notifications {}
                _ = try await link.execute(PostgresBatch([PostgresStatement("INSERT INTO \(table) VALUES (1)")]))
                let count: Int64 = try await observer.value("SELECT count(*) FROM \(table)")
                #expect(count == 1)
                await link.disconnect()
                try await observer.run("DROP TABLE \(table)")
            }
        }

        @Test("a link whose session ends during a batch repeats the batch over another session each time")
        func repeated() async throws {
            try await withConnection { observer in
                let table = try await makeTable(observer)
                let lock = Int64(table.hashValue)
                let link = ServerLink(
                    try await PostgresServer.shared.value.configuration, engine: .shared,
                    logger: Logger(label: "apus.tests"))
                _ = try await observer.query("SELECT pg_advisory_lock($1)", [.int64(lock)])
                let inserted = Task { try await link.execute(slowInsert(table, lock: lock)) }
                for _ in 0..<3 {
                    let process = try await link.connection().status.serverProcess
                    try await untilBlocked(process, observer)
                    _ = try await observer.query("SELECT pg_terminate_backend($1)", [.int32(process)])
                    try await until("the next session") {
                        ![0, process].contains(try await link.connection().status.serverProcess)
                    }
                }
                _ = try await observer.query("SELECT pg_advisory_unlock($1)", [.int64(lock)])
                _ = try await inserted.value
                let count: Int64 = try await observer.value("SELECT count(*) FROM \(table)")
                #expect(count == 1)
                await link.disconnect()
                try await observer.run("DROP TABLE \(table)")
            }
        }

        @Test("when the connection is cut before the answer, the fate is unknown, and the batch may be applied")
        func answerLost() async throws {
            try await withConnection { observer in
                let table = try await makeTable(observer)
                try await withProxy { connection, proxy in
                    _ = try await connection.query("SELECT 1")
                    proxy.hold(.toClient)
                    let inserted = Task { try await connection.query("INSERT INTO \(table) VALUES (1)") }
                    try await until("the row") { try await !observer.query("SELECT 1 FROM \(table)").isEmpty }
                    proxy.cut()
                    let error = await postgresError { try await inserted.value }
                    #expect(error?.code == .lost)
                    #expect(error?.fate == .unknown)
                    #expect(error?.statement == nil)
                }
                try await observer.run("DROP TABLE \(table)")
            }
        }

        @Test("when the connection is cut before the request arrives, the fate is unknown too, and nothing is applied")
        func requestLost() async throws {
            try await withConnection { observer in
                let table = try await makeTable(observer)
                try await withProxy { connection, proxy in
                    _ = try await connection.query("SELECT 1")
                    let received = proxy.byteCount(.toServer)
                    proxy.hold(.toServer)
                    let inserted = Task { try await connection.query("INSERT INTO \(table) VALUES (1)") }
                    await proxy.waitForBytes(received + 50, .toServer)
                    proxy.cut()
                    let error = await postgresError { try await inserted.value }
                    #expect(error?.code == .lost)
                    #expect(error?.fate == .unknown)
                }
                let count: Int64 = try await observer.value("SELECT count(*) FROM \(table)")
                #expect(count == 0)
                try await observer.run("DROP TABLE \(table)")
            }
        }

        @Test("an error that arrived before the connection broke stands, and nothing was applied")
        func errorThenLoss() async throws {
            try await withConnection { observer in
                let lock = Int64(uniqueName().hashValue)
                _ = try await observer.query("SELECT pg_advisory_lock($1)", [.int64(lock)])
                try await withProxy { connection, proxy in
                    let process = await connection.status.serverProcess
                    let failed = Task { try await connection.query("SELECT 1 / 0") }
                    await proxy.waitForMessages(1, "S")
                    let blocked = Task {
                        try await connection.query("SELECT pg_advisory_xact_lock($1)", [.int64(lock)])
                    }
                    try await untilBlocked(process, observer)
                    let first = await postgresError { try await failed.value }
                    #expect(first?.code == .invalid)
                    proxy.cut()
                    let second = await postgresError { try await blocked.value }
                    #expect(second?.fate == .unknown)
                }
            }
        }

        @Test("each way of stopping the server has its code, and a new connection works after its restart")
        func restart() async throws {
            let server = try await PostgresServer.start(hasTLS: false)
            let configuration = try server.configuration
            func blockedQuery(
                _ end: (PostgresServer) async throws -> Void
            ) async throws -> (underWay: PostgresError?, later: PostgresError?) {
                try await withConnection(configuration) { observer in
                    _ = try await observer.query("SELECT pg_advisory_lock(1)")
                    return try await withConnection(configuration) { connection in
                        let process = await connection.status.serverProcess
                        let blocked = Task { try await connection.query("SELECT pg_advisory_lock(1)") }
                        try await untilBlocked(process, observer)
                        try await end(server)
                        let error = await postgresError { try await blocked.value }
                        return (error, await postgresError { try await connection.query("SELECT 1") })
                    }
                }
            }
            // A fast shutdown terminates the sessions; a smart shutdown would wait for their ends.
            let fast = try await blockedQuery { try await $0.stop("fast") }
            #expect(fast.underWay?.code == .shutDown)
            #expect(fast.underWay?.fate == .notApplied)
            #expect(fast.later?.code == .shutDown)
            let refused = await postgresError { try await withConnection(configuration) { _ in } }
            #expect(refused?.code == .unreachable)

            try await server.start()
            // An immediate shutdown looks like a crash, after which the batch's fate is unknown.
            let immediate = try await blockedQuery { try await $0.stop("immediate") }
            #expect(immediate.underWay?.code == .shutDown)
            #expect(immediate.underWay?.fate == .unknown)

            try await server.start()
            let noTLS = await postgresError { try await withConnection(try server.tcp("sslmode=require")) { _ in } }
            #expect(noTLS?.code == .encryptionRefused)
            try await withConnection(configuration) { connection in
                let one: Int64 = try await connection.value("SELECT 1::int8")
                #expect(one == 1)
            }
        }

        @Test(
            "when a process of the server crashes, the fate of its batch is unknown, and other sessions report the crash"
        )
        func crash() async throws {
            let server = try await PostgresServer.start(hasTLS: false)
            let configuration = try server.configuration
            // After a crash, the server signals all other sessions. A session that is answering at that moment does not
            // report the crash; this one is idle by then, so it does.
            let idle = try await PostgresConnection.connect(configuration)
            try await withConnection(configuration) { victim in
                try await withConnection(configuration) { observer in
                    _ = try await observer.query("SELECT pg_advisory_lock(1)")
                    let blocked = Task { try await victim.query("SELECT pg_advisory_lock(1)") }
                    try await untilBlocked(await victim.status.serverProcess, observer)
                    #expect(kill(await victim.status.serverProcess, SIGKILL) == 0)
                    let killed = await postgresError { try await blocked.value }
                    #expect(killed?.code == .lost)
                    #expect(killed?.fate == .unknown)
                }
            }
            for await _ in idle.notifications {}
            let idleError = await postgresError { try await idle.query("SELECT 1") }
            #expect(idleError?.code == .crashed)
            #expect(idleError?.fate == .notApplied)
            // Connections are refused while the server reports that it is recovering.
            var codes: Set<PostgresError.Code> = []
            while true {
                do {
                    try await withConnection(configuration) { _ in }
                    break
                } catch let error as PostgresError {
                    codes.insert(error.code)
                }
            }
            #expect(codes.isSubset(of: [.startingUp, .unreachable, .crashed, .lost]), "\(codes)")
        }

        @Test("a statement beyond the server's time-out is given up, and the connection stays open")
        func statementTimeout() async throws {
            var configuration = try await PostgresServer.shared.value.configuration
            configuration.statementTimeout = .milliseconds(500)
            try await withConnection(configuration) { connection in
                let error = await postgresError {
                    try await connection.execute(
                        PostgresBatch([PostgresStatement("SELECT 1"), PostgresStatement("SELECT pg_sleep(3600)")]))
                }
                #expect(error?.code == .timedOut)
                #expect(error?.server?.sqlState == "57014")
                #expect(error?.statement == 1)
                #expect(error?.fate == .notApplied)
                _ = try await connection.query("SELECT 1")
            }
        }

        @Test("a deadlock is a conflict")
        func deadlock() async throws {
            var configuration = try await PostgresServer.shared.value.configuration
            configuration.set("options", to: "-c deadlock_timeout=1ms")
            let locks = [Int64(uniqueName().hashValue), Int64(uniqueName().hashValue)]
            try await withConnection(configuration) { holder in
                try await withConnection(configuration) { connection in
                    let process = await connection.status.serverProcess
                    _ = try await holder.query("SELECT pg_advisory_lock($1)", [.int64(locks[0])])
                    let first = Task {
                        try await connection.execute(
                            PostgresBatch([
                                PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.int64(locks[1])]),
                                PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.int64(locks[0])]),
                            ]))
                    }
                    // The observer uses another connection, because the holder's is about to wait.
                    try await withConnection { try await untilBlocked(process, $0) }
                    let second = Task { try await holder.query("SELECT pg_advisory_lock($1)", [.int64(locks[1])]) }
                    var errors: [PostgresError.Code] = []
                    do { _ = try await second.value } catch let error as PostgresError { errors.append(error.code) }
                    _ = try await holder.query("SELECT pg_advisory_unlock_all()")
                    do { _ = try await first.value } catch let error as PostgresError { errors.append(error.code) }
                    #expect(errors == [.conflict])
                }
            }
        }
    }
#endif

#if Postgres
    import ApusPostgres
    import ApusVirtualTime
    import ApusTimers
    import Foundation
    import PostgresTestServer
    import Testing

    @testable import ApusPostgres

    @Suite("Deadlines and cancellation")
    struct WaitingTests {
        /// Gives `body` a connection in virtual time whose answers no longer arrive.
        private func withSilence(
            _ body: (PostgresConnection, Proxy, VirtualTime) async throws -> Void
        ) async throws {
            let time = VirtualTime()
            let proxy = try Proxy(to: try await PostgresServer.shared.value)
            defer { proxy.close() }
            try await withConnection(try proxy.configuration, engine: time.engine) { connection in
                _ = try await connection.query("SELECT 1")
                proxy.hold(.toClient)
                try await body(connection, proxy, time)
            }
            #expect(time.leaks == [])
        }

        private func start(
            _ count: Int, _ connection: PostgresConnection, _ proxy: Proxy, timeout: Duration? = nil
        ) async -> [Task<Void, any Error>] {
            let syncs = proxy.count("S")
            let tasks = (0..<count).map { _ in
                Task {
                    _ = try await connection.execute(
                        PostgresBatch([PostgresStatement("SELECT 1")], answerTimeout: timeout))
                }
            }
            // Only as many batches are sent as may be in flight.
            await proxy.waitForMessages(syncs + min(count, ConnectionMachine.mostInFlight), "S")
            return tasks
        }

        @Test("a late answer closes the connection, and the batch's fate is unknown")
        func answerTimeout() async throws {
            try await withSilence { connection, proxy, time in
                let tasks = await start(2, connection, proxy)
                time.advance(by: .seconds(29))
                #expect(await connection.status.isOpen)
                time.advance(by: .seconds(1))
                for task in tasks {
                    let error = await postgresError { try await task.value }
                    #expect(error?.code == .noAnswer)
                    #expect(error?.fate == .unknown)
                }
                let later = await postgresError { try await connection.query("SELECT 1") }
                #expect(later?.code == .noAnswer)
                #expect(later?.fate == .notApplied)
            }
        }

        @Test("an answer in time leaves the connection open, and one timer serves all batches")
        func inTime() async throws {
            try await withSilence { connection, proxy, time in
                let tasks = await start(5, connection, proxy)
                #expect(time.pendingTimerCount == 1)
                time.advance(by: .seconds(29))
                proxy.release(.toClient)
                for task in tasks { try await task.value }
                time.advance(by: .seconds(60))
                _ = try await connection.query("SELECT 1")
            }
        }

        @Test("an answer that arrived by the deadline counts although the thread was delayed")
        func heldUpThread() async throws {
            let time = VirtualTime()
            let thread = PostgresThread()
            let proxy = try Proxy(to: try await PostgresServer.shared.value)
            defer { proxy.close() }
            let connection = try await PostgresConnection.connect(
                try proxy.configuration, thread: thread, engine: time.engine)
            _ = try await connection.query("SELECT 1")
            let received = proxy.byteCount(.toClient)
            proxy.hold(.toClient)
            let tasks = await start(1, connection, proxy)
            let gate = DispatchSemaphore(value: 0)
            let isHeld = DispatchSemaphore(value: 0)
            thread.loop.perform {
                isHeld.signal()
                gate.wait()
            }
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    isHeld.wait()
                    continuation.resume()
                }
            }
            proxy.release(.toClient)
            await proxy.waitForDelivery(moreThan: received)
            time.advance(by: .seconds(60))
            gate.signal()
            try await tasks[0].value
            #expect(await connection.status.isOpen)
            await connection.close()
        }

        @Test("a task cancelled after its batch was sent still gets the answer")
        func cancelledAfterSending() async throws {
            try await withSilence { connection, proxy, _ in
                let tasks = await start(1, connection, proxy)
                tasks[0].cancel()
                _ = await connection.status
                proxy.release(.toClient)
                try await tasks[0].value
                _ = try await connection.query("SELECT 1")
            }
        }

        @Test("a task cancelled before its batch was sent sends nothing")
        func cancelledBeforeSending() async throws {
            try await withSilence { connection, proxy, _ in
                let sent = await start(ConnectionMachine.mostInFlight, connection, proxy)
                let unsent = Task { _ = try await connection.query("SELECT 'unsent'") }
                while await connection.status.waitingBatches == 0 { await Task.yield() }
                unsent.cancel()
                let error = await postgresError { try await unsent.value }
                #expect(error?.code == .cancelled)
                #expect(error?.fate == .notApplied)
                let early = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    _ = try await connection.query("SELECT 'early'")
                }
                let before = await postgresError { try await early.value }
                #expect(before?.code == .cancelled)
                proxy.release(.toClient)
                for task in sent { try await task.value }
                // The proxy has seen the sync of `withSilence`, and one for each batch that was sent.
                #expect(proxy.count("S") == 1 + ConnectionMachine.mostInFlight)
            }
        }

        @Test("closing waits for batches in flight and refuses later ones")
        func close() async throws {
            try await withSilence { connection, proxy, _ in
                let tasks = await start(3, connection, proxy)
                let closing = Task { await connection.close() }
                while await connection.status.isOpen { await Task.yield() }
                let refused = await postgresError { try await connection.query("SELECT 1") }
                #expect(refused?.code == .closed)
                #expect(refused?.fate == .notApplied)
                proxy.release(.toClient)
                for task in tasks { try await task.value }
                await closing.value
                await connection.close()
            }
        }
    }
#endif

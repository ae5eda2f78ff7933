#if Postgres
    import ApusPostgres
    import PostgresTestServer
    import Testing

    @Suite("Notifications")
    struct NotificationTests {
        @Test("notifications after LISTEN arrive in order, and the stream ends with the connection")
        func notifications() async throws {
            try await withConnection { sender in
                try await withConnection { listener in
                    let channel = "a \"channel\" " + uniqueName()
                    try await listener.listen(to: channel)
                    let process = await sender.status.serverProcess
                    for payload in ["1", "", "drei"] {
                        _ = try await sender.query("SELECT pg_notify($1, $2)", [.text(channel), .text(payload)])
                    }
                    var received: [PostgresNotification] = []
                    for await notification in listener.notifications {
                        received.append(notification)
                        if received.count == 3 { await listener.close() }
                    }
                    #expect(received.map(\.payload) == ["1", "", "drei"])
                    #expect(received.allSatisfy { $0.channel == channel && $0.process == process })
                }
            }
        }

        @Test("a connection receives its own notifications, also between the answers of its batches")
        func ownNotifications() async throws {
            try await withConnection { connection in
                let channel = uniqueName()
                try await connection.listen(to: channel)
                _ = try await connection.execute(
                    PostgresBatch([
                        PostgresStatement("SELECT pg_notify($1, 'x')", [.text(channel)]), PostgresStatement("SELECT 1"),
                    ]))
                var iterator = connection.notifications.makeAsyncIterator()
                #expect(await iterator.next()?.payload == "x")
            }
        }

        @Test("the stream of notifications ends when the connection breaks")
        func broken() async throws {
            try await withProxy { connection, proxy in
                try await connection.listen(to: uniqueName())
                proxy.cut()
                for await _ in connection.notifications {}
                #expect(await connection.status.isOpen == false)
            }
        }
    }
#endif

#if Postgres
    import ApusPostgres
    import ApusVirtualTime
    import Foundation
    import PostgresTestServer
    import Testing

    @Suite("Connecting")
    struct ConnectTests {
        private func connectError(
            _ configuration: PostgresConfiguration, _ location: SourceLocation = #_sourceLocation
        ) async -> PostgresError? {
            let error = await postgresError(location) { try await withConnection(configuration) { _ in } }
            #expect(error?.fate == .notApplied, sourceLocation: location)
            #expect(error.map { "\($0)".contains(PostgresServer.password) } == false, sourceLocation: location)
            return error
        }

        @Test("the right password is accepted over TCP with SCRAM")
        func password() async throws {
            try await withConnection(try await PostgresServer.shared.value.tcp()) { connection in
                let user: String = try await connection.value("SELECT current_user")
                #expect(user == "app")
                let status = await connection.status
                #expect(status.isOpen)
                #expect(!status.isEncrypted)
                #expect(status.serverVersion >= 150_000)
                let process: Int32 = try await connection.value("SELECT pg_backend_pid()")
                #expect(status.serverProcess == process)
            }
        }

        @Test("a wrong password and a missing one are refused with the same code")
        func wrongPassword() async throws {
            let server = try await PostgresServer.shared.value
            let wrong = await connectError(try server.tcp(password: "other"))
            #expect(wrong?.code == .authentication)
            #expect(wrong?.server?.sqlState == "28P01")
            let none = await connectError(
                try PostgresConfiguration(
                    "host=127.0.0.1 port=\(server.port) user=app dbname=postgres sslmode=disable passfile=/dev/null"))
            #expect(none?.code == .authentication)
            #expect(none?.server == nil)
        }

        @Test("the error names a database that does not exist")
        func databaseMissing() async throws {
            var configuration = try await PostgresServer.shared.value.configuration
            configuration.set("dbname", to: "nowhere")
            let error = await connectError(configuration)
            #expect(error?.code == .databaseMissing)
            #expect(error?.server?.message.contains("nowhere") == true)
        }

        @Test("an address without a server is an error that names it", arguments: ["unix", "tcp", "name"])
        func unreachable(kind: String) async throws {
            let text =
                switch kind {
                case "unix": "host=/nowhere/at/all"
                case "tcp": "host=127.0.0.1 port=\(try PostgresServer.freePort())"
                default: "host=nowhere.invalid"
                }
            let error = await connectError(try PostgresConfiguration("\(text) user=x"))
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains(kind == "tcp" ? "127.0.0.1" : "nowhere") == true)
        }

        @Test("the first of several hosts that answers is used")
        func severalHosts() async throws {
            let server = try await PostgresServer.shared.value
            var configuration = try server.tcp()
            configuration.set("host", to: "127.0.0.1,127.0.0.1")
            configuration.set("port", to: "\(try PostgresServer.freePort()),\(server.port)")
            try await withConnection(configuration) { connection in
                #expect(await connection.status.isOpen)
            }
        }

        @Test("the kernel gives up a host that does not answer, and the next host is tried")
        func unansweredHost() async throws {
            let server = try await PostgresServer.shared.value
            let listener = try SilentListener(isFull: true)
            var configuration = try server.tcp()
            configuration.set("host", to: "127.0.0.1,127.0.0.1")
            configuration.set("port", to: "\(listener.port),\(server.port)")
            // The kernel examines the time-out when it retransmits, a second after the first transmission.
            configuration.tcpUserTimeout = .milliseconds(100)
            try await withConnection(configuration) { connection in
                #expect(await connection.status.isOpen)
            }
        }

        @Test("an encrypted connection checks the server's certificate")
        func encrypted() async throws {
            let server = try await PostgresServer.shared.value
            for mode in ["sslmode=require", "sslmode=verify-full sslrootcert=\(server.folder)/server.crt"] {
                try await withConnection(try server.tcp(user: "encrypted", mode)) { connection in
                    let row = try await connection.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")[0]
                    #expect(try row.decode(Bool.self, at: 0))
                    #expect(await connection.status.isEncrypted)
                    // The text is longer than a TLS record, so a part of it may still be in TLS's buffers when the
                    // socket is empty.
                    let text = String(repeating: "x", count: 1 << 20)
                    let rows = try await connection.query("SELECT $1 FROM generate_series(1, 3)", [.text(text)])
                    #expect(try rows.allSatisfy { try $0.decode(String.self, at: 0) == text })
                }
            }
        }

        @Test("a certificate that is not trusted is refused")
        func untrusted() async throws {
            let server = try await PostgresServer.shared.value
            let error = await connectError(try server.tcp("sslmode=verify-full sslrootcert=/dev/null"))
            #expect(error?.code == .encryptionRefused)
        }

        @Test("the error says that the server requires TLS")
        func encryptionRequired() async throws {
            let error = await connectError(try await PostgresServer.shared.value.tcp(user: "encrypted"))
            #expect(error?.code == .encryptionRequired)
            #expect(error?.message.contains("sslmode=require") == true)
        }

        @Test("an action without a grant is refused")
        func insufficientPrivilege() async throws {
            try await withConnection(try await PostgresServer.shared.value.tcp(user: "reader")) { connection in
                let error = await postgresError { try await connection.run("CREATE TABLE \(uniqueName()) ()") }
                #expect(error?.code == .insufficientPrivilege)
            }
        }

        @Test("a write in a read-only transaction has its own error")
        func readOnly() async throws {
            var configuration = try await PostgresServer.shared.value.configuration
            configuration.set("options", to: "-c default_transaction_read_only=on")
            try await withConnection(configuration) { connection in
                let error = await postgresError { try await connection.run("CREATE TABLE \(uniqueName()) ()") }
                #expect(error?.code == .readOnly)
            }
            configuration.set("target_session_attrs", to: "read-write")
            #expect(await connectError(configuration)?.code == .readOnly)
        }

        @Test("the settings of a configuration reach the server")
        func settings() async throws {
            var configuration = try await PostgresServer.shared.value.tcp()
            configuration.applicationName = "a test"
            configuration.statementTimeout = .milliseconds(4_321)
            configuration.keepaliveInterval = .seconds(7)
            try await withConnection(configuration) { connection in
                let row = try await connection.query(
                    """
                    SELECT current_setting('application_name'), current_setting('statement_timeout'),
                        current_setting('client_encoding')
                    """)[0]
                #expect(try row.decode(String.self, at: 0) == "a test")
                #expect(try row.decode(String.self, at: 1) == "4321ms")
                #expect(try row.decode(String.self, at: 2) == "UTF8")
            }
        }

        @Test("a server that accepts and stays silent is given up at the deadline")
        func silentServer() async throws {
            let time = VirtualTime()
            let listener = try SilentListener()
            let configuration = try PostgresConfiguration(
                "host=127.0.0.1 port=\(listener.port) user=x connect_timeout=5")
            let task = Task { try await PostgresConnection.connect(configuration, engine: time.engine) }
            await listener.accept()
            while time.pendingTimerCount == 0 { await Task.yield() }
            time.advance(by: .seconds(5))
            let error = await postgresError { try await task.value }
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("5.0 seconds") == true)
            #expect(time.leaks == [])
        }

        @Test("cancelling a task ends its attempt to connect")
        func cancelled() async throws {
            let listener = try SilentListener()
            let configuration = try PostgresConfiguration("host=127.0.0.1 port=\(listener.port) user=x")
            let task = Task { try await PostgresConnection.connect(configuration, engine: VirtualTime().engine) }
            await listener.accept()
            task.cancel()
            let error = await postgresError { try await task.value }
            #expect(error?.code == .cancelled)
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await PostgresConnection.connect(configuration)
            }
            let before = await postgresError { try await early.value }
            #expect(before?.code == .cancelled)
        }
    }

    /// Accepts connections on 127.0.0.1 and sends nothing.
    private final class SilentListener: Sendable {
        let port: Int
        private let descriptor: Int32
        private let waiting: [Int32]

        /// Creates the listener.
        ///
        /// If `isFull` is set, its backlog is full, so that the kernel drops the next connection.
        init(isFull: Bool = false) throws {
            let port = try PostgresServer.freePort()
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            (self.port, self.descriptor) = (port, descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = UInt16(port).bigEndian
            let isListening = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                        && listen(descriptor, isFull ? 0 : 4) == 0
                }
            }
            guard isListening else { throw PostgresServer.Failure(description: "nothing listens: error \(errno)") }
            waiting = (0..<(isFull ? 2 : 0)).map { _ in
                let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK, 0)
                withUnsafePointer(to: &address) { pointer in
                    _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                return client
            }
        }

        deinit { for descriptor in waiting + [descriptor] { close(descriptor) } }

        /// Waits for a connection, which stays open until the process ends.
        func accept() async {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [descriptor] in
                    _ = Foundation.accept(descriptor, nil, nil)
                    continuation.resume()
                }
            }
        }
    }
#endif

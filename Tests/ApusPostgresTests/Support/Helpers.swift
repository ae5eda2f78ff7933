#if Postgres
    import ApusPostgres
    import ApusTimers
    import PostgresTestServer
    import Synchronization
    import Testing

    /// Connects to the shared server, gives the connection to `body`, and closes it.
    func withConnection<Value: Sendable>(
        _ configuration: PostgresConfiguration? = nil, engine: TimerEngine = .shared,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        var chosen: PostgresConfiguration
        if let configuration {
            chosen = configuration
        } else {
            chosen = try await PostgresServer.shared.value.configuration.patient
        }
        // A machine that runs hundreds of tests is slow; no test waits for these time-outs.
        chosen.connectTimeout = .seconds(60)
        let connection = try await PostgresConnection.connect(chosen, engine: engine)
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Returns a name that no other test uses.
    func uniqueName(_ prefix: String = "t") -> String {
        "\(prefix)_\(nameCount.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    private let nameCount = Atomic(0)

    /// Returns the error that `body` throws.
    func postgresError<Value>(
        _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
    ) async -> PostgresError? {
        do {
            _ = try await body()
            Issue.record("nothing was thrown", sourceLocation: location)
        } catch let error as PostgresError {
            return error
        } catch {
            Issue.record("\(error) was thrown", sourceLocation: location)
        }
        return nil
    }

    extension PostgresConnection {
        /// Executes statements without preparing them.
        func run(_ sql: String...) async throws {
            _ = try await execute(PostgresBatch(sql.map { PostgresStatement($0, isPrepared: false) }))
        }

        /// Returns the single value of the single row.
        func value<Value: PostgresElement>(
            _ sql: String, _ parameters: [PostgresValue] = [], as _: Value.Type = Value.self
        ) async throws -> Value {
            try await query(sql, parameters, isPrepared: false)[0].decode(Value.self, at: 0)
        }
    }

    extension PostgresConfiguration {
        /// The configuration with long time-outs, for the preparation of a test or the check of its result.
        ///
        /// Both may take long while hundreds of other tests run, because creating or dropping a database waits for all
        /// backends of the server.
        var patient: Self {
            var patient = self
            (patient.statementTimeout, patient.answerTimeout) = (.seconds(300), .seconds(330))
            return patient
        }
    }

    extension PostgresServer {
        /// The configuration for the server's Unix socket, as its owner.
        var configuration: PostgresConfiguration {
            get throws { try PostgresConfiguration("host=\(folder) port=\(port) user=owner dbname=postgres") }
        }

        /// Returns the configuration for a connection over TCP.
        func tcp(
            user: String = "app", password: String = PostgresServer.password, _ more: String = "sslmode=disable"
        ) throws -> PostgresConfiguration {
            let quoted = password.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return try PostgresConfiguration(
                "host=127.0.0.1 port=\(port) user=\(user) password='\(quoted)' dbname=postgres \(more)")
        }
    }

    extension Proxy {
        convenience init(to server: PostgresServer) throws {
            // The proxy's folder is removed with the server's, however this process ends.
            try self.init(in: "\(server.folder)/\(uniqueName("proxy"))", toServerIn: server.folder, port: server.port)
        }

        var configuration: PostgresConfiguration {
            get throws { try PostgresConfiguration("host=\(folder) port=\(port) user=owner dbname=postgres") }
        }
    }

    /// Gives `body` a connection through a proxy to the shared server.
    func withProxy<Value: Sendable>(
        _ change: (inout PostgresConfiguration) -> Void = { _ in },
        _ body: (PostgresConnection, Proxy) async throws -> Value
    ) async throws -> Value {
        let proxy = try Proxy(to: try await PostgresServer.shared.value)
        defer { proxy.close() }
        var configuration = try proxy.configuration
        change(&configuration)
        return try await withConnection(configuration) { try await body($0, proxy) }
    }
#endif

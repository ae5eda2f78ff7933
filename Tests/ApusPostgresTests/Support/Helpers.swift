#if Postgres
    import ApusPostgres
    import ApusTimers
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
            chosen = try await PostgresServer.shared.value.configuration
        }
        // A machine that is busy with hundreds of tests is slow; no test waits for these.
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

    /// A name that no other test uses.
    func uniqueName(_ prefix: String = "t") -> String {
        "\(prefix)_\(nameCount.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    private let nameCount = Atomic(0)

    /// The error that `body` throws.
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
        /// Executes statements that are not worth preparing.
        func run(_ sql: String...) async throws {
            _ = try await execute(PostgresBatch(sql.map { PostgresStatement($0, isPrepared: false) }))
        }

        /// The one value of the one row.
        func value<Value: PostgresElement>(
            _ sql: String, _ parameters: [PostgresValue] = [], as _: Value.Type = Value.self
        ) async throws -> Value {
            try await query(sql, parameters, isPrepared: false)[0].decode(Value.self, at: 0)
        }
    }
#endif

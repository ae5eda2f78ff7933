#if Postgres
    import ApusJobs
    import ApusTestSupport
    @testable import ApusPostgres
    @testable import ApusTimers
    import Foundation
    import Logging
    import PostgresTestServer
    import Testing

    /// Creates a database on the shared server, gives `body` its configuration, and drops the database.
    func withDatabase<Value: Sendable>(
        schema: String = "apus", _ body: (PostgresConfiguration) async throws -> Value
    ) async throws -> Value {
        let name = uniqueName("database")
        try await withConnection { try await $0.run("CREATE DATABASE \(name)") }
        var own = try await PostgresServer.shared.value.configuration
        own.connectTimeout = .seconds(60)
        own.set("dbname", to: name)
        own.schemaName = try SchemaName(schema)
        do {
            let value = try await body(own)
            try await withConnection { try await $0.run("DROP DATABASE \(name) WITH (FORCE)") }
            return value
        } catch {
            try? await withConnection { try await $0.run("DROP DATABASE \(name) WITH (FORCE)") }
            throw error
        }
    }

    extension PostgresStore {
        /// Creates a store whose node is not declared dead, and does not stop acting, when a heartbeat takes long.
        ///
        /// A heartbeat may take long while hundreds of other tests run. The end of a session is noticed as usual.
        convenience init(patient configuration: PostgresConfiguration, engine: TimerEngine = .shared) {
            self.init(
                configuration, engine: engine, logger: Logger(label: "apus.postgres"), migrations: .shipped,
                timing: .patient)
        }
    }

    extension MembershipMachine.Timing {
        static var patient: Self {
            var timing = Self()
            (timing.trust, timing.patience) = (.seconds(600), .seconds(601))
            // Each read begins with the first submission, as in the model to which tests compare the store: the model's
            // nodes keep nothing between two reads.
            timing.wholeRead = .zero
            return timing
        }
    }

    /// A database that belongs to one test.
    struct Database {
        let configuration: PostgresConfiguration

        func value<Value: PostgresElement & Sendable>(_ sql: String, as type: Value.Type) async throws -> Value {
            try await withConnection(configuration.patient) { try await $0.value(sql, as: type) }
        }

        func run(_ sql: String...) async throws {
            try await withConnection(configuration.patient) { connection in
                for sql in sql { try await connection.run(sql) }
            }
        }

        /// Waits for the condition, which is evaluated on a separate connection.
        func wait(_ what: String, _ isSo: (PostgresConnection) async throws -> Bool) async throws {
            try await withConnection(configuration.patient) { connection in
                try await until(what) { try await isSo(connection) }
            }
        }
    }

    /// Waits until the server's process waits for a lock.
    func untilBlocked(_ process: Int32, _ observer: PostgresConnection) async throws {
        try await until("process \(process) waits for a lock") {
            try await !observer.query("SELECT 1 FROM pg_locks WHERE pid = $1 AND NOT granted", [.int32(process)])
                .isEmpty
        }
    }

    /// The machine's clocks with a shifted time of day.
    struct ShiftedTime: TimeSource {
        let shift: Duration
        func uptime() -> UptimeInstant { SystemTime().uptime() }
        func continuous() -> ContinuousInstant { SystemTime().continuous() }
        func wall() -> WallInstant { SystemTime().wall().advanced(by: shift) }
    }

    /// Gives `body` a folder and removes it.
    func withFolder<Value: Sendable>(_ body: (String) async throws -> Value) async throws -> Value {
        let path = FileManager.default.temporaryDirectory.appending(path: "apus-postgres-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
#endif

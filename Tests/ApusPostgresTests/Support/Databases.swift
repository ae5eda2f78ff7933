#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Foundation
    import Logging
    import PostgresTestServer

    /// Gives `body` a new database of the shared server, and removes it.
    func withDatabase<Value: Sendable>(_ body: (PostgresConfiguration) async throws -> Value) async throws -> Value {
        let name = uniqueName("database")
        var configuration = try await PostgresServer.shared.value.configuration
        configuration.connectTimeout = .seconds(60)
        try await withConnection(configuration) { try await $0.run("CREATE DATABASE \(name)") }
        var own = configuration
        own.set("dbname", to: name)
        do {
            let value = try await body(own)
            try await withConnection(configuration) { try await $0.run("DROP DATABASE \(name) WITH (FORCE)") }
            return value
        } catch {
            try? await withConnection(configuration) { try await $0.run("DROP DATABASE \(name) WITH (FORCE)") }
            throw error
        }
    }

    extension PostgresStore {
        /// Beside hundreds of other tests a beat may take long: nobody is taken for dead because of that, or ceases to act.
        /// A session that has ended is noticed as usual.
        convenience init(patient configuration: PostgresConfiguration, engine: TimerEngine = .shared) {
            self.init(
                configuration, engine: engine, logger: Logger(label: "apus.postgres"), migrations: .shipped,
                timing: .patient)
        }
    }

    extension MembershipMachine.Timing {
        static var patient: Self {
            var timing = Self()
            (timing.trust, timing.patience) = (.seconds(120), .seconds(121))
            return timing
        }
    }

    /// Gives `body` a folder, and removes it.
    func withFolder<Value: Sendable>(_ body: (String) async throws -> Value) async throws -> Value {
        let path = FileManager.default.temporaryDirectory.appending(path: "apus-postgres-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
#endif

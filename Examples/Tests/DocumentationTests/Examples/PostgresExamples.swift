import ApusJobs
import ApusPostgres

/// The application's own connection, made with libpq.
protocol Connection {
    /// The `PGconn` of the connection.
    var handle: OpaquePointer { get }
    func execute(_ sql: String) throws
    func transaction(_ body: () throws -> Void) throws
}

/// The documents' examples of jobs in a PostgreSQL database, with effects that happen exactly once.
enum PostgresExamples {
    struct Charge: JobPayload {
        static let kind = "charge"
        var order: Int
        var cents: Int
    }

    static func remind(_ number: Int) async throws {}

    static func roles() async throws {
        // Shown: roles
        let store = try PostgresStore(PostgresConfiguration("postgres://jobs@db.example/jobs"))

        // in the web process
        let client = JobScheduler(store: store, configuration: .init(serves: .nothing))
        try await client.start()
        try await client.submit(SendReminder(number: 17))
        await client.stop()  // as the process ends

        // in a worker
        let worker = JobScheduler(store: store, configuration: .init(serves: .only(["mail"])))
        worker.register(SendReminder.self) { reminder, _ in try await remind(reminder.number) }
        try await worker.run(grace: .seconds(30))
        // Shown: end
    }

    static func exactlyOnce(
        _ scheduler: JobScheduler, _ store: PostgresStore,
        _ connect: @escaping @Sendable () throws -> any Connection
    ) throws {
        // Shown: exactly-once
        scheduler.register(Charge.self) { charge, run in
            let connection = try connect()
            try connection.transaction {
                try connection.execute(
                    "UPDATE account SET cents = cents - \(charge.cents) WHERE id = \(charge.order)")
                try run.complete(in: connection.handle)
            }
        }

        let connection = try connect()
        try connection.transaction {
            try connection.execute("INSERT INTO purchase (number) VALUES (17)")
            try store.submit(Charge(order: 17, cents: 4_900), in: connection.handle)
        }
        // Shown: end
    }
}

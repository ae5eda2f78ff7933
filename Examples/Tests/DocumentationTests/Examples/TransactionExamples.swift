import Apus
import ApusSQLite
import GRDB

/// The documents' example of a job in a program's own transaction.
enum TransactionExamples {
    static func ship(_ number: Int) async throws {}

    static func submit(_ path: String) async throws {
        // Shown: own-transaction
        struct ShipOrder: JobPayload {
            static let kind = "order.ship"
            var number: Int
        }

        let store = SQLiteStore(path: path)
        let scheduler = JobScheduler(store: store)
        scheduler.register(ShipOrder.self) { order, _ in try await ship(order.number) }
        try await scheduler.start()  // makes the file

        var configuration = Configuration()
        configuration.busyMode = .timeout(5)  // the scheduler writes, too
        let database = try DatabasePool(path: path, configuration: configuration)

        try await database.write { db in
            try db.execute(sql: "INSERT INTO purchase (number) VALUES (?)", arguments: [17])
            try store.submit(ShipOrder(number: 17), in: db)
        }
        // Shown: end
    }
}

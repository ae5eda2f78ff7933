import Apus
import ApusSQLite
import Foundation
import GRDB
import Testing

/// The documents' example of a job in a program's own transaction.
enum TransactionExamples {
    static func ship(_ number: Int) async throws {}

    static func submit(_ path: String) async throws {
        // Shown: own-transaction
        struct ShipOrder: JobPayload {
            static let kind = "order.ship"
            var number: Int
        }

        let database = try DatabasePool(path: path)
        try await database.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS purchase (number INTEGER)") }

        let store = SQLiteStore(in: database)
        let scheduler = JobScheduler(store: store)
        scheduler.register(ShipOrder.self) { order, _ in try await ship(order.number) }
        try await scheduler.start()  // makes the tables of Apus

        try await database.write { db in
            try db.execute(sql: "INSERT INTO purchase (number) VALUES (?)", arguments: [17])
            try store.submit(ShipOrder(number: 17), in: db)
        }
        // Shown: end
    }
}

private struct ShipOrder: JobPayload {
    static let kind = "order.ship"
    var number: Int
}

/// The code under test.
private func checkOut(_ order: Int, _ database: DatabasePool, _ store: SQLiteStore) async throws {
    try await database.write { db in
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS purchase (number INTEGER)")
        try db.execute(sql: "INSERT INTO purchase (number) VALUES (?)", arguments: [order])
        try store.submit(ShipOrder(number: order), in: db)
    }
}

// Shown: own-transaction-test
@Test("who checks out gets one shipment")
func checkOutShips() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db").path
    let database = try DatabasePool(path: path)
    let store = SQLiteStore(in: database)
    let scheduler = JobScheduler(store: store, configuration: .init(serves: .nothing))  // runs no jobs
    try await scheduler.start()

    try await checkOut(17, database, store)
    try await scheduler.takeSubmissions()
    let jobs = try await scheduler.jobs(JobQuery(kind: ShipOrder.kind)).jobs
    #expect(try jobs.map { try $0.payload(as: ShipOrder.self).number } == [17])
    await scheduler.stop()
}
// Shown: end

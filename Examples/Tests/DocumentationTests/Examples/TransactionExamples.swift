// Shown: own-transaction
import Apus
import ApusSQLite
import Foundation
import GRDB
import Synchronization
import Testing

struct ShipOrder: JobPayload {
    static let kind = "order.ship"
    static let defaults = JobDefaults(policies: .init(retry: .exponential(attempts: 5), timeLimit: .seconds(60)))
    var number: Int
}

/// The orders of a shop, and the jobs that ship them, in one database.
struct Orders {
    let database: DatabasePool
    let store: SQLiteStore
    let scheduler: JobScheduler

    init(path: String, ship: @escaping @Sendable (Int) async throws -> Void) throws {
        let database = try DatabasePool(path: path)
        (self.database, store) = (database, SQLiteStore(in: database))
        scheduler = JobScheduler(store: store)
        scheduler.register(ShipOrder.self) { order, _ in
            try await ship(order.number)  // after an error the next attempt follows, 1, 2, 4 or 8 s later
            try await database.write {
                try $0.execute(sql: "UPDATE purchase SET isShipped = TRUE WHERE number = ?", arguments: [order.number])
            }
        }
    }

    func start() async throws {
        try await database.write {
            try $0.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS purchase (
                        number INTEGER PRIMARY KEY, isShipped BOOLEAN NOT NULL DEFAULT FALSE)
                    """)
        }
        try await scheduler.start()  // makes the tables of Apus
    }

    func checkOut(_ number: Int) async throws {
        try await database.write { db in
            try db.execute(sql: "INSERT INTO purchase (number) VALUES (?)", arguments: [number])
            try store.submit(ShipOrder(number: number), in: db)
        }
    }
}
// Shown: end

struct NoCarrier: Error {}

@Test("an order whose first shipment fails is shipped by the second attempt")
func orderIsShipped() async throws {
    let shipped = Mutex<[Int]>([])
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db").path
    let orders = try Orders(path: path) { number in
        let isFirst = shipped.withLock {
            $0.append(number)
            return $0.count == 1
        }
        if isFirst { throw NoCarrier() }
    }
    try await orders.start()
    try await orders.checkOut(17)
    try await orders.scheduler.takeSubmissions()
    let job = try #require(try await orders.scheduler.jobs(JobQuery(kind: ShipOrder.kind)).jobs.first)
    let outcome = try await orders.scheduler.outcome(of: job.id)
    #expect(outcome?.state == .succeeded && outcome?.attempt == 2)
    #expect(shipped.withLock { $0 } == [17, 17])
    let isShipped = try await orders.database.read { try Bool.fetchOne($0, sql: "SELECT isShipped FROM purchase") }
    #expect(isShipped == true)
    await orders.scheduler.stop()
}

// Shown: own-transaction-test
@Test("who checks out gets one shipment")
func checkOutShips() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db").path
    let orders = try Orders(path: path) { _ in }
    try await orders.start()

    try await orders.checkOut(17)
    try await orders.scheduler.takeSubmissions()
    let jobs = try await orders.scheduler.jobs(JobQuery(kind: ShipOrder.kind)).jobs
    #expect(try jobs.map { try $0.payload(as: ShipOrder.self).number } == [17])
    await orders.scheduler.stop()
}
// Shown: end

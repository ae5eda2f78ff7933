#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import ApusVirtualTime
    import Foundation
    import GRDB
    import Testing

    /// An application that keeps its tables in the store's file.
    private struct Shop {
        let directory: Directory
        let store: SQLiteStore
        let database: DatabasePool

        struct Ship: JobPayload {
            static let kind = "ship"
            var order: Int
        }

        /// Creates the application after the store has created its file.
        init(busyTimeout: Duration = .seconds(5), time: any TimeSource = SystemTime()) async throws {
            directory = try Directory()
            store = SQLiteStore(path: directory.file(), configuration: .init(busyTimeout: busyTimeout, time: time))
            try await store.openAndClose()
            database = try Self.open(store.path)
        }

        static func open(_ path: String) throws -> DatabasePool {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let pool = try DatabasePool(path: path, configuration: configuration)
            try migrator.migrate(pool)
            return pool
        }

        static var migrator: DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in
                try db.execute(sql: "CREATE TABLE purchase (number INTEGER PRIMARY KEY)")
            }
            return migrator
        }

        func place(_ number: Int, in db: Database) throws {
            try db.execute(sql: "INSERT INTO purchase VALUES (?)", arguments: [number])
        }

        func numbers() throws -> [Int] {
            try database.read { try Int.fetchAll($0, sql: "SELECT number FROM purchase ORDER BY number") }
        }

        func submissions() throws -> Int {
            try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM apus_submission") ?? -1 }
        }

        /// Returns a scheduler and a stream of the orders whose shipments it runs.
        func scheduler(_ store: SQLiteStore? = nil) -> (JobScheduler, AsyncStream<Int>) {
            let scheduler = JobScheduler(store: store ?? self.store)
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            scheduler.register(Ship.self) { ship, _ in continuation.yield(ship.order) }
            return (scheduler, stream)
        }
    }

    @Suite("Jobs that are submitted in an application's own transaction")
    struct SubmitTests {
        private struct Abandoned: Error {}

        @Test(
            "a job and the application's rows are committed or rolled back together, and a committed job runs"
        )
        func together() async throws {
            let shop = try await Shop()
            let (scheduler, shipped) = shop.scheduler()
            try await scheduler.start()
            #expect(throws: Abandoned.self) {
                try shop.database.write { db in
                    try shop.place(1, in: db)
                    try shop.store.submit(Shop.Ship(order: 1), in: db)
                    throw Abandoned()
                }
            }
            try await shop.database.write { db in
                try shop.place(2, in: db)
                try shop.store.submit(Shop.Ship(order: 2), in: db)
                // A savepoint that is rolled back must not leave a job, either.
                try db.inSavepoint {
                    try shop.place(3, in: db)
                    try shop.store.submit(Shop.Ship(order: 3), in: db)
                    return .rollback
                }
            }
            try await shop.database.write { db in
                try shop.place(4, in: db)
                try shop.store.submit(Shop.Ship(order: 4), in: db)
            }
            var seen: [Int] = []
            for await number in shipped {
                seen.append(number)
                if number == 4 { break }
            }
            await scheduler.stop(grace: nil)
            #expect(seen.sorted() == [2, 4])
            #expect(try shop.numbers() == [2, 4])
            #expect(try shop.submissions() == 0)
        }

        @Test("a job submitted while the store is not open runs once after the next start")
        func afterStart() async throws {
            let shop = try await Shop()
            let id = try await shop.database.write { db in
                try shop.place(1, in: db)
                return try shop.store.submit(Shop.Ship(order: 1), in: db)
            }
            for _ in 0..<2 {
                let (scheduler, _) = shop.scheduler()
                try await scheduler.start()
                try await scheduler.takeSubmissions()
                let run = try #require(try await scheduler.outcome(of: id))
                #expect(run.state == .succeeded && run.occurrence == 1)
                await scheduler.stop(grace: nil)
            }
            let session = try await shop.store.open()
            #expect(try await shop.store.runs(RunQuery()).runs.count == 1)
            try await shop.store.close(session)
        }

        @Test(
            "another process's submission is taken at the next turn, or when the scheduler is asked to take it")
        func otherProcess() async throws {
            let shop = try await Shop()
            let (scheduler, shipped) = shop.scheduler()
            try await scheduler.start()
            // This store has no scheduler to notify, as in another process.
            let other = SQLiteStore(path: shop.store.path)
            var shipments = shipped.makeAsyncIterator()
            try await shop.database.write { db in _ = try other.submit(Shop.Ship(order: 1), in: db) }
            try await scheduler.takeSubmissions()
            #expect(await shipments.next() == 1)
            try await shop.database.write { db in _ = try other.submit(Shop.Ship(order: 2), in: db) }
            try await scheduler.submit(Shop.Ship(order: 3))
            #expect(Set([await shipments.next(), await shipments.next()]) == [2, 3])
            await scheduler.stop(grace: nil)
        }

        @Test("a submission has every field of its request, and the instant of its transaction")
        func fields() async throws {
            let time = VirtualTime()
            let shop = try await Shop(time: time)
            let request = JobRequest(
                id: "everything", name: "É", kind: "ship",
                trigger: .every(.seconds(90), anchoredAt: time.wall(), count: 3),
                policies: JobPolicies(
                    tolerance: .nanoseconds(1), missedRuns: .runAll(limit: 3), overlap: .queue(limit: 2),
                    retry: RetryPolicy.exponential(attempts: 3), timeLimit: .seconds(9), conditions: .network),
                labels: ["a": "\"\\\n"], payload: Array(0...255), queue: "mail", priority: .high,
                fairnessKey: "é", metadata: ["b": "c"],
                uniqueness: .payload(within: .seconds(3)), conflict: .keep, idempotencyKey: "key")
            try await shop.database.write { db in _ = try shop.store.submit(request, in: db) }
            let session = try await shop.store.open()
            let found = try await shop.store.submissions(limit: 9, in: session)
            #expect(found.map(\.command) == [.submit([request])])
            #expect(found.map(\.submitted) == [time.wall()])
            try await shop.store.close(session)
        }

        @Test("an invalid submission is refused in the caller's transaction, which can continue")
        func invalid() async throws {
            let time = VirtualTime()
            let shop = try await Shop(time: time)
            try await shop.database.write { db in
                try shop.place(1, in: db)
                for request in [
                    JobRequest(id: "", trigger: .after(.zero)),
                    JobRequest(id: "a", trigger: .at(time.wall().advanced(by: .seconds(-1)))),
                    JobRequest(id: "a", trigger: .after(.zero), payload: Array(repeating: 0, count: 65_537)),
                ] {
                    let error = #expect(throws: JobError.self) { try shop.store.submit(request, in: db) }
                    #expect(error?.code == .invalid, "\(error.map { "\($0)" } ?? "")")
                }
            }
            #expect(try shop.numbers() == [1])
            #expect(try shop.submissions() == 0)
        }

        @Test(
            "a connection to another file, a read-only one, and a file without the store's tables are refused with a reason"
        )
        func wrongConnection() async throws {
            let shop = try await Shop()
            let request = JobRequest(id: "a", trigger: .after(.zero))
            let elsewhere = try DatabaseQueue(path: shop.directory.file("other.db"))
            let memory = try DatabaseQueue()
            for (database, words) in [(elsewhere, "other.db, but the store"), (memory, "in memory, but the store")] {
                let error = #expect(throws: JobError.self) {
                    try database.write { db in _ = try shop.store.submit(request, in: db) }
                }
                #expect(error?.code == .invalid && error?.message.contains(words) == true, "\(error?.message ?? "")")
            }
            let reading = #expect(throws: JobError.self) {
                try shop.database.read { db in _ = try shop.store.submit(request, in: db) }
            }
            #expect(reading?.code == .invalid && reading?.message.contains("read-only") == true)
            let bare = SQLiteStore(path: shop.directory.file("other.db"))
            let missing = #expect(throws: JobError.self) {
                try elsewhere.write { db in _ = try bare.submit(request, in: db) }
            }
            #expect(missing?.code == .unavailable && missing?.message.contains("open it first") == true)
            // A link to the file counts as the file.
            try FileManager.default.createSymbolicLink(
                atPath: shop.directory.file("link.db"), withDestinationPath: shop.store.path)
            let link = SQLiteStore(path: shop.directory.file("link.db"))
            try await shop.database.write { db in _ = try link.submit(request, in: db) }
            #expect(try shop.submissions() == 1)
        }

        @Test("a submission that cannot be read is refused and removed, and the others are taken")
        func unreadable() async throws {
            let shop = try await Shop()
            try await shop.database.write { db in
                try db.execute(sql: "INSERT INTO apus_submission (submitted, request) VALUES (0, '{\"id\": \"a\"}')")
                _ = try shop.store.submit(Shop.Ship(order: 2), in: db)
            }
            let (scheduler, shipped) = shop.scheduler()
            try await scheduler.start()
            for await _ in shipped { break }
            await scheduler.stop(grace: nil)
            #expect(try shop.submissions() == 0)
        }

        @Test("a turn that finds the file locked by the application's transaction is written later")
        func longTransaction() async throws {
            let shop = try await Shop(busyTimeout: .milliseconds(1))
            let (scheduler, shipped) = shop.scheduler()
            try await scheduler.start()
            let (failed, failure) = AsyncStream.makeStream(of: Void.self)
            let transaction = Task {
                try await shop.database.write { db in
                    try shop.place(1, in: db)
                    try shop.store.submit(Shop.Ship(order: 1), in: db)
                    // The transaction lasts until the scheduler's own submission has failed.
                    let waiting = DispatchSemaphore(value: 0)
                    Task {
                        await #expect(throws: JobError.self) { try await scheduler.submit(Shop.Ship(order: 2)) }
                        failure.finish()
                        waiting.signal()
                    }
                    waiting.wait()
                }
            }
            for await _ in failed {}
            try await transaction.value
            var shipments = shipped.makeAsyncIterator()
            #expect(await shipments.next() == 1)
            await scheduler.stop(grace: nil)
            #expect(try shop.numbers() == [1])
        }
    }

    @Suite("An application's tables beside those of jobs")
    struct SharedFileTests {
        @Test("an application's tables and its migrator's survive each start of the store")
        func restart() async throws {
            let shop = try await Shop()
            try await shop.database.write { db in try shop.place(1, in: db) }
            for _ in 0..<3 { try await shop.store.openAndClose() }
            #expect(try shop.numbers() == [1])
            try Shop.migrator.migrate(shop.database)
            #expect(try await shop.database.read { try Shop.migrator.completedMigrations($0) } == ["v1"])
        }

        @Test(
            "a migration of the file drops the store's former migrator table and no other",
            arguments: [
                ("v1", "", false), ("v2", "", false), ("v1", "INSERT INTO grdb_migrations VALUES ('birds')", true),
                ("v2", "DELETE FROM grdb_migrations WHERE identifier = 'v2'", true),
                (
                    "v3",
                    "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1')",
                    true
                ),
            ])
        func migratorsTable(_ version: String, _ sql: String, _ isKept: Bool) async throws {
            let directory = try Directory()
            let store = try fixture(version, in: directory, also: sql)
            try await store.openAndClose()
            let isThere = try foreignConnection(store.path).inDatabase { try $0.tableExists("grdb_migrations") }
            #expect(isThere == isKept)
        }

        @Test("an application's row with a dangling reference does not prevent a migration")
        func foreignKeys() async throws {
            let directory = try Directory()
            let store = try fixture(
                "v3", in: directory,
                also: """
                    CREATE TABLE customer (id INTEGER PRIMARY KEY);
                    CREATE TABLE purchase (customer INTEGER REFERENCES customer (id));
                    INSERT INTO purchase VALUES (7);
                    """)
            try await store.openAndClose()
            let version = try foreignConnection(store.path).inDatabase {
                try Int.fetchOne($0, sql: "PRAGMA user_version")
            }
            #expect(version == 11)
        }

        #if os(Linux)
            @Test("opening the store leaves an open connection of the application its locks on the file")
            func locks() async throws {
                let shop = try await Shop()
                // The probe is closed last, because closing it releases this process's locks on the file.
                let probe = open(shop.store.path, O_RDWR | O_CLOEXEC)
                defer { close(probe) }
                #expect(try isLocked(probe))
                let session = try await shop.store.open()
                #expect(try isLocked(probe))
                try await shop.store.close(session)
                #expect(try isLocked(probe))
                try shop.database.close()
                #expect(try !isLocked(probe))
            }

            /// Returns whether a connection of this process holds a read lock on the file.
            ///
            /// SQLite's locks are POSIX locks. A lock of an open file description (fcntl(2), F_OFD_GETLK) conflicts
            /// with them even within one process.
            private func isLocked(_ descriptor: Int32) throws -> Bool {
                var lock = flock()
                lock.l_type = Int16(F_WRLCK)
                lock.l_whence = Int16(SEEK_SET)
                // This is the range of SHARED in SQLite's os.h.
                (lock.l_start, lock.l_len) = (0x4000_0002, 510)
                let getOpenFileLock: Int32 = 36
                try #require(fcntl(descriptor, getOpenFileLock, &lock) == 0)
                return lock.l_type == Int16(F_RDLCK)
            }
        #endif
    }

    /// Returns a store over a file of an earlier version with an application's additions.
    private func fixture(_ version: String, in directory: Directory, also sql: String) throws -> SQLiteStore {
        let fixture = try #require(
            Bundle.module.url(forResource: version, withExtension: "sql", subdirectory: "Fixtures"))
        let connection = try foreignConnection(directory.file())
        try connection.inDatabase { try $0.execute(sql: try String(contentsOf: fixture, encoding: .utf8) + sql) }
        try connection.close()
        return SQLiteStore(path: directory.file())
    }
#endif

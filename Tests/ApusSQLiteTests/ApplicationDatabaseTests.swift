#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import Foundation
    import GRDB
    import Synchronization
    import Testing

    /// An application with tables whose names are those that the store's tables had before schema 8.
    private struct Bakery {
        let directory: Directory
        let database: DatabasePool
        let store: SQLiteStore

        struct Bake: JobPayload {
            static let kind = "bake"
            var loaf: Int
        }

        init(durability: SQLiteStore.Durability = .full) throws {
            directory = try Directory()
            database = try DatabasePool(path: directory.file())
            store = SQLiteStore(in: database, configuration: .init(durability: durability))
            try migrator.migrate(database)
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA user_version = 42; PRAGMA application_id = 7")
            }
        }

        var migrator: DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in
                for table in ["job", "request", "run", "owner", "clock", "queue", "submission", "refusal", "set_aside"]
                {
                    try db.execute(sql: "CREATE TABLE \(table) (key INTEGER PRIMARY KEY, loaf TEXT)")
                }
                try db.execute(sql: "CREATE INDEX job_wake ON job (loaf); INSERT INTO job (loaf) VALUES ('rye')")
            }
            return migrator
        }

        /// Returns the application's schema, settings and rows as text, without SQLite's own tables.
        func own() throws -> [String] {
            try database.read { db in
                let tables = try String.fetchAll(
                    db,
                    sql: """
                        SELECT type || ' ' || name || ': ' || ifnull(sql, '') FROM sqlite_master
                        WHERE name NOT LIKE 'apus\\_%' ESCAPE '\\' AND tbl_name NOT LIKE 'apus\\_%' ESCAPE '\\'
                            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                        ORDER BY name
                        """)
                let pragmas = try ["user_version", "application_id", "journal_mode", "page_size", "auto_vacuum"].map {
                    try "\($0): \(String.fetchOne(db, sql: "PRAGMA \($0)") ?? "")"
                }
                return try tables + pragmas + String.fetchAll(db, sql: "SELECT loaf FROM job ORDER BY key")
            }
        }

        /// Returns a scheduler and a stream of the loaves that it has baked.
        func scheduler(_ store: SQLiteStore? = nil) -> (JobScheduler, AsyncStream<Int>) {
            let scheduler = JobScheduler(store: store ?? self.store)
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            scheduler.register(Bake.self) { bake, _ in continuation.yield(bake.loaf) }
            return (scheduler, stream)
        }
    }

    @Suite("Jobs in an application's own database")
    struct ApplicationDatabaseTests {
        @Test("1,000 runs, a migration and an export change nothing but the tables of Apus")
        func untouched() async throws {
            let bakery = try Bakery()
            let before = try bakery.own()
            let (scheduler, baked) = bakery.scheduler()
            try await scheduler.start()
            try await scheduler.submit((1...1_000).map { try JobRequest(Bakery.Bake(loaf: $0)) })
            var loaves: Set<Int> = []
            for await loaf in baked {
                loaves.insert(loaf)
                if loaves.count == 1_000 { break }
            }
            await scheduler.stop(grace: nil)
            #expect(try bakery.own() == before)
            var migrator = bakery.migrator
            migrator.registerMigration("v2") { try $0.execute(sql: "ALTER TABLE job ADD COLUMN weight INTEGER") }
            try migrator.migrate(bakery.database)
            let after = try bakery.own()
            #expect(after != before, "the migration shows")
            // The copy is opened by its path, as `apus export` and `apus store` do.
            let copy = try await CopyableSQLiteStore(path: bakery.store.path).beginReading()
            #expect(try await copy.header().counts.jobs == 1_000)
            try await copy.finish()
            #expect(try await SQLiteInspection(path: bakery.store.path).check().isEmpty)
            #expect(try bakery.own() == after)
        }

        @Test("a job is committed with the application's rows, or not at all, and runs")
        func together() async throws {
            struct Abandoned: Error {}
            let bakery = try Bakery()
            let (scheduler, baked) = bakery.scheduler()
            try await scheduler.start()
            #expect(throws: Abandoned.self) {
                try bakery.database.write { db in
                    try bakery.store.submit(Bakery.Bake(loaf: 1), in: db)
                    throw Abandoned()
                }
            }
            try await bakery.database.write { db in
                try db.execute(sql: "INSERT INTO job (loaf) VALUES ('spelt')")
                try bakery.store.submit(Bakery.Bake(loaf: 2), in: db)
            }
            #expect(await baked.first { _ in true } == 2)
            await scheduler.stop(grace: nil)
            let loaves = try await bakery.database.read { try String.fetchAll($0, sql: "SELECT loaf FROM job") }
            #expect(loaves == ["rye", "spelt"])
        }

        @Test("neither the application nor the scheduler finds the database locked by the other")
        func neverLocked() async throws {
            // The pool has GRDB's default busy mode, which throws immediately instead of waiting for a lock.
            let bakery = try Bakery()
            let (scheduler, baked) = bakery.scheduler()
            try await scheduler.start()
            async let writes: Void = {
                for number in 1...300 {
                    try await bakery.database.write { db in
                        try db.execute(sql: "INSERT INTO run (loaf) VALUES (?)", arguments: ["\(number)"])
                    }
                }
            }()
            for loaf in 1...100 { try await scheduler.submit(Bakery.Bake(loaf: loaf)) }
            var count = 0
            for await _ in baked {
                count += 1
                if count == 100 { break }
            }
            try await writes
            #expect(scheduler.storeOutage == nil)
            await scheduler.stop(grace: nil)
            let rows = try await bakery.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM run") }
            #expect(rows == 300)
        }

        @Test(
            "a turn is synced as the configuration says, and the application's own transactions as before",
            arguments: [SQLiteStore.Durability.full, .relaxed])
        func syncs(_ durability: SQLiteStore.Durability) async throws {
            FileFaults.install()
            let bakery = try Bakery(durability: durability)
            let session = try await bakery.store.open()
            let log = bakery.store.path + "-wal"
            func level() throws -> Int? {
                try bakery.database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
            }
            let (normal, start) = (try level(), FileFaults.syncs(of: log))
            try await bakery.store.add(sampleJob("a"), session)
            let afterTurn = FileFaults.syncs(of: log)
            #expect(afterTurn - start == (durability == .full ? 1 : 0))
            #expect(try level() == normal && normal == 1)
            try await bakery.database.write { try $0.execute(sql: "INSERT INTO job (loaf) VALUES ('oat')") }
            #expect(FileFaults.syncs(of: log) == afterTurn)
            try await bakery.store.close(session)
        }

        /// Counts commits and changes.
        private final class Observer: TransactionObserver, Sendable {
            let counts = Mutex((willCommit: 0, didCommit: 0, changes: 0))
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { counts.withLock { $0.changes += 1 } }
            func databaseWillCommit() { counts.withLock { $0.willCommit += 1 } }
            func databaseDidCommit(_ db: Database) { counts.withLock { $0.didCommit += 1 } }
            func databaseDidRollback(_ db: Database) {}
        }

        @Test("an application's observer receives the commits of turns, and only the changes to its own tables")
        func observers() async throws {
            let bakery = try Bakery()
            let session = try await bakery.store.open()
            let observer = Observer()
            bakery.database.add(transactionObserver: observer)
            try await bakery.store.add(sampleJob("a"), session)
            try await bakery.database.write { try $0.execute(sql: "INSERT INTO job (loaf) VALUES ('oat')") }
            try await bakery.store.add(sampleJob("b"), session)
            let counts = observer.counts.withLock { [$0.willCommit, $0.didCommit, $0.changes] }
            #expect(counts == [3, 3, 1])
            try await bakery.store.close(session)
            try bakery.database.close()
        }

        @Test(
            "a store or a migrator migrates tables of an earlier schema, and a transaction that would delete rows is refused"
        )
        func earlier() async throws {
            let directory = try Directory()
            let fixture = try #require(
                Bundle.module.url(forResource: "v3", withExtension: "sql", subdirectory: "Fixtures"))
            let dump = try String(contentsOf: fixture, encoding: .utf8)
            for (number, migrate) in [true, false].enumerated() {
                let database = try DatabasePool(path: directory.file("\(number).db"))
                try await database.writeWithoutTransaction {
                    try $0.execute(sql: "PRAGMA foreign_keys = OFF")
                    try $0.execute(sql: dump)
                    try $0.execute(sql: "CREATE TABLE loaf (name TEXT); PRAGMA foreign_keys = ON")
                }
                try await expectError(.invalid) { try await database.write { try SQLiteStore.migrate($0) } }
                if migrate {
                    var migrator = DatabaseMigrator()
                    migrator.registerMigration("jobs") { try SQLiteStore.migrate($0) }
                    try migrator.migrate(database)
                }
                let store = SQLiteStore(in: database)
                let session = try await store.open()
                #expect(try await store.allIDs() == ["swift", "tea~2", "tea"])
                #expect(try await store.runs(RunQuery()).runs.count == 3)
                try await store.close(session)
                let version = try await database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
                #expect(version == 11, "the file was one of Apus' own")
            }
        }

        @Test("a migrator that erases the database when its schema changes keeps the jobs of a registered migration")
        func erasing() async throws {
            let directory = try Directory()
            var migrator = DatabaseMigrator()
            migrator.eraseDatabaseOnSchemaChange = true
            migrator.registerMigration("shop") { try $0.execute(sql: "CREATE TABLE shop (name TEXT)") }
            migrator.registerMigration("jobs") { try SQLiteStore.migrate($0) }
            for start in 1...2 {
                let database = try DatabasePool(path: directory.file())
                try migrator.migrate(database)
                let store = SQLiteStore(in: database)
                // No scheduler has opened the database yet.
                try await database.write { db in
                    _ = try store.submit(JobRequest(id: JobID("a\(start)"), kind: "a", trigger: .after(.zero)), in: db)
                }
                let session = try await store.open()
                #expect(try await store.submissions(limit: 9, in: session).count == start)
                try await store.close(session)
                try database.close()
            }
        }

        @Test("a store that is released without being closed leaves the database to the application, which closes it")
        func released() async throws {
            let directory = try Directory()
            let database = try DatabasePool(path: directory.file())
            for number in 1...3 {
                let store = SQLiteStore(in: database)
                let session = try await store.open()
                try await store.add(sampleJob("a\(number)"), session)
            }
            let jobs = try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM apus_job") }
            #expect(jobs == 3)
            try database.close()
        }

        @Test("a backup has the application's rows and the jobs")
        func backup() async throws {
            let bakery = try Bakery()
            let session = try await bakery.store.open()
            try await bakery.store.add(sampleJob("a"), session)
            let copy = try DatabasePool(path: bakery.directory.file("copy.db"))
            try bakery.database.backup(to: copy)
            let store = SQLiteStore(in: copy)
            let other = try await store.open()
            #expect(try await store.allIDs() == ["a"])
            #expect(try await copy.read { try String.fetchOne($0, sql: "SELECT loaf FROM job") } == "rye")
            try await store.close(other)
            try await bakery.store.close(session)
        }

        @Test("the database has one owner, however it is opened, and its tables are found by its path")
        func owner() async throws {
            let bakery = try Bakery()
            let before = try bakery.own()
            let error = try await expectError(.damaged) { _ = try await SQLiteStore(path: bakery.store.path).open() }
            #expect(error.message.contains("SQLiteStore(in:)"))
            let session = try await bakery.store.open()
            for other in [SQLiteStore(path: bakery.store.path), SQLiteStore(in: bakery.database)] {
                try await expectError(.owned) { _ = try await other.open() }
            }
            try await bakery.store.add(sampleJob("a"), session)
            try await bakery.store.close(session)
            let byPath = SQLiteStore(path: bakery.store.path)
            let again = try await byPath.open()
            #expect(try await byPath.allIDs() == ["a"])
            try await byPath.close(again)
            #expect(try bakery.own() == before)
        }

        @Test("a database that cannot keep jobs is refused by its argument, and nothing is created")
        func refused() async throws {
            let directory = try Directory()
            func expect(
                _ word: String, _ database: any DatabaseWriter, sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let error = try await expectError(.invalid, sourceLocation: sourceLocation) {
                    _ = try await SQLiteStore(in: database).open()
                }
                #expect(error.message.hasPrefix("in: "), "\(error)", sourceLocation: sourceLocation)
                #expect(error.message.contains(word), "\(error)", sourceLocation: sourceLocation)
            }
            try await expect("in memory", try DatabaseQueue())
            try await expect("in memory", try DatabaseQueue(named: "shared"))
            let path = directory.file()
            try await expect("journalMode = .wal", try DatabaseQueue(path: path))
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let pool = try DatabasePool(path: path, configuration: configuration)
            try await expect("foreignKeysEnabled", pool)
            configuration = Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
            let unsynced = try DatabaseQueue(path: path, configuration: configuration)
            try await expect("synchronous = OFF", unsynced)
            configuration = Configuration()
            configuration.readonly = true
            try await expect("read-only", try DatabasePool(path: path, configuration: configuration))
            #expect(try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") } == 0)
            configuration = Configuration()
            configuration.journalMode = .wal
            let store = SQLiteStore(in: try DatabaseQueue(path: path, configuration: configuration))
            try await store.openAndClose()
            try await pool.write { try $0.execute(sql: "UPDATE apus_owner SET schema = 99") }
            try await expectError(.newerSchema) { _ = try await store.open() }
            try await expectError(.newerSchema) { try await pool.write { try SQLiteStore.migrate($0) } }
        }
    }
#endif

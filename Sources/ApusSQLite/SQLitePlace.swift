#if SQLite
    import ApusJobs
    import ApusTimers
    import Dispatch
    import GRDB
    import GRDBSQLite

    /// The location of a store's tables: a file that the store opens, or the open database of an application.
    ///
    /// In an application's database, the store writes over the application's own connection. With another connection,
    /// the application's writes would find the database locked while a turn is written, and GRDB reports that as an
    /// error unless the application has set a timeout.
    struct SQLitePlace: Sendable {
        /// The path of the file with symbolic links resolved, so that two names of one file share one lock.
        let path: String
        /// The path that the caller specified.
        let name: String
        private let database: (any DatabaseWriter)?

        init(path: String) {
            name = path
            self.path = OwnerLock.resolved(path)
            database = nil
        }

        init(_ database: any DatabaseWriter) {
            name = database.path
            path = OwnerLock.resolved(database.path)
            self.database = database
        }

        var host: Schema.Host { database == nil ? .apus : .application }

        /// Refuses an application's database that is in memory or read-only.
        func check() throws(JobError) {
            guard let database else { return }
            if database.configuration.readonly {
                throw JobError(
                    code: .invalid, message: "in: the database is read-only; give a database that can be written")
            }
            // These are the names that GRDB and SQLite give to a database in memory.
            if name.isEmpty || name == ":memory:" || name.hasPrefix("file:") {
                throw JobError(
                    code: .invalid,
                    message:
                        "in: the database is in memory, so its jobs would be lost with it; use a file, or a MemoryStore"
                )
            }
        }

        func writer(
            _ configuration: SQLiteStore.Configuration, _ allowsLongTransactions: Bool
        ) throws -> any DatabaseWriter {
            if let database { return database }
            var settings = GRDB.Configuration()
            settings.foreignKeysEnabled = true
            settings.label = "apus.sqlite.writer"
            settings.qos = .userInitiated
            settings.allowsUnsafeTransactions = allowsLongTransactions
            settings.busyMode = Self.busyMode(configuration)
            return try DatabaseQueue(path: path, configuration: settings)
        }

        /// Opens another connection, which only reads.
        ///
        /// A connection to an application's database has the application's settings, because these may include the key
        /// of an encrypted database.
        func reader(
            _ configuration: SQLiteStore.Configuration, _ allowsLongTransactions: Bool
        ) throws -> any DatabaseWriter {
            var settings = database?.configuration ?? GRDB.Configuration()
            settings.readonly = true
            settings.label = "apus.sqlite.reader"
            settings.qos = .userInitiated
            settings.allowsUnsafeTransactions = allowsLongTransactions
            settings.busyMode = Self.busyMode(configuration)
            return try DatabaseQueue(path: path, configuration: settings)
        }

        private static func busyMode(_ configuration: SQLiteStore.Configuration) -> Database.BusyMode {
            // SQLite takes the timeout as a 32-bit number of milliseconds.
            let timeout = min(max(.zero, configuration.busyTimeout), .milliseconds(Int32.max)).components
            return .timeout(Double(timeout.seconds) + Double(timeout.attoseconds) * 1e-18)
        }

        /// Configures the writing connection.
        ///
        /// The pragmas of an application's connection are checked and not changed. The exception is `fullfsync`: on
        /// Darwin, with the durability `full`, it is set on that connection too.
        func prepareWriter(_ db: Database, _ configuration: SQLiteStore.Configuration) throws {
            if database != nil {
                try checkApplication(db, configuration)
            } else {
                let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
                guard mode == "wal" else {
                    throw JobError(
                        code: .unavailable,
                        message:
                            "the file system of the database \(path) does not support a write-ahead log; use a local disk"
                    )
                }
                // This is four times the default. A checkpoint syncs twice and writes each page once, however often the
                // log contains the page, so rarer checkpoints cost less.
                try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
                try db.execute(sql: "PRAGMA synchronous = \(configuration.durability.synchronous)")
            }
            #if canImport(Darwin)
                // A plain fsync does not reach the medium on Darwin.
                if configuration.durability == .full {
                    try db.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
                }
            #endif
        }

        private func checkApplication(_ db: Database, _ configuration: SQLiteStore.Configuration) throws {
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? ""
            guard mode == "wal" else {
                throw JobError(
                    code: .invalid,
                    message: """
                        in: the database \(path) is in journal mode \(mode), in which reading jobs would lock out writers; \
                        open it as a DatabasePool, or as a DatabaseQueue whose configuration has journalMode = .wal
                        """)
            }
            let isSynced = try Int.fetchOne(db, sql: "PRAGMA synchronous") != 0
            guard isSynced || configuration.durability != .full else {
                throw JobError(
                    code: .invalid,
                    message: """
                        in: the database \(path) is never synced to the disk (synchronous = OFF), so a power failure could \
                        undo what the store has acknowledged; set it to NORMAL, or give the store the durability relaxed
                        """)
            }
            guard try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true else {
                throw JobError(
                    code: .invalid,
                    message: """
                        in: the database \(path) does not enforce foreign keys, which delete the runs of a job with the job; \
                        leave foreignKeysEnabled = true in its configuration
                        """)
            }
        }
    }
#endif

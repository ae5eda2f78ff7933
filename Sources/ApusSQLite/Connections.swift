#if SQLite
    import ApusJobs
    import ApusTimers
    import GRDB
    import PathTrust
    import Synchronization

    /// What an open store holds: the lock, the writing connection and the reading connection.
    ///
    /// Two connections, because a list must not wait for a sync. Only one of them writes and checkpoints, which also
    /// keeps the store clear of the WAL-reset error of SQLite 3.7.0 to 3.51.2: it needs two connections that do.
    final class Connections: Sendable {
        let reader: Connection
        let writer: Connection
        private let turns: TurnWriterBox
        private let lock: FileLock
        private let failedToSync = Atomic(false)

        /// Carries the writer to the connection's queue.
        private struct TurnWriterBox: @unchecked Sendable {  // `writer` is used only on the connection's queue
            let writer: TurnWriter
        }

        /// Up to this size, a file is checked as a whole when it is opened; it takes a few milliseconds.
        private static let checkedSize: Int64 = 4 << 20

        /// - Parameters:
        ///   - place: the database.
        ///   - configuration: the store's.
        ///   - allowsLongTransactions: whether a transaction may last from one access to a connection to the next.
        ///   - allowsMigration: whether a file of an older version may be brought to the newest schema.
        ///   - failed: connections to the same database that have failed to sync and are closed: these take their place,
        ///     and their lock.
        /// - Throws: ``JobError``.
        init(
            _ place: SQLitePlace, _ configuration: SQLiteStore.Configuration, allowsLongTransactions: Bool = false,
            allowsMigration: Bool = true, insteadOf failed: Connections? = nil
        ) async throws {
            let path = place.path
            do throws(TrustedPath.Failure) { try TrustedPath.checkLinks(place.name) } catch {
                throw JobError(code: .unavailable, message: "the database \(error)")
            }
            try place.check()
            if let failed {
                lock = failed.lock
            } else {
                lock = FileLock(try await OwnerLock.acquire(path: path, owner: configuration.ownerName))
            }
            do {
                let size = try OwnerLock.createPrivateFile(path)
                let (host, mustSync) = (place.host, failed != nil)
                writer = try await Connection.open(
                    try place.writer(configuration, allowsLongTransactions), path: path, of: host
                ) { db in
                    try Schema.check(db, path: path, of: host)
                    if !allowsMigration { try Schema.checkIsNewest(db, path: path) }
                    if host == .apus, size > 0, size <= Self.checkedSize { try Self.quickCheck(db, path: path) }
                    try place.prepareWriter(db, configuration)
                    try Schema.migrate(db, of: host)
                    if mustSync { try Self.syncAnew(db, path: path) }
                }
                reader = try await Connection.open(
                    try place.reader(configuration, allowsLongTransactions), path: path)
                turns = try await writer.perform { TurnWriterBox(writer: try TurnWriter($0, configuration)) }
            } catch {
                throw SQLiteErrors.jobError(error, path: path)
            }
        }

        /// Closes both connections; the writer is the last, so that its close checkpoints the log into the file.
        func close() async throws {
            defer { lock.release() }
            try await closeFile()
        }

        private func closeFile() async throws {
            do {
                try await reader.close()
                try await writer.close()
            } catch {
                throw SQLiteErrors.jobError(error, path: writer.path)
            }
        }

        /// Whether a sync of the file has failed: nothing more is read or written over these connections.
        var mustBeReplaced: Bool { failedToSync.load(ordering: .acquiring) }

        /// Closes them, and opens the file anew under the same lock. It may be tried again if that fails.
        func replaced(_ place: SQLitePlace, _ configuration: SQLiteStore.Configuration) async throws -> Connections {
            try await closeFile()
            return try await Connections(place, configuration, insteadOf: self)
        }

        /// Runs `body` with the writer, after what was asked for before.
        func write<Value: Sendable>(_ body: @escaping @Sendable (TurnWriter) throws -> Value) async throws -> Value {
            try await writer.perform { [self] _ in
                defer { if turns.writer.hasFailedToSync { failedToSync.store(true, ordering: .releasing) } }
                return try body(turns.writer)
            }
        }

        /// Makes the node the owner that counts.
        func takeOwnership(_ node: NodeID) async throws -> StoreSession {
            try await write { try $0.takeOwnership(node) }
        }

        /// See ``SQLiteStore/limitPages(to:)``.
        func limitPages(to count: Int64) async throws {
            try await writer.perform { connection in
                _ = try connection.statement("PRAGMA max_page_count = \(count)").run()
            }
        }

        /// Writes what the log has into the file once more: the kernel may believe that it is on the disk, and be
        /// wrong.
        private static func syncAnew(_ db: Database, path: String) throws {
            let row = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(FULL)")
            guard let row, row["busy"] as Int64? == 0 else {
                throw JobError(
                    code: .unavailable,
                    message: "another program reads the database \(path), whose log must be written anew; close it")
            }
        }

        private static func quickCheck(_ db: Database, path: String) throws {
            // A row that breaks a rule of its table is no damage of the file: the reader of the row sets it aside.
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            defer { try? db.execute(sql: "PRAGMA ignore_check_constraints = OFF") }
            guard let answer = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), answer == "ok" else {
                throw SQLiteErrors.damaged(path, "is damaged")
            }
        }
    }

    /// The lock of the file, which connections leave to those that take their place.
    private final class FileLock: Sendable {
        private let lock: Locked<OwnerLock?>

        init(_ lock: consuming OwnerLock) { self.lock = Locked(lock) }

        func release() { lock.withLock { $0 = nil } }
    }
#endif

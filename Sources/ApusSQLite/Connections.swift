#if SQLite
    import ApusJobs
    import ApusTimers
    import GRDB
    import PathTrust
    import Synchronization

    /// The resources of an open store: the lock, the writing connection and the reading connection.
    ///
    /// There are two connections because a list must not wait for a sync. Only one of them writes and checkpoints, so
    /// the store is also not affected by the WAL-reset bug of SQLite 3.7.0 to 3.51.2, which requires two such
    /// connections.
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

        /// The maximum size, in bytes, of a file that is checked entirely when it is opened; the check takes a few
        /// milliseconds.
        private static let checkedSize: Int64 = 4 << 20

        /// Opens the connections.
        ///
        /// - Parameters:
        ///   - place: the location of the database.
        ///   - configuration: the configuration of the store.
        ///   - allowsLongTransactions: whether a transaction may last from one access to a connection to the next.
        ///   - allowsMigration: whether a file of an older version may be migrated.
        ///   - failed: closed connections to the same database whose sync failed; the new connections take over their
        ///     lock.
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

        /// Closes both connections, the writer last, so that its close checkpoints the log into the file.
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

        /// Whether a sync of the file has failed, after which these connections must not read or write.
        var mustBeReplaced: Bool { failedToSync.load(ordering: .acquiring) }

        /// Closes these connections, and opens the file again under the same lock.
        ///
        /// If this throws, it may be tried again.
        func replaced(_ place: SQLitePlace, _ configuration: SQLiteStore.Configuration) async throws -> Connections {
            try await closeFile()
            return try await Connections(place, configuration, insteadOf: self)
        }

        /// Runs `body` with the writer, after the earlier work of the connection, and blocks the calling thread
        /// meanwhile.
        ///
        /// A scheduler writes on a thread of its own, which has nothing else to do until a commit returns. To continue
        /// on another thread and to come back would take two wake-ups, longer than a small commit without its sync.
        func write<Value>(_ body: (TurnWriter) throws -> Value) throws(JobError) -> Value {
            try writer.performAndWait { _ in
                defer { if turns.writer.hasFailedToSync { failedToSync.store(true, ordering: .releasing) } }
                return try body(turns.writer)
            }
        }

        /// Makes the node the owner, under a new epoch.
        func takeOwnership(_ node: NodeID) throws(JobError) -> StoreSession {
            try write { try $0.takeOwnership(node) }
        }

        /// Limits the size of the file; see ``SQLiteStore/limitPages(to:)``.
        func limitPages(to count: Int64) async throws {
            try await writer.perform { connection in
                _ = try connection.statement("PRAGMA max_page_count = \(count)").run()
            }
        }

        /// Writes the contents of the log into the file again, because after a failed sync the kernel may treat
        /// unwritten pages as written.
        private static func syncAnew(_ db: Database, path: String) throws {
            let row = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(FULL)")
            guard let row, row["busy"] as Int64? == 0 else {
                throw JobError(
                    code: .unavailable,
                    message:
                        "another program reads the database \(path), so its write-ahead log cannot be reset; close that program"
                )
            }
        }

        private static func quickCheck(_ db: Database, path: String) throws {
            // A row that violates a constraint does not count as damage of the file, because its reader sets the job
            // aside.
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            defer { try? db.execute(sql: "PRAGMA ignore_check_constraints = OFF") }
            guard let answer = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), answer == "ok" else {
                throw SQLiteErrors.damaged(path, "is damaged")
            }
        }
    }

    /// The lock of the file, which connections pass to their replacement.
    private final class FileLock: Sendable {
        private let lock: Locked<OwnerLock?>

        init(_ lock: consuming OwnerLock) { self.lock = Locked(lock) }

        func release() { lock.withLock { $0 = nil } }
    }
#endif

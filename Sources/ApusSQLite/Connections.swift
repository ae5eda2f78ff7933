import ApusJobs
import ApusTimers
import Dispatch
import GRDB
import GRDBSQLite
import Logging

/// What an open store holds: the lock, the connection that writes, and the one that reads.
///
/// Two connections, because a list must not wait for a sync. Only one of them writes and checkpoints, which also keeps
/// the store clear of the WAL-reset error of SQLite 3.7.0 to 3.51.2: it needs two connections that do.
final class Connections: Sendable {
    let commits: GroupCommit
    let reader: Connection
    private let writer: Connection
    private let lock: Locked<OwnerLock?>
    private let epoch = Locked(StoreEpoch(rawValue: 0))

    /// Up to this size, a file is checked as a whole when it is opened; it takes a few milliseconds.
    private static let checkedSize: Int64 = 4 << 20

    /// - Parameters:
    ///   - path: the file, with symbolic links resolved.
    ///   - name: the path that was asked for.
    ///   - configuration: the store's.
    /// - Throws: ``JobError``.
    init(path: String, askedFor name: String, _ configuration: SQLiteStore.Configuration) async throws {
        do throws(TrustedPath.Failure) { try TrustedPath.checkLinks(name) } catch {
            throw JobError(.unavailable, "the database \(error)")
        }
        lock = Locked(try await OwnerLock.acquire(path: path, owner: configuration.ownerName))
        do {
            let size = try OwnerLock.createPrivateFile(path)
            let queue = try DatabaseQueue(path: path, configuration: Self.grdb(configuration, readonly: false))
            try queue.inDatabase { db in
                try Schema.check(db, path: path)
                if size > 0, size <= Self.checkedSize { try Self.quickCheck(db, path: path) }
                try Self.prepareWriter(db, configuration)
                try Schema.migrate(db)
            }
            writer = try Connection(queue, path: path)
            reader = try Connection(
                try DatabaseQueue(path: path, configuration: Self.grdb(configuration, readonly: true)), path: path)
            commits = try await GroupCommit(
                writer, limit: configuration.groupLimit, beforeCommit: configuration.beforeCommit)
        } catch {
            throw SQLiteErrors.jobError(error, path: path)
        }
    }

    /// Closes both connections; the writer is the last, so that it is the one that puts the log back into the file.
    func close() async throws {
        do {
            defer { lock.withLock { $0 = nil } }
            var unwritten: (any Error)?
            do { try await commits.finish() } catch { unwritten = error }
            try reader.close()
            try writer.close()
            if let unwritten { throw unwritten }
        } catch {
            throw SQLiteErrors.jobError(error, path: writer.path)
        }
    }

    /// Makes this store the owner that counts.
    func takeOwnership() async throws -> StoreEpoch {
        let epoch = try await commits.alone(epoch: nil) { writer, connection in
            try connection.statement("UPDATE owner SET epoch = epoch + 1").run()
            return StoreEpoch(rawValue: try writer.currentEpoch())
        }
        self.epoch.withLock { $0 = epoch }
        return epoch
    }

    /// Keeps a record for the next commit, which checks the epoch once more.
    func setMetadata(_ key: String, to value: String, epoch: StoreEpoch) throws {
        try GroupCommit.check(epoch, self.epoch.withLock { $0.rawValue })
        commits.setMetadata(key, to: value, epoch: epoch)
    }

    /// See ``SQLiteStore/limitPages(to:)``.
    func limitPages(to count: Int64) async throws {
        try await commits.alone(epoch: nil) { _, connection in
            _ = try connection.statement("PRAGMA max_page_count = \(count)").run()
        }
    }

    private static func grdb(_ configuration: SQLiteStore.Configuration, readonly: Bool) -> GRDB.Configuration {
        var result = GRDB.Configuration()
        result.readonly = readonly
        result.foreignKeysEnabled = true
        result.label = readonly ? "apus.sqlite.reader" : "apus.sqlite.writer"
        result.qos = .userInitiated
        let timeout = configuration.busyTimeout.components
        result.busyMode = .timeout(Double(timeout.seconds) + Double(timeout.attoseconds) * 1e-18)
        return result
    }

    private static func prepareWriter(_ db: Database, _ configuration: SQLiteStore.Configuration) throws {
        let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw JobError(
                .unavailable, "the file system of the database cannot keep a write-ahead log; use a local disk")
        }
        // Four times the default: a checkpoint syncs twice and writes each page once, however often the log has it.
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
        try db.execute(sql: "PRAGMA synchronous = \(configuration.durability.synchronous)")
        #if canImport(Darwin)
            // A plain fsync does not reach the medium there.
            if configuration.durability == .full {
                try db.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
            }
        #endif
    }

    private static func quickCheck(_ db: Database, path: String) throws {
        guard let answer = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), answer == "ok" else {
            throw SQLiteErrors.damaged(path, "is damaged")
        }
    }
}

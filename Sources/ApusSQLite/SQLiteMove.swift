#if SQLite
    package import ApusJobs
    import ApusTimers
    import GRDB
    import PathTrust

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Moves of a file's jobs to another store, while a daemon uses the file or not.
    package struct SQLiteMoveSource: MoveSource {
        private let path: String
        private let name: String

        /// - Parameter path: the file.
        package init(path: String) {
            name = path
            self.path = OwnerLock.resolved(path)
        }

        /// The user of the file now, for display; `nil` if there is none.
        package func owner() -> String? { OwnerLock.owner(of: path) }

        package func mark() async throws -> StoreMoveMark? {
            let queue = try open()
            defer { try? queue.close() }
            do { return try queue.inDatabase { try MoveRecord.read($0) } } catch {
                throw SQLiteErrors.jobError(error, path: path)
            }
        }

        /// As long as it is read, the file's log grows.
        package func beginSnapshot() async throws -> any StoreRows {
            let queue = try open()
            let snapshot: SQLiteSnapshot
            do { snapshot = SQLiteSnapshot(try Connection(queue, path: path)) } catch {
                throw SQLiteErrors.jobError(error, path: path)
            }
            do { try await snapshot.begin() } catch {
                try? await snapshot.finish()
                throw error
            }
            return snapshot
        }

        package func beginHandOver() async throws -> any StoreHandOver {
            let connections = try await Connections(
                path: path, askedFor: name, .init(ownerName: "apus store copy"), allowsLongTransactions: true,
                allowsMoved: true)
            let handOver = SQLiteHandOver(connections)
            try await handOver.begin()
            return handOver
        }

        private func open() throws -> DatabaseQueue {
            guard access(path, F_OK) == 0 else { throw JobError(.notFound, "there is no database \(name)") }
            do throws(TrustedPath.Failure) { try TrustedPath.checkLinks(name) } catch {
                throw JobError(.unavailable, "the database \(error)")
            }
            do {
                var configuration = GRDB.Configuration()
                configuration.readonly = true
                configuration.allowsUnsafeTransactions = true
                configuration.label = "apus.sqlite.move"
                configuration.busyMode = .timeout(5)
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                try queue.inDatabase { db in
                    try Schema.check(db, path: path)
                    let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                    guard version == Schema.version else {
                        throw JobError(
                            .unavailable,
                            """
                            the database \(name) has schema \(version), and this program reads \(Schema.version); \
                            migrate it: apus store migrate --store \(name)
                            """)
                    }
                }
                return queue
            } catch {
                throw SQLiteErrors.jobError(error, path: path)
            }
        }
    }

    /// One state of a file that others write.
    private final class SQLiteSnapshot: SQLitePages, StoreRows, @unchecked Sendable {  // nothing of it changes
        func begin() async throws {
            try await connection.perform { connection in
                try connection.statement("BEGIN DEFERRED").run()
                // The first read makes the snapshot.
                _ = try connection.statement("SELECT epoch FROM owner").firstRow { $0.integer() }
            }
        }

        func finish() async throws { try connection.close() }
    }

    /// The file's lock, and a transaction that keeps applications from writing.
    private final class SQLiteHandOver: SQLitePages, StoreHandOver, @unchecked Sendable {  // nothing of it changes
        private let connections: Connections

        init(_ connections: Connections) {
            self.connections = connections
            super.init(connections.writer)
        }

        func begin() async throws {
            try await ending { try $0.statement("BEGIN IMMEDIATE").run() }
        }

        func mark(_ move: StoreMove) async throws {
            try await ending { connection in
                try MoveRecord.write(move, on: connection)
                try connection.statement("COMMIT").run()
            }
        }

        func settle(_ isMoved: Bool) async throws {
            try await ending { connection in
                if connection.isInTransaction { try connection.statement("COMMIT").run() }
                try connection.transaction("BEGIN IMMEDIATE") {
                    try isMoved ? MoveRecord.settle(on: connection) : MoveRecord.remove(on: connection)
                }
            }
            try await connections.close()
        }

        func finish() async throws {
            try await connection.perform { if $0.isInTransaction { $0.rollBack() } }
            try await connections.close()
        }

        /// Runs `body`, and gives the file back if it fails.
        private func ending(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
            do { try await connection.perform(body) } catch {
                try? await finish()
                throw error
            }
        }
    }

    /// The record in a file that its jobs were moved. Triggers keep programs from the file that do not know it.
    enum MoveRecord {
        static func read(_ db: Database) throws -> StoreMoveMark? {
            guard try db.tableExists("moved") else { return nil }
            return try Row.fetchOne(db, sql: "SELECT move, source, target, settled FROM moved").map { row in
                StoreMoveMark(StoreMove(id: row[0], source: row[1], target: row[2]), isSettled: row[3])
            }
        }

        /// - Throws: ``JobError`` with `unavailable` if the jobs were moved.
        static func check(_ db: Database, path: String) throws {
            guard let mark = try read(db) else { return }
            throw JobError(
                .unavailable,
                mark.isSettled
                    ? "the jobs of \(path) were moved to \(mark.move.target): set APUS_STORE to it"
                    : """
                    a move of the jobs of \(path) to \(mark.move.target) was interrupted at its end, and where they are is to \
                    be asked there: repeat it (apus store copy --live --from \(path) --to …)
                    """)
        }

        static func write(_ move: StoreMove, on connection: Connection) throws {
            try connection.statement(
                """
                CREATE TABLE moved (
                    id INTEGER PRIMARY KEY CHECK (id = 1), move TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
                    settled INTEGER NOT NULL) STRICT
                """
            ).run()
            try connection.statement("INSERT INTO moved (id, move, source, target, settled) VALUES (1, ?, ?, ?, 0)")
                .bind(move.id).bind(move.source).bind(move.target).run()
            let message = "the jobs of this file were moved to \(move.target)".replacingQuotes
            for (name, event) in triggers {
                try connection.statement(
                    "CREATE TRIGGER \(name) BEFORE \(event) BEGIN SELECT RAISE(ABORT, '\(message)'); END"
                ).run()
            }
        }

        static func settle(on connection: Connection) throws {
            try connection.statement("UPDATE moved SET settled = 1").run()
        }

        static func remove(on connection: Connection) throws {
            for (name, _) in triggers { try connection.statement("DROP TRIGGER IF EXISTS \(name)").run() }
            try connection.statement("DROP TABLE IF EXISTS moved").run()
        }

        /// An owner's first write, and an application's submission.
        private static let triggers = [
            ("moved_owner", "UPDATE ON owner"), ("moved_submission", "INSERT ON submission"),
        ]
    }

    extension String {
        /// For a literal of SQL.
        fileprivate var replacingQuotes: String {
            unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map(String.init).joined(
                separator: "''")
        }
    }
#endif

#if SQLite
    import ApusJobs
    import GRDB
    import GRDBSQLite

    /// A connection to the store's file, with the statements that were compiled for it.
    ///
    /// It is a connection of the store, or the connection of an application to its own database.
    ///
    /// All members except `perform`, `performAndWait`, `enqueue` and `close` are used only on the queue of the connection.
    ///
    /// For `@unchecked Sendable`: `database`, `handle`, `statements`, `frequent` and `isOpen` are used only on
    /// `queue`'s serial queue.
    final class Connection: @unchecked Sendable {
        let path: String
        private let queue: any DatabaseWriter
        private let host: Schema.Host
        private let database: Database
        private let handle: OpaquePointer
        private var statements: [String: PreparedStatement] = [:]
        private var frequent: [ObjectIdentifier: PreparedStatement] = [:]
        private var isOpen = true

        private init(_ database: Database, of queue: any DatabaseWriter, path: String, host: Schema.Host) throws {
            guard let handle = database.sqliteConnection else {
                throw JobError(code: .closed, message: "the database \(path) is closed")
            }
            self.database = database
            self.queue = queue
            self.path = path
            self.host = host
            self.handle = handle
        }

        deinit {
            // The store was not closed. An application may be using its connection now, so the statements are finalized
            // on its queue.
            guard host == .application, isOpen else { return }
            let left = StatementsBox(statements: statements)
            (statements, frequent) = ([:], [:])
            queue.asyncWriteWithoutTransaction { _ in left.end() }
        }

        /// Carries statements to the queue of their connection.
        private final class StatementsBox: @unchecked Sendable {  // `statements` is used only on the connection's queue
            private var statements: [String: PreparedStatement]

            init(statements: [String: PreparedStatement]) { self.statements = statements }

            func end() { statements = [:] }
        }

        /// Runs `prepare` on the queue after its earlier work, and returns the connection of the queue.
        ///
        /// - Throws: ``JobError``.
        static func open(
            _ queue: any DatabaseWriter, path: String, of host: Schema.Host = .apus,
            prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
        ) async throws -> Connection {
            try await withCheckedThrowingContinuation { continuation in
                queue.asyncWriteWithoutTransaction { db in
                    continuation.resume(
                        with: Result {
                            try prepare(db)
                            return try Connection(db, of: queue, path: path, host: host)
                        }.mapError { SQLiteErrors.jobError($0, path: path) })
                }
            }
        }

        /// Runs `body` on the connection's queue after its earlier work, and returns the result.
        ///
        /// - Throws: ``JobError``.
        func perform<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                enqueue { connection in
                    continuation.resume(
                        with: Result { try body(connection) }.mapError {
                            SQLiteErrors.jobError($0, path: connection.path)
                        })
                }
            }
        }

        /// Runs `body` on the connection's queue after its earlier work, blocks the calling thread meanwhile, and
        /// returns the result.
        ///
        /// If the queue has no work, `body` runs on the calling thread.
        ///
        /// - Throws: ``JobError``.
        func performAndWait<Value>(_ body: (Connection) throws -> Value) throws(JobError) -> Value {
            do { return try queue.writeWithoutTransaction { _ in try body(self) } } catch {
                throw SQLiteErrors.jobError(error, path: path)
            }
        }

        /// Runs `body` on the connection's queue after its earlier work, without waiting for it.
        func enqueue(_ body: @escaping @Sendable (Connection) -> Void) {
            queue.asyncWriteWithoutTransaction { _ in body(self) }
        }

        private var isClosed: JobError {
            JobError(code: .closed, message: "the store \(path) is closed; call open() first")
        }

        /// Returns the statement for a text; each text is compiled once.
        ///
        /// It must not be requested again while its rows are being read.
        func statement(_ sql: String) throws -> PreparedStatement {
            guard isOpen else { throw isClosed }
            if let statement = statements[sql] {
                statement.rebind()
                return statement
            }
            // An application may have closed its database.
            guard database.sqliteConnection == handle else { throw isClosed }
            let statement = try PreparedStatement(sql, on: handle)
            statements[sql] = statement
            return statement
        }

        /// Returns the statement for a text that is used for each row, without hashing the text.
        func statement(_ sql: SQLText) throws -> PreparedStatement {
            if let statement = frequent[ObjectIdentifier(sql)] {
                statement.rebind()
                return statement
            }
            let statement = try statement(sql.text)
            frequent[ObjectIdentifier(sql)] = statement
            return statement
        }

        /// Runs `body` in a transaction, so that its reads see one state of the database, and its writes are atomic.
        func transaction<Value>(_ begin: String = "BEGIN DEFERRED", _ body: () throws -> Value) throws -> Value {
            try control(begin)
            do {
                let value = try body()
                try control("COMMIT")
                return value
            } catch {
                rollBack()
                throw error
            }
        }

        /// Runs `body` in a transaction that writes.
        ///
        /// With the durability `full`, the commit is synced to the disk, even if an application's connection does not
        /// sync its own transactions.
        func writing<Value>(_ durability: SQLiteStore.Durability, _ body: () throws -> Value) throws -> Value {
            guard host == .application, durability == .full else { return try transaction("BEGIN IMMEDIATE", body) }
            let full: Int64 = 2
            let level = try statement("PRAGMA synchronous").firstRow { $0.integer() } ?? full
            guard level < full else { return try transaction("BEGIN IMMEDIATE", body) }
            try pragma("synchronous = \(full)")
            defer { try? pragma("synchronous = \(level)") }
            return try transaction("BEGIN IMMEDIATE", body)
        }

        /// Sets a pragma with a statement that is not cached.
        ///
        /// The pragmas that are set here take effect when the statement is compiled, and not when it runs.
        private func pragma(_ assignment: String) throws {
            try PreparedStatement("PRAGMA \(assignment)", on: handle).run()
        }

        /// Begins or ends a transaction through GRDB, which then notifies an application's observers.
        func control(_ sql: String) throws {
            guard isOpen else { throw isClosed }
            do { try database.cachedStatement(sql: sql).execute() } catch let error as DatabaseError {
                var failure = SQLiteFailure(error)
                failure.systemCode = sqlite3_system_errno(handle)
                throw failure
            }
        }

        /// Rolls the transaction back, unless SQLite has already done so.
        func rollBack() {
            guard isOpen else { return }
            // This does not use `control`, because GRDB lets a cancellation interrupt statements, but not `rollback()`.
            if isInTransaction { try? database.rollback() }
            // If SQLite has ended the transaction itself, GRDB notices it only after another statement.
            if host == .application { _ = try? Int.fetchOne(database, sql: "SELECT 1") }
        }

        var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(handle) == 0 }

        /// Runs `body` without the CHECK constraints of the tables.
        ///
        /// Another program may have written a row that violates a constraint. SQLite would then refuse every change of
        /// the row.
        func withoutChecks<Value>(_ body: () throws -> Value) throws -> Value {
            try pragma("ignore_check_constraints = ON")
            let result = Result { try body() }
            try pragma("ignore_check_constraints = OFF")
            return try result.get()
        }

        /// Returns the query plan of each cached statement, for tests.
        func queryPlans() throws -> [String: [String]] {
            try Dictionary(
                uniqueKeysWithValues: statements.keys.map { sql in
                    var plan: [String] = []
                    try PreparedStatement("EXPLAIN QUERY PLAN \(sql)", on: handle).forEachRow { row in
                        for _ in 0..<3 { _ = row.integer() }
                        plan.append(row.text())
                    }
                    return (sql, plan)
                })
        }

        /// Closes the connection, which must not be used afterwards.
        ///
        /// An application's connection stays open; only the statements are finalized.
        func close() async throws {
            await withCheckedContinuation { continuation in
                enqueue { connection in
                    connection.isOpen = false
                    connection.statements.removeAll()
                    connection.frequent.removeAll()
                    continuation.resume()
                }
            }
            if host == .apus { try queue.close() }
        }
    }
#endif

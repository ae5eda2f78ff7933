#if SQLite
    import ApusJobs
    import GRDB
    import GRDBSQLite

    /// One connection to the file, with its compiled statements: of the store's own, or an application's to its database.
    ///
    /// Everything but `perform`, `enqueue` and `close` is called on the connection's queue only.
    // For `@unchecked Sendable`: `database`, `handle`, `statements`, `frequent` and `isOpen` are touched only on
    // `queue`'s own serial queue.
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
            // Of a store that was not closed. An application may be using its connection at this moment, so the statements
            // end on its queue.
            guard host == .application, isOpen else { return }
            let left = StatementsBox(statements: statements)
            (statements, frequent) = ([:], [:])
            queue.asyncWriteWithoutTransaction { _ in left.end() }
        }

        /// Carries statements to their connection's queue.
        private final class StatementsBox: @unchecked Sendable {  // `statements` is used only on the connection's queue
            private var statements: [String: PreparedStatement]

            init(statements: [String: PreparedStatement]) { self.statements = statements }

            func end() { statements = [:] }
        }

        /// The connection of `queue`, once `prepare` has run on it, after what was asked of it before.
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

        /// Runs `body` on the connection's queue, after what was asked for before, and gives back what it returns.
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

        /// Runs `body` on the connection's queue, after what was asked for before.
        func enqueue(_ body: @escaping @Sendable (Connection) -> Void) {
            queue.asyncWriteWithoutTransaction { _ in body(self) }
        }

        private var isClosed: JobError {
            JobError(code: .closed, message: "the store \(path) is closed; call open() first")
        }

        /// The statement for that text, compiled once. One whose rows are still being read must not be asked for again.
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

        /// The same for a statement that runs for each row.
        func statement(_ sql: SQLText) throws -> PreparedStatement {
            if let statement = frequent[ObjectIdentifier(sql)] {
                statement.rebind()
                return statement
            }
            let statement = try statement(sql.text)
            frequent[ObjectIdentifier(sql)] = statement
            return statement
        }

        /// Runs `body` in a transaction, so that all its reads see one state and all its writes are one.
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

        /// The same for writes. What is committed is synced to the disk, whatever an application's connection does for
        /// its own transactions, if the store is to survive the loss of power.
        func writing<Value>(_ durability: SQLiteStore.Durability, _ body: () throws -> Value) throws -> Value {
            guard host == .application, durability == .full else { return try transaction("BEGIN IMMEDIATE", body) }
            let full: Int64 = 2
            let level = try statement("PRAGMA synchronous").firstRow { $0.integer() } ?? full
            guard level < full else { return try transaction("BEGIN IMMEDIATE", body) }
            try pragma("synchronous = \(full)")
            defer { try? pragma("synchronous = \(level)") }
            return try transaction("BEGIN IMMEDIATE", body)
        }

        /// Such a pragma takes effect as it is compiled, so it is compiled each time.
        private func pragma(_ assignment: String) throws {
            try PreparedStatement("PRAGMA \(assignment)", on: handle).run()
        }

        /// Begins or ends a transaction through GRDB, which notifies an application's observers.
        func control(_ sql: String) throws {
            guard isOpen else { throw isClosed }
            do { try database.cachedStatement(sql: sql).execute() } catch let error as DatabaseError {
                var failure = SQLiteFailure(error)
                failure.systemCode = sqlite3_system_errno(handle)
                throw failure
            }
        }

        /// Ends the transaction, if SQLite has not ended it already.
        func rollBack() {
            guard isOpen else { return }
            // Not with `control`: GRDB lets nothing interrupt this.
            if isInTransaction { try? database.rollback() }
            // GRDB notices only after a statement of its own that SQLite has ended the transaction by itself.
            if host == .application { _ = try? Int.fetchOne(database, sql: "SELECT 1") }
        }

        var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(handle) == 0 }

        /// Runs `body` while the CHECK constraints of tables are not enforced: of a row that breaks one, because another
        /// program has written it, every change would be refused.
        func withoutChecks<Value>(_ body: () throws -> Value) throws -> Value {
            try pragma("ignore_check_constraints = ON")
            let result = Result { try body() }
            try pragma("ignore_check_constraints = OFF")
            return try result.get()
        }

        /// For tests: how SQLite runs each of the statements.
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

        /// Nothing may be asked of it afterwards. An application's connection stays open, without the statements.
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

#if SQLite
    import ApusJobs
    import GRDB
    import GRDBSQLite

    /// One connection to the file, with its compiled statements.
    ///
    /// Everything but `perform` and `enqueue` is called on the connection's queue only.
    // For `@unchecked Sendable`: `statements`, `frequent`, `isOpen` and `handle` are touched only on `queue`'s own
    // serial queue.
    final class Connection: @unchecked Sendable {
        let path: String
        private let queue: DatabaseQueue
        private let handle: OpaquePointer
        private var statements: [String: PreparedStatement] = [:]
        private var frequent: [ObjectIdentifier: PreparedStatement] = [:]
        private var isOpen = true

        init(_ queue: DatabaseQueue, path: String) throws {
            self.queue = queue
            self.path = path
            let handle = queue.inDatabase { db in db.sqliteConnection.map { UInt(bitPattern: $0) } }
            guard let handle, let pointer = OpaquePointer(bitPattern: handle) else {
                throw JobError(code: .closed, message: "the database \(path) is closed")
            }
            self.handle = pointer
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

        /// The statement for that text, compiled once. One whose rows are still being read must not be asked for again.
        func statement(_ sql: String) throws -> PreparedStatement {
            guard isOpen else {
                throw JobError(code: .closed, message: "the store \(path) is closed; call open() first")
            }
            if let statement = statements[sql] {
                statement.rebind()
                return statement
            }
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
            try statement(begin).run()
            do {
                let value = try body()
                try statement("COMMIT").run()
                return value
            } catch {
                rollBack()
                throw error
            }
        }

        /// Ends the transaction, if SQLite has not ended it already.
        func rollBack() {
            guard isInTransaction else { return }
            _ = try? statement("ROLLBACK").run()
        }

        var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(handle) == 0 }

        /// Runs `body` while the CHECK constraints of tables are not enforced: of a row that breaks one, because another
        /// program has written it, every change would be refused.
        func withoutChecks<Value>(_ body: () throws -> Value) throws -> Value {
            // Takes effect as it is compiled, so it is compiled each time.
            func enforce(_ isOn: Bool) throws {
                try PreparedStatement("PRAGMA ignore_check_constraints = \(isOn ? "OFF" : "ON")", on: handle).run()
            }
            try enforce(false)
            let result = Result { try body() }
            try enforce(true)
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

        /// Closes the connection; nothing may be asked of it afterwards. Called off the queue.
        func close() throws {
            queue.inDatabase { _ in
                isOpen = false
                statements.removeAll()
                frequent.removeAll()
            }
            try queue.close()
        }
    }
#endif

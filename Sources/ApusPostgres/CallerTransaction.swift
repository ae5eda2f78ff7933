#if Postgres
    public import ApusJobs
    import ApusTimers
    import CPostgres

    // What an application does in its own transaction. Each of these is a statement that any PostgreSQL client can execute,
    // on a connection to the database of the store, and a call for a connection of libpq's.

    extension JobRequest {
        /// `SELECT apus.submit(…)`, without parameters: the job is there if the transaction is committed, and only then.
        ///
        /// Its trigger counts from the statement, on the database's clock. Whether the identifier is taken is decided by
        /// the node that owns the job, by ``JobRequest/conflict``; a refusal is in that node's log.
        /// - Throws: ``JobError`` with `invalid` for a request that no node would take.
        public func submissionStatement() throws -> String {
            try validate(submittedAt: SystemTime().wall())
            return "SELECT apus.submit(\(ApplicationConnection.literal(JobJSON.text(of: self))))"
        }

        /// Executes ``submissionStatement()`` on an open connection (a `PGconn`), as a part of the transaction that is under
        /// way there. Blocks until the server has answered, as `PQexec` does.
        /// - Returns: the number of the submission.
        /// - Throws: ``JobError`` with `invalid` for a request that no node would take; ``PostgresError`` for the server's
        ///   and the connection's errors. The transaction is to be rolled back then.
        @discardableResult
        public func submit(in connection: OpaquePointer) throws -> Int64 {
            let number = try ApplicationConnection(connection).execute(try submissionStatement())
            guard let number = number.flatMap({ Int64($0) }) else {
                throw PostgresError(.invalid, "the database's function apus.submit is not that of Apus")
            }
            return number
        }
    }

    extension RunContext {
        /// `SELECT apus.complete(…)`, without parameters: with the transaction in which it is executed, the run has
        /// succeeded, whatever happens afterwards to the handler, its node or its machine. If that transaction is rolled
        /// back, the run goes on as if nothing had been done. So the effects that are in the same transaction are there
        /// exactly once for each occurrence.
        ///
        /// The transaction is refused (SQLSTATE `AP410`), by the statement or as it commits, if the run is not going on any
        /// more: because its node was taken for dead and another makes the next attempt, for instance. Then the handler
        /// lets the error pass; its attempt is over already.
        ///
        /// A handler must throw if its transaction was not committed: one that returns has succeeded. What
        /// ``RunContext/setResult(_:)`` has set before is kept with the completion.
        public var completionStatement: String {
            let result = result.map { ", \(ApplicationConnection.literal($0))" } ?? ""
            return "SELECT apus.complete(\(job.key), \(occurrence), \(attempt)\(result))"
        }

        /// Executes ``completionStatement`` on an open connection (a `PGconn`), as a part of the transaction that is under
        /// way there. Blocks until the server has answered, as `PQexec` does.
        /// - Throws: ``JobError`` with `notOwner` if the run is not going on any more; ``PostgresError`` for the server's and
        ///   the connection's other errors. The transaction is to be rolled back then.
        public func complete(in connection: OpaquePointer) throws {
            do { _ = try ApplicationConnection(connection).execute(completionStatement) } catch {
                guard let server = error.server, server.sqlState == "AP410" else { throw error }
                throw JobError(.notOwner, server.message, cause: error)
            }
        }
    }

    /// A connection of an application's own. Nothing of its state is changed but by the statement.
    private struct ApplicationConnection {
        private let handle: OpaquePointer

        init(_ handle: OpaquePointer) { self.handle = handle }

        /// - Returns: the first value of the first row, as text.
        func execute(_ sql: String) throws(PostgresError) -> String? {
            guard let result = PQexec(handle, sql) else { throw failure() }
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_TUPLES_OK else {
                guard let server = PostgresError.ServerMessage(result) else { throw failure() }
                throw ServerErrors.error(server)
            }
            guard PQntuples(result) > 0, PQgetisnull(result, 0, 0) == 0 else { return nil }
            return String(cString: PQgetvalue(result, 0, 0))
        }

        private func failure() -> PostgresError {
            let words = String(cString: PQerrorMessage(handle))
            guard PQstatus(handle) == CONNECTION_OK else { return ServerErrors.lost(words, notice: nil) }
            return PostgresError(
                .invalid,
                "the connection cannot execute a statement now: another one is under way, or it is in pipeline mode "
                    + "(\(words.split(separator: "\n").joined(separator: " ")))")
        }

        /// A literal that is the same under each setting of `standard_conforming_strings`.
        static func literal(_ text: String) -> String {
            var literal = "E'"
            for character in text.unicodeScalars {
                switch character {
                case "'": literal += "''"
                case "\\": literal += "\\\\"
                default: literal.unicodeScalars.append(character)
                }
            }
            return literal + "'"
        }

        static func literal(_ bytes: [UInt8]) -> String {
            let digits = Array("0123456789abcdef")
            var hexadecimal = ""
            for byte in bytes {
                hexadecimal.append(digits[Int(byte >> 4)])
                hexadecimal.append(digits[Int(byte & 15)])
            }
            return "decode('\(hexadecimal)', 'hex')"
        }
    }
#endif

#if Postgres
    public import ApusJobs
    import ApusTimers
    import CPostgres

    // The calls of an application in its own transaction. Each is available as a statement, which any PostgreSQL client
    // can execute on a connection to the store's database, and as a function for a connection of libpq.

    extension PostgresStore {
        /// Returns the statement that submits a job in the transaction in which it is executed.
        ///
        /// The statement is `SELECT apus.submit(…)`, in the store's schema and without parameters. The job exists if
        /// and only if the transaction is committed. Its trigger counts from the statement, on the database's clock.
        /// Everything that depends on other jobs is decided by the node that takes the submission: a submission that
        /// `ConflictPolicy.refuse` refuses is logged there, and is listed by `JobScheduler.refusals`. The store need
        /// not be open.
        ///
        /// - Throws: `JobError` with `invalid`, naming the argument, for a request that `JobScheduler.submit(_:)` would
        ///   refuse regardless of the store's contents.
        public func submissionStatement(for request: JobRequest) throws -> String {
            try request.validate(submittedAt: engine.time.wall())
            return "SELECT \(schema.quoted).submit(\(ApplicationConnection.literal(JobJSON.text(of: request))))"
        }

        /// Submits a job in the caller's own transaction, by executing ``submissionStatement(for:)`` on an open
        /// connection (a `PGconn` of libpq).
        ///
        /// It blocks until the server has answered, as `PQexec` does.
        ///
        /// - Returns: the request's identifier.
        /// - Throws: `JobError` with `invalid`, naming the argument, for a request that `JobScheduler.submit(_:)` would
        ///   refuse regardless of the store's contents; for other errors the `JobError` that `JobScheduler.submit(_:)`
        ///   would throw, with a ``PostgresError`` as the cause. The caller decides whether to roll the transaction
        ///   back.
        @discardableResult
        public func submit(_ request: JobRequest, in connection: OpaquePointer) throws -> JobID {
            let statement = try submissionStatement(for: request)
            do { try ApplicationConnection(connection).execute(statement) } catch { throw error.jobError }
            return request.id
        }

        /// Submits a job with a typed payload in the caller's own transaction; see ``submit(_:in:)``.
        ///
        /// `JobRequest.init(_:id:name:trigger:policies:labels:queue:priority:fairnessKey:metadata:uniqueness:conflict:idempotencyKey:)`
        /// describes the arguments.
        ///
        /// - Returns: the job's identifier.
        /// - Throws: the errors of ``submit(_:in:)``; `JobError` with `invalid`, naming the field, if the payload
        ///   cannot be encoded as JSON.
        @discardableResult
        public func submit<Payload: JobPayload>(
            _ payload: Payload, id: JobID? = nil, name: String? = nil, trigger: Trigger = .after(.zero),
            policies: JobPolicies? = nil, labels: [String: String] = [:], queue: QueueID? = nil,
            priority: JobPriority? = nil, fairnessKey: String? = nil, metadata: [String: String] = [:],
            uniqueness: JobUniqueness? = nil, conflict: ConflictPolicy? = nil, idempotencyKey: String? = nil,
            in connection: OpaquePointer
        ) throws -> JobID {
            try submit(
                JobRequest(
                    payload, id: id, name: name, trigger: trigger, policies: policies, labels: labels, queue: queue,
                    priority: priority, fairnessKey: fairnessKey, metadata: metadata, uniqueness: uniqueness,
                    conflict: conflict, idempotencyKey: idempotencyKey), in: connection)
        }
    }

    extension RunContext {
        /// The statement that completes the run together with the transaction in which it is executed.
        ///
        /// The statement is `SELECT apus.complete(…)`, in the store's schema and without parameters. If the transaction
        /// is committed, the run has succeeded, whatever happens afterwards to the handler, its node or its machine. If
        /// it is rolled back, the run continues as if nothing had been done. The effects in the same transaction are
        /// therefore applied exactly once for each occurrence.
        ///
        /// The transaction is refused (SQLSTATE `AP410`), by the statement or at its commit, if the run is no longer
        /// active, for example because its node was considered dead and another node makes the next attempt. The
        /// handler should then throw the error; its attempt has already ended.
        ///
        /// A handler must throw if its transaction was not committed, because a handler that returns has succeeded. The
        /// statement includes the result that the handler has already set with `RunContext.setResult(_:)`.
        public var completionStatement: String {
            let schema = SchemaName(ofSession: schema)
            let result = result.map { ", \(ApplicationConnection.literal($0))" } ?? ""
            return "SELECT \(schema.quoted).complete(\(job.key), \(occurrence), \(attempt)\(result))"
        }

        /// Executes ``completionStatement`` on an open connection (a `PGconn` of libpq), as a part of its current
        /// transaction.
        ///
        /// It blocks until the server has answered, as `PQexec` does.
        ///
        /// - Throws: `JobError` with `notOwner` if the run is no longer active; for other errors of the server and the
        ///   connection, a `JobError` with a ``PostgresError`` as the cause. The caller decides whether to roll the
        ///   transaction back.
        public func complete(in connection: OpaquePointer) throws {
            do { try ApplicationConnection(connection).execute(completionStatement) } catch {
                guard let server = error.server, server.sqlState == "AP410" else { throw error.jobError }
                throw JobError(code: .notOwner, message: server.message, cause: error)
            }
        }
    }

    /// A connection of an application, on which this type executes statements and changes nothing else.
    private struct ApplicationConnection {
        private let handle: OpaquePointer

        init(_ handle: OpaquePointer) { self.handle = handle }

        func execute(_ sql: String) throws(PostgresError) {
            guard let result = PQexec(handle, sql) else { throw failure() }
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_TUPLES_OK { return }
            guard let server = PostgresError.ServerMessage(result) else { throw failure() }
            throw ServerErrors.error(server)
        }

        private func failure() -> PostgresError {
            let words = String(cString: PQerrorMessage(handle))
            guard PQstatus(handle) == CONNECTION_OK else { return ServerErrors.lost(words, notice: nil) }
            return PostgresError(
                code: .invalid,
                message:
                    "the connection cannot execute a statement now: another one is under way, or it is in pipeline mode "
                    + "(\(words.unicodeScalars.split(separator: "\n").map(String.init).joined(separator: " ")))")
        }

        /// Returns a literal that has the same value under each setting of `standard_conforming_strings`.
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

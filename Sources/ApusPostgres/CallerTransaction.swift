#if Postgres
    public import ApusJobs
    import ApusTimers
    import CPostgres

    // What an application does in its own transaction. Each of these is a statement that any PostgreSQL client can execute,
    // on a connection to the database of the store, and a call for a connection of libpq's.

    extension PostgresStore {
        /// `SELECT apus.submit(…)`, in the store's schema and without parameters: the job is there if the transaction in
        /// which it is executed is committed, and only then.
        ///
        /// Its trigger counts from the statement, on the database's clock. What depends on other jobs is decided by the
        /// node that owns the job: a submission that `ConflictPolicy.refuse` refuses is in that node's log. The store
        /// need not be open.
        /// - Throws: `JobError` with `invalid`, naming the argument, for what `JobScheduler.submit(_:)` would refuse
        ///   whatever is in the store.
        public func submissionStatement(for request: JobRequest) throws -> String {
            try request.validate(submittedAt: engine.time.wall())
            return "SELECT \(schema.quoted).submit(\(ApplicationConnection.literal(JobJSON.text(of: request))))"
        }

        /// Submits a job in the caller's own transaction: ``submissionStatement(for:)``, executed on `connection`, an open
        /// `PGconn` of libpq's. Blocks until the server has answered, as `PQexec` does.
        /// - Returns: the request's identifier.
        /// - Throws: `JobError` with `invalid`, naming the argument, for what `JobScheduler.submit(_:)` would refuse
        ///   whatever is in the store; for other errors what `JobScheduler.submit(_:)` throws, with a ``PostgresError`` as
        ///   the cause. To roll the transaction back is up to the caller.
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
        /// - Returns: the job's identifier.
        /// - Throws: as ``submit(_:in:)``; `JobError` with `invalid`, naming the field, if the payload cannot be written
        ///   as JSON.
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
        /// `SELECT apus.complete(…)`, in the store's schema and without parameters: with the transaction in which it is
        /// executed, the run has succeeded, whatever happens afterwards to the handler, its node or its machine. If that
        /// transaction is rolled back, the run continues as if nothing had been done. So the effects that are in the same
        /// transaction are there exactly once for each occurrence.
        ///
        /// The transaction is refused (SQLSTATE `AP410`), by the statement or as it commits, if the run is no longer
        /// in progress: because its node was taken for dead and another makes the next attempt, for instance. Then the
        /// handler lets the error pass; its attempt is over already.
        ///
        /// A handler must throw if its transaction was not committed: one that returns has succeeded. What
        /// `RunContext.setResult(_:)` has set before is kept with the completion.
        public var completionStatement: String {
            let schema = SchemaName(ofSession: schema)
            let result = result.map { ", \(ApplicationConnection.literal($0))" } ?? ""
            return "SELECT \(schema.quoted).complete(\(job.key), \(occurrence), \(attempt)\(result))"
        }

        /// Executes ``completionStatement`` on an open connection (a `PGconn`), as a part of the transaction that is under
        /// way there. Blocks until the server has answered, as `PQexec` does.
        /// - Throws: `JobError` with `notOwner` if the run is no longer in progress; with `unavailable`, and a
        ///   ``PostgresError`` as the cause, for the server's and the connection's other errors. To roll the transaction
        ///   back is up to the caller.
        public func complete(in connection: OpaquePointer) throws {
            do { try ApplicationConnection(connection).execute(completionStatement) } catch {
                guard let server = error.server, server.sqlState == "AP410" else { throw error.jobError }
                throw JobError(code: .notOwner, message: server.message, cause: error)
            }
        }
    }

    /// A connection of an application's own. Nothing of its state is changed but by the statement.
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

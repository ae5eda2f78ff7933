#if SQLite
    public import ApusJobs
    import ApusTimers
    public import GRDB
    import GRDBSQLite

    /// Submissions in an application's own transaction, for an application whose tables are in the store's file.
    extension SQLiteStore {
        /// Submits a job in the caller's own transaction: the job and the application's rows are committed together, or
        /// not at all.
        ///
        /// ```swift
        /// try await database.write { db in
        ///     try order.insert(db)
        ///     try store.submit(JobRequest(id: "ship-17", kind: "ship", trigger: .after(.zero)), in: db)
        /// }
        /// ```
        ///
        /// The scheduler that owns the store takes the submission exactly once: immediately after the commit if it runs
        /// in this process with this store, otherwise with its next turn, at its next start, or when
        /// `JobScheduler.takeSubmissions()` is called. The trigger counts from this call, on the wall clock of
        /// ``Configuration/time``; `JobPolicies.missedRuns` applies to occurrences that are due before the scheduler
        /// takes the submission.
        ///
        /// Everything that depends on other jobs is decided when the scheduler takes the submission. The caller gets no
        /// answer: a submission that `ConflictPolicy.refuse` refuses is logged, and is listed by
        /// `JobScheduler.refusals`. Middleware is not called.
        ///
        /// The store need not be open in this process, and another process may own its file; but a scheduler of this
        /// version of Apus must have opened the store once.
        ///
        /// - Parameters:
        ///   - request: the job.
        ///   - db: the application's connection to the store's file.
        /// - Returns: the request's identifier. If the uniqueness is not `.identifier`, an existing job with another
        ///   identifier may take the place of the new one; that identifier is not returned.
        /// - Throws: `JobError` with `invalid`, naming the argument, for a request that `JobScheduler.submit(_:)` would
        ///   refuse regardless of the store's contents, or if `db` is a connection to another file; `unavailable`,
        ///   `full` or `damaged`, with GRDB's error as the cause. The caller decides whether the error rolls the
        ///   transaction back.
        @discardableResult
        public func submit(_ request: JobRequest, in db: Database) throws -> JobID {
            let now = configuration.time.wall()
            try request.validate(submittedAt: now)
            let text = try SubmissionRow.encode(request)
            try checkFile(of: db)
            do {
                // The closure is registered before the insertion, because the insertion is a transaction of its own if
                // the caller has not begun one.
                db.afterNextTransaction { [signals] _ in signals.signalSubmissions() }
                try db.cachedStatement(sql: SubmissionRow.insert).execute(arguments: [StoreInstant.encode(now), text])
            } catch let error as DatabaseError {
                if error.resultCode == .SQLITE_ERROR, (try? Schema.hasTable("apus_submission", in: db)) == false {
                    throw JobError(
                        code: .unavailable,
                        message:
                            "the database \(path) has no tables of this version of Apus; let a scheduler open it first",
                        cause: error)
                }
                throw SQLiteErrors.jobError(error, path: path)
            }
            return request.id
        }

        /// Submits a job with a typed payload in the caller's own transaction; see ``submit(_:in:)``.
        ///
        /// `JobRequest.init(_:id:name:trigger:policies:labels:queue:priority:fairnessKey:metadata:uniqueness:conflict:idempotencyKey:)`
        /// describes the arguments.
        ///
        /// - Returns: the request's identifier, as ``submit(_:in:)`` returns it.
        /// - Throws: the errors of ``submit(_:in:)``; `JobError` with `invalid`, naming the field, if the payload
        ///   cannot be encoded as JSON.
        @discardableResult
        public func submit<Payload: JobPayload>(
            _ payload: Payload,
            id: JobID? = nil,
            name: String? = nil,
            trigger: Trigger = .after(.zero),
            policies: JobPolicies? = nil,
            labels: [String: String] = [:],
            queue: QueueID? = nil,
            priority: JobPriority? = nil,
            fairnessKey: String? = nil,
            metadata: [String: String] = [:],
            uniqueness: JobUniqueness? = nil,
            conflict: ConflictPolicy? = nil,
            idempotencyKey: String? = nil,
            in db: Database
        ) throws -> JobID {
            try submit(
                JobRequest(
                    payload, id: id, name: name, trigger: trigger, policies: policies, labels: labels, queue: queue,
                    priority: priority, fairnessKey: fairnessKey, metadata: metadata, uniqueness: uniqueness,
                    conflict: conflict, idempotencyKey: idempotencyKey), in: db)
        }

        /// Checks that `db` is a writing connection to the store's file, because a submission in another file would
        /// never be found.
        private func checkFile(of db: Database) throws(JobError) {
            guard !db.configuration.readonly else {
                throw JobError(
                    code: .invalid,
                    message:
                        "db: the connection is read-only; submit on the connection on which your application writes"
                )
            }
            let file = Self.fileName(of: db)
            guard file == path || OwnerLock.resolved(file) == path else {
                throw JobError(code: .invalid, message: "db: the connection is to \(file), but the store is \(path)")
            }
        }

        static func fileName(of db: Database) -> String {
            let name = db.sqliteConnection.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) } ?? ""
            return name.isEmpty ? "a database in memory" : name
        }
    }
#endif

#if SQLite
    package import ApusJobs
    import ApusTimers
    import PlatformC

    /// A store's file as the source or the destination of a copy.
    ///
    /// The whole copy is one transaction of the file.
    package struct CopyableSQLiteStore: CopyableStore {
        private let place: SQLitePlace
        private let configuration: SQLiteStore.Configuration

        package init(path: String, configuration: SQLiteStore.Configuration = .init()) {
            place = SQLitePlace(path: path)
            self.configuration = configuration
        }

        /// Begins reading under the file's lock.
        ///
        /// A file of an older version of Apus is refused: it would have to be migrated, and a source is not changed.
        ///
        /// - Returns: the transaction.
        /// - Throws: ``JobError``.
        package func beginReading() async throws -> any StoreCopyReader {
            guard access(place.path, F_OK) == 0 else {
                throw JobError(code: .notFound, message: "there is no database \(place.name)")
            }
            let connections = try await Connections(
                place, configuration, allowsLongTransactions: true, allowsMigration: false)
            let transaction = SQLiteCopyTransaction(connections, on: connections.reader)
            try await transaction.begin("BEGIN DEFERRED") { _ in }
            return transaction
        }

        /// Begins writing under the file's lock, in a new file or in one without jobs, runs, queues, submissions and
        /// refusals.
        ///
        /// - Returns: the transaction.
        /// - Throws: ``JobError``.
        package func beginWriting() async throws -> any StoreCopyWriter {
            let connections = try await Connections(place, configuration, allowsLongTransactions: true)
            let transaction = SQLiteCopyTransaction(connections, on: connections.writer)
            try await transaction.begin("BEGIN IMMEDIATE") { [name = place.name] connection in
                let tables = ["job", "run", "queue", "submission", "refusal"]
                let found = try connection.statement(
                    "SELECT \(tables.map { "EXISTS (SELECT 1 FROM apus_\($0))" }.joined(separator: " OR "))"
                ).firstRow { $0.integer() }
                guard found == 0 else {
                    throw JobError(
                        code: .alreadyExists,
                        message: "the database \(name) has jobs already; copy into a new file, or remove this one")
                }
            }
            return transaction
        }
    }

    /// A transaction on one connection that lasts from one call to the next.
    final class SQLiteCopyTransaction: StoreCopyWriter {
        let connection: Connection
        private let connections: Connections
        private let isEnded = Locked(false)

        init(_ connections: Connections, on connection: Connection) {
            self.connections = connections
            self.connection = connection
        }

        func begin(_ sql: String, _ body: @escaping @Sendable (Connection) throws -> Void) async throws {
            do {
                try await connection.perform { connection in
                    try connection.control(sql)
                    try body(connection)
                }
            } catch {
                await abandon()
                throw error
            }
        }

        private func end(_ sql: String) async throws {
            guard
                isEnded.withLock({ isEnded in
                    defer { isEnded = true }
                    return !isEnded
                })
            else { return }
            do {
                try await connection.perform { connection in
                    do { try connection.control(sql) } catch {
                        connection.rollBack()
                        throw error
                    }
                }
            } catch {
                try? await connections.close()
                throw error
            }
            try await connections.close()
        }

        func finish() async throws { try await end("COMMIT") }
        func abandon() async { try? await end("ROLLBACK") }

        // MARK: Writing

        func add(_ header: StoreHeader) async throws {
            try await connection.perform { connection in
                if let clock = header.clock { try TurnWriter.write(clock, on: connection) }
                let axis = ElapsedAxis(header.clock)
                for queue in header.queues { try TurnWriter.write(queue, axis, on: connection) }
                try connection.statement("UPDATE apus_owner SET last_key = max(last_key, ?)").bind(header.lastKey).run()
                // AUTOINCREMENT continues from this row, which exists only after the first insertion into the table.
                try connection.statement("DELETE FROM sqlite_sequence WHERE name = 'apus_submission'").run()
                try connection.statement("INSERT INTO sqlite_sequence (name, seq) VALUES ('apus_submission', ?)")
                    .bind(header.lastSubmission).run()
            }
        }

        func add(_ jobs: [StoredJob]) async throws {
            try await connection.perform { connection in
                let axis = try StoreReader.axis(on: connection)
                var rows = 0
                for stored in jobs {
                    let job = stored.job
                    try JobRow.insert(job, axis, counting: &rows, on: connection)
                    if job.version != 1 {
                        try connection.statement("UPDATE apus_job SET version = ? WHERE key = ?")
                            .bind(job.version).bind(job.key).run()
                    }
                    for run in stored.open { try Self.insert(run, axis, on: connection) }
                }
            }
        }

        func add(_ runs: [StoredRun]) async throws {
            try await connection.perform { connection in
                let axis = try StoreReader.axis(on: connection)
                for run in runs { try Self.insert(run, axis, on: connection) }
            }
        }

        private static func insert(_ stored: StoredRun, _ axis: ElapsedAxis, on connection: Connection) throws {
            let statement = try connection.statement(RunRow.insertWithSequence)
            RunRow.bind(
                stored.run, jobKey: stored.run.jobKey, isTriggerRelative: stored.isTriggerRelative, axis, to: statement)
            try statement.bind(stored.sequence).run()
        }

        func add(_ refusals: [RefusedSubmission]) async throws {
            try await connection.perform { connection in
                for refused in refusals {
                    try connection.statement(
                        "INSERT INTO apus_refusal (\(RefusalRow.columns)) VALUES (?, ?, ?, ?, ?, ?)"
                    ).bind(refused.sequence).bind(refused.submitted.stored).bind(refused.refusal.refused.stored)
                        .bind(refused.refusal.code).bind(refused.refusal.message).bind(refused.command).run()
                }
            }
        }

        func add(_ submissions: [StoredSubmission]) async throws {
            try await connection.perform { connection in
                for submission in submissions {
                    guard let request = submission.request else {
                        throw JobError(
                            code: .invalid,
                            message: """
                                the submission \(submission.sequence) is a command of another node, which a file cannot store; \
                                start a node on the source to carry the command out, stop the node, and copy then
                                """)
                    }
                    try connection.statement(
                        "INSERT INTO apus_submission (sequence, submitted, request) VALUES (?, ?, ?)"
                    )
                    .bind(submission.sequence).bind(submission.submitted.stored).bind(request).run()
                }
            }
        }
    }
#endif

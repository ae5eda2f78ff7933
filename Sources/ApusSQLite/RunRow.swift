#if SQLite
    import ApusJobs
    import ApusTimers

    /// The columns of a run in reading and writing order.
    enum RunRow {
        /// The columns that identify a run.
        private static let identity = ["job", "occurrence", "attempt"]
        /// The other columns, in the order of ``bind(_:jobKey:isTriggerRelative:_:to:)``.
        private static let values = [
            "through", "lost_before", "due", "stands_for", "state", "final", "reason", "not_before", "claimed",
            "started",
            "finished",
            "exit_code", "output", "result", "progress", "progress_message", "due_note",
        ]

        /// The columns that ``read(_:job:isTriggerRelative:_:)`` reads.
        static let columns = (identity + values).map { "run.\($0)" }.joined(separator: ", ")

        /// The condition for open runs, with the expression of the partial index.
        ///
        /// SQLite uses that index only for the same expression.
        static let isOpen = "run.state IN ('waiting', 'claimed')"

        /// Inserts a run, or overwrites the stored run with the same identity; parameters: job, occurrence, attempt,
        /// values.
        static let upsert = SQLText(
            """
            INSERT INTO apus_run (\((identity + values).joined(separator: ", ")))
            VALUES (\((identity + values).map { _ in "?" }.joined(separator: ", ")))
            ON CONFLICT (job, occurrence, attempt)
            DO UPDATE SET \(values.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """)

        /// Inserts a new run; parameters: those of ``upsert``, then the sequence number.
        static let insertWithSequence = SQLText(
            """
            INSERT INTO apus_run (\((identity + values).joined(separator: ", ")), sequence)
            VALUES (\((identity + values).map { _ in "?" }.joined(separator: ", ")), ?)
            """)

        /// Updates an existing run; parameters: those of ``upsert``.
        ///
        /// It is a quarter faster than ``upsert``.
        static let update = SQLText(
            """
            UPDATE apus_run SET \(values.enumerated().map { "\($1) = ?\($0 + identity.count + 1)" }.joined(separator: ", "))
            WHERE job = ?1 AND occurrence = ?2 AND attempt = ?3
            """)

        /// Binds the identity and the values of a run whose job has the key `jobKey`.
        static func bind(
            _ run: Run, jobKey: Int64, isTriggerRelative: Bool, _ axis: ElapsedAxis, to statement: PreparedStatement
        ) {
            let isWaiting = run.state == .waiting
            let dueIsElapsed = isWaiting && run.dueCountsElapsed(isTriggerRelative)
            statement.bind(jobKey).bind(Int64(run.occurrence)).bind(Int64(run.attempt))
            statement.bind(Int64(run.through)).bind(Int64(run.lostBefore))
            statement.bind(dueIsElapsed ? axis.encode(run.due) : run.due.stored).bind(Int64(run.standsFor))
            statement.bind(constant: run.state.stored).bind(run.isFinal ? 1 as Int64 : 0).bind(run.reason)
            statement.bind(isWaiting ? run.notBefore.map(axis.encode) : run.notBefore?.stored)
            statement.bind(run.claimed?.stored).bind(run.started?.stored).bind(run.finished?.stored)
            statement.bind(run.exitCode.map(Int64.init)).bind(run.output)
            statement.bind(run.result).bind(run.progress?.fraction).bind(run.progress?.message)
            statement.bind(run.dueNote?.rawValue)
        }

        /// Reads the run of a row of ``columns``; `job` is the identifier of the run's job.
        static func read(
            _ row: PreparedStatement, job: JobID, isTriggerRelative: Bool, _ axis: ElapsedAxis
        ) throws(StoredProblem) -> Run {
            let key = row.integer()
            let occurrence = Int(row.integer())
            let attempt = Int(row.integer())
            let through = Int(row.integer())
            let lostBefore = Int(row.integer())
            let due = row.integer()
            let standsFor = Int(row.integer())
            guard let state = RunState(rawValue: row.text()) else { throw .unknown("run's state") }
            let isWaiting = state == .waiting
            var run = Run(
                jobKey: key, jobID: job, occurrence: occurrence, through: through, attempt: attempt,
                lostBefore: lostBefore,
                due: StoreInstant.decode(due), standsFor: standsFor, state: state, isFinal: row.integer() == 1,
                reason: row.optionalText(),
                notBefore: row.optionalInteger().map(isWaiting ? axis.decode : StoreInstant.decode),
                claimed: row.optionalInstant(), started: row.optionalInstant(), finished: row.optionalInstant(),
                exitCode: row.optionalInteger().map(Int.init), output: row.blob(), result: row.optionalBlob(),
                progress: readProgress(row))
            run.dueNote = row.optionalText().map(DueNote.init)
            if isWaiting, run.dueCountsElapsed(isTriggerRelative) { run.due = axis.decode(due) }
            try run.checkStored()
            return run
        }

        private static func readProgress(_ row: PreparedStatement) -> RunProgress? {
            let (fraction, message) = (row.optionalReal(), row.optionalText())
            return fraction.map { RunProgress(fraction: $0, message: message) }
        }
    }

    extension RunState {
        var stored: StaticString {
            switch self {
            case .waiting: "waiting"
            case .running: "claimed"
            case .succeeded: "succeeded"
            case .failed: "failed"
            case .skipped: "skipped"
            case .lost: "lost"
            case .cancelled: "cancelled"
            }
        }
    }

    /// The submissions that no turn has taken, used on a connection's queue only.
    enum SubmissionRow {
        /// Inserts a submission over an application's connection; parameters: its instant and the request.
        static let insert = "INSERT INTO apus_submission (submitted, request) VALUES (?, ?)"

        private static let any = SQLText("SELECT EXISTS (SELECT 1 FROM apus_submission)")

        /// Encodes a request as JSON.
        static func encode(_ request: JobRequest) throws(JobError) -> String {
            do { return String(decoding: try JobJSON.encode(request), as: UTF8.self) } catch {
                throw JobError(code: .invalid, message: "the request cannot be written: \(error)", cause: error.cause)
            }
        }

        static func page(limit: Int, on connection: Connection) throws -> [StoreSubmission] {
            var found: [StoreSubmission] = []
            try connection.statement(
                "SELECT sequence, submitted, request FROM apus_submission ORDER BY sequence LIMIT ?"
            )
            .bind(Int64(limit)).forEachRow { row in
                let (sequence, submitted) = (row.integer(), StoreInstant.decode(row.integer()))
                do {
                    let request = try JobJSON.decode(JobRequest.self, from: Array(row.text().utf8))
                    found.append(
                        StoreSubmission(sequence: sequence, submitted: submitted, command: .submit([request])))
                } catch {
                    found.append(StoreSubmission(sequence: sequence, submitted: submitted, problem: "\(error)"))
                }
            }
            return found
        }

        static func areThere(on connection: Connection) throws -> Bool {
            try connection.statement(any).firstRow { $0.integer() } == 1
        }

        /// Removes a submission, and records it as refused if it has a refusal.
        ///
        /// - Throws: ``JobError`` with `conflict` if the submission does not exist.
        static func remove(_ taken: TakenSubmission, on connection: Connection) throws {
            if let refusal = taken.refusal {
                try connection.statement(
                    """
                    INSERT INTO apus_refusal (sequence, submitted, refused, code, message, command)
                    SELECT sequence, submitted, ?2, ?3, ?4, '{"command":"submit","requests":[' || request || ']}'
                    FROM apus_submission WHERE sequence = ?1
                    """
                ).bind(taken.sequence).bind(refusal.refused.stored).bind(refusal.code).bind(refusal.message).run()
            }
            let removed = try connection.statement("DELETE FROM apus_submission WHERE sequence = ?").bind(
                taken.sequence
            )
            .run()
            guard removed == 1 else {
                throw JobError(code: .conflict, message: "the submission \(taken.sequence) no longer exists")
            }
        }
    }
#endif

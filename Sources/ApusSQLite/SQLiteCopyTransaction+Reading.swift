#if SQLite
    import ApusJobs
    import ApusTimers

    extension SQLiteCopyTransaction {
        func header() async throws -> StoreHeader {
            try await connection.perform { connection in
                func number(_ sql: String) throws -> Int64 {
                    try connection.statement(sql).firstRow { $0.integer() } ?? 0
                }
                let isOpen = "state IN ('waiting', 'claimed')"
                let counts = StoreCounts(
                    jobs: Int(try number("SELECT count(*) FROM apus_job")),
                    openRuns: Int(try number("SELECT count(*) FROM apus_run AS run WHERE \(isOpen)")),
                    runs: Int(try number("SELECT count(*) FROM apus_run AS run WHERE NOT \(isOpen)")),
                    submissions: Int(try number("SELECT count(*) FROM apus_submission")),
                    refusals: Int(try number("SELECT count(*) FROM apus_refusal")))
                return StoreHeader(
                    clock: try StoreReader.clock(on: connection), queues: try StoreReader.queues(on: connection),
                    lastKey: try number(
                        "SELECT max(last_key, ifnull((SELECT max(key) FROM apus_job), 0)) FROM apus_owner"),
                    lastSubmission: try number("SELECT seq FROM sqlite_sequence WHERE name = 'apus_submission'"),
                    counts: counts)
            }
        }

        func jobs(after key: Int64, limit: Int) async throws -> [StoredJob] {
            try await connection.perform { connection in
                let axis = try StoreReader.axis(on: connection)
                var jobs: [StoredJob] = []
                try connection.statement(
                    "SELECT \(JobRow.columns) FROM \(JobRow.table) WHERE job.key > ? ORDER BY job.key LIMIT ?"
                ).bind(key).bind(Int64(limit)).forEachRow { row in
                    do throws(UnreadableJob) {
                        jobs.append(StoredJob(try JobRow.read(row, axis), shard: nil, open: []))
                    } catch {
                        throw error.error
                    }
                }
                for index in jobs.indices {
                    try Self.giveWakesBack(to: &jobs[index].job, axis, on: connection)
                    jobs[index].open = try Self.openRuns(of: jobs[index].job, axis, on: connection)
                }
                return jobs
            }
        }

        private static func giveWakesBack(
            to job: inout Job, _ axis: ElapsedAxis, on connection: Connection
        ) throws {
            let wakes = try connection.statement(
                "SELECT wake, elapsed_wake FROM apus_set_aside WHERE job = ? AND version = ?"
            ).bind(job.key).bind(job.version).firstRow { ($0.optionalInstant(), $0.optionalInteger().map(axis.decode)) }
            if let wakes { (job.bookkeeping.wake, job.bookkeeping.elapsedWake) = wakes }
        }

        func refusals(after sequence: Int64, limit: Int) async throws -> [RefusedSubmission] {
            try await connection.perform { connection in
                var found: [RefusedSubmission] = []
                try connection.statement(
                    "SELECT \(RefusalRow.columns) FROM apus_refusal WHERE sequence > ? ORDER BY sequence LIMIT ?"
                ).bind(sequence).bind(Int64(limit)).forEachRow { found.append(RefusalRow.read($0)) }
                return found
            }
        }

        private static func openRuns(of job: Job, _ axis: ElapsedAxis, on connection: Connection) throws -> [StoredRun]
        {
            var runs: [StoredRun] = []
            let isRelative = job.isTriggerRelative
            try connection.statement(
                """
                SELECT \(RunRow.columns), run.sequence FROM apus_run AS run WHERE run.job = ? AND \(RunRow.isOpen)
                ORDER BY run.occurrence, run.attempt
                """
            ).bind(job.key).forEachRow { row in
                let run = try readRun(row, of: job.id, isRelative, axis)
                runs.append(StoredRun(run, sequence: row.integer(), isTriggerRelative: isRelative))
            }
            return runs
        }

        private static func readRun(
            _ row: PreparedStatement, of job: JobID, _ isRelative: Bool, _ axis: ElapsedAxis
        ) throws(JobError) -> Run {
            do throws(StoredProblem) {
                return try RunRow.read(row, job: job, isTriggerRelative: isRelative, axis)
            } catch {
                throw JobError(code: .damaged, message: "\(job): a run of the job cannot be read (\(error.text))")
            }
        }

        func runs(after sequence: Int64, limit: Int) async throws -> [StoredRun] {
            try await connection.perform { connection in
                let axis = try StoreReader.axis(on: connection)
                var runs: [StoredRun] = []
                // CROSS JOIN makes the runs the outer loop, so that they are read in the order of their sequence
                // numbers.
                try connection.statement(
                    """
                    SELECT run.sequence, job.id, request.trigger, request.trigger_anchor, \(RunRow.columns)
                    FROM apus_run AS run CROSS JOIN apus_job AS job ON job.key = run.job
                        CROSS JOIN apus_request AS request ON request.job = run.job
                    WHERE run.sequence > ? AND NOT \(RunRow.isOpen) ORDER BY run.sequence LIMIT ?
                    """
                ).bind(sequence).bind(Int64(limit)).forEachRow { row in
                    let (sequence, id) = (row.integer(), JobID(row.text()))
                    let isRelative = JobRow.isRelative(trigger: row.text(), anchor: row.optionalInteger())
                    let run = try Self.readRun(row, of: id, isRelative, axis)
                    runs.append(StoredRun(run, sequence: sequence, isTriggerRelative: isRelative))
                }
                return runs
            }
        }

        func submissions(after sequence: Int64, limit: Int) async throws -> [StoredSubmission] {
            try await connection.perform { connection in
                var found: [StoredSubmission] = []
                try connection.statement(
                    "SELECT sequence, submitted, request FROM apus_submission WHERE sequence > ? ORDER BY sequence LIMIT ?"
                ).bind(sequence).bind(Int64(limit)).forEachRow { row in
                    found.append(
                        StoredSubmission(sequence: row.integer(), submitted: row.instant(), request: row.text()))
                }
                return found
            }
        }
    }
#endif

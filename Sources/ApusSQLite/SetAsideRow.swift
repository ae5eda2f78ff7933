#if SQLite
    import ApusJobs
    import ApusTimers

    /// The rows of the jobs that are set aside; they are read and written on a connection's queue only.
    enum SetAsideRow {
        /// The condition on the table `apus_job` for a job that is not set aside.
        static let isNone = """
            NOT EXISTS (
                SELECT 1 FROM apus_set_aside AS set_aside
                WHERE set_aside.job = job.key AND set_aside.version = job.version)
            """

        /// Records a job that is set aside, with its wakes; parameters: the job's key and the problem.
        ///
        /// The caller then removes the wakes from the job itself. If the job is set aside again without a change in
        /// between, the wakes that were recorded first are kept.
        private static let note = SQLText(
            """
            INSERT INTO apus_set_aside (job, version, problem, wake, elapsed_wake)
            SELECT key, version, ?2, wake, elapsed_wake FROM apus_job WHERE key = ?1
            ON CONFLICT (job) DO UPDATE SET
                version = excluded.version, problem = excluded.problem,
                wake = ifnull(excluded.wake, iif(version = excluded.version, wake, NULL)),
                elapsed_wake = ifnull(excluded.elapsed_wake, iif(version = excluded.version, elapsed_wake, NULL))
            """)

        static func insert(_ jobs: [UnreadableJob], on connection: Connection) throws {
            if jobs.isEmpty { return }
            try connection.withoutChecks {
                for job in jobs {
                    try connection.statement(note).bind(job.key).bind(job.problem).run()
                    try connection.statement("UPDATE apus_job SET wake = NULL, elapsed_wake = NULL WHERE key = ?")
                        .bind(job.key).run()
                }
            }
        }

        private static let pageSize: Int64 = 1_000

        /// Restores the wakes of the first 1,000 jobs that were set aside, except those that have changed or ended,
        /// and removes the records of all of them.
        ///
        /// - Returns: whether there may be more.
        static func giveBack(on connection: Connection) throws -> Bool {
            let page = "SELECT job FROM apus_set_aside ORDER BY job LIMIT \(pageSize)"
            func noted(_ column: String) -> String {
                "(SELECT \(column) FROM apus_set_aside AS set_aside WHERE set_aside.job = job.key)"
            }
            _ = try connection.withoutChecks {
                try connection.statement(
                    """
                    UPDATE apus_job AS job SET wake = \(noted("wake")), elapsed_wake = \(noted("elapsed_wake"))
                    WHERE key IN (\(page)) AND version = \(noted("version")) AND NOT \(JobRow.hasEnded)
                    """
                ).run()
            }
            return try connection.statement("DELETE FROM apus_set_aside WHERE job IN (\(page))").run() == pageSize
        }

        static func page(after key: Int64, limit: Int, on connection: Connection) throws -> [UnreadableJob] {
            var found: [UnreadableJob] = []
            try connection.statement(
                """
                SELECT set_aside.job, job.id, set_aside.problem
                FROM apus_set_aside AS set_aside
                    CROSS JOIN apus_job AS job ON job.key = set_aside.job AND job.version = set_aside.version
                WHERE set_aside.job > ? ORDER BY set_aside.job LIMIT ?
                """
            ).bind(key).bind(Int64(limit)).forEachRow { row in
                found.append(UnreadableJob(key: row.integer(), id: JobID(row.text()), problem: row.text()))
            }
            return found
        }
    }

    /// The rows of the submissions that were refused; they are read and written on a connection's queue only.
    enum RefusalRow {
        static let columns = "sequence, submitted, refused, code, message, command"

        static func read(_ row: PreparedStatement) -> RefusedSubmission {
            let (sequence, submitted, refused) = (row.integer(), row.instant(), row.instant())
            let refusal = SubmissionRefusal(refused: refused, code: row.text(), message: row.text())
            return RefusedSubmission(
                sequence: sequence, submitted: submitted, refusal: refusal, command: row.text())
        }

        static func page(limit: Int, cursor: String?, on connection: Connection) throws -> RefusalPage {
            let position = try RefusalPage.position(cursor)
            var found: [RefusedSubmission] = []
            try connection.statement(
                "SELECT \(columns) FROM apus_refusal WHERE sequence < ? ORDER BY sequence DESC LIMIT ?"
            ).bind(position).bind(Int64(limit) + 1).forEachRow { found.append(read($0)) }
            return RefusalPage(found: found, limit: limit)
        }

        /// Removes up to `budget` submissions that were refused before an instant, the earliest first.
        ///
        /// - Returns: whether there may be more.
        static func retire(before instant: WallInstant, budget: Int, on connection: Connection) throws -> Bool {
            let old = "SELECT sequence FROM apus_refusal WHERE refused < ? ORDER BY refused LIMIT ?"
            return try connection.statement("DELETE FROM apus_refusal WHERE sequence IN (\(old))")
                .bind(instant.stored).bind(Int64(budget)).run() == budget
        }
    }
#endif

import ApusJobs

/// Writes changes into the transaction that is open on the writer connection. Called on that connection's queue only.
final class ChangeWriter {
    private let connection: Connection
    /// Keys are given out here rather than by SQLite's AUTOINCREMENT, which would write one more page in each commit.
    private var lastKey: Int64
    /// How many rows the changes of the call in progress have changed: zero means that a failure left nothing behind.
    private(set) var rowsChanged = 0

    init(_ connection: Connection) throws {
        self.connection = connection
        lastKey =
            try connection.statement("SELECT max(last_key, ifnull((SELECT max(key) FROM job), 0)) FROM owner")
            .firstRow { $0.integer() } ?? 0
    }

    /// The epoch of the file's owner.
    func currentEpoch() throws -> Int64 {
        try connection.statement("SELECT epoch FROM owner").firstRow { $0.integer() } ?? 0
    }

    /// Writes one call's changes.
    func apply(_ changes: [JobChange]) throws -> [Job] {
        rowsChanged = 0
        var jobs: [Job] = []
        jobs.reserveCapacity(changes.count)
        for change in changes { jobs.append(try apply(change)) }
        return jobs
    }

    private func apply(_ change: JobChange) throws -> Job {
        var job = change.job
        job.request.conflict = .replace
        switch change.expected {
        case .version(let version): try update(&job, expected: version)
        case .absent: try insert(&job)
        case .replace:
            try retire(job.id, at: job)
            try insert(&job)
        }
        if !change.runs.isEmpty {
            let statement = try connection.statement(RunRow.upsert)
            for run in change.runs {
                RunRow.bind(run, jobKey: job.key, to: statement)
                rowsChanged += try statement.run()
            }
        }
        return job
    }

    private func insert(_ job: inout Job) throws {
        job.key = lastKey + 1
        job.version = 1
        let statement = try connection.statement(JobRow.insert)
        statement.bind(job.key).bind(job.id.rawValue)
        JobRow.bind(job, to: statement)
        do {
            rowsChanged += try statement.run()
        } catch let failure as SQLiteFailure where failure.message.hasSuffix("job.id") {
            throw JobError(.conflict, "there is a job \(job.id) already; read it again", cause: failure)
        }
        // A key whose insert was rolled back is not given again: a hole in the row costs nothing.
        lastKey = job.key
    }

    private func update(_ job: inout Job, expected version: Int64) throws {
        let statement = try connection.statement(JobRow.update)
        JobRow.bind(job, to: statement)
        statement.bind(job.key).bind(version).bind(job.id.rawValue)
        let count = try statement.run()
        guard count == 1 else {
            throw JobError(
                .conflict, "the job \(job.id) is no longer as it was (version \(version) expected); read it again")
        }
        rowsChanged += count
        job.version = version + 1
    }

    /// Frees the identifier: the job that has it gets another one, and what is open of it is cancelled.
    private func retire(_ id: JobID, at job: Job) throws {
        let find = try connection.statement("SELECT key FROM job WHERE id = ?")
        guard let key = try find.bind(id.rawValue).firstRow({ $0.integer() }) else { return }
        // The job first: it counts the runs that are still open.
        rowsChanged += try connection.statement(Self.cancelJob).bind(key).bind(job.created.stored).run()
        rowsChanged += try connection.statement(Self.cancelRuns).bind(job.created.stored).bind(key).run()
    }

    private static let cancelRuns = """
        UPDATE run SET state = 'cancelled', final = 1, reason = 'replaced', not_before = NULL, finished = ?
        WHERE job = ? AND \(RunRow.isOpen)
        """

    private static let cancelJob = """
        UPDATE job SET state = CASE state WHEN 'finished' THEN 'finished' ELSE 'cancelled' END,
            id = id || '~' || key, version = version + 1, next_due = NULL, wake = NULL, remainder = NULL,
            occurrences = occurrences
                + (SELECT count(*) FROM run WHERE run.job = ?1 AND \(RunRow.isOpen) AND run.occurrence > 0),
            updated = ?2
        WHERE key = ?1
        """

    /// Writes the scheduler's small records.
    func write(metadata: [String: String]) throws {
        let statement = try connection.statement(
            "INSERT INTO metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
        for (key, value) in metadata { try statement.bind(key).bind(value).run() }
    }
}

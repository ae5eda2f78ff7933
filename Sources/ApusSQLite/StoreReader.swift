import ApusJobs
import ApusTimers

/// The queries. Called on a connection's queue only, inside a transaction.
enum StoreReader {
    private static let openRuns = """
        SELECT \(RunRow.columns) FROM run WHERE run.job = ? AND \(RunRow.isOpen) ORDER BY run.occurrence, run.attempt
        """

    /// The outcome of the last occurrence that has one: one look into the index of outcomes.
    private static let lastOutcome = """
        SELECT \(RunRow.columns) FROM run INDEXED BY run_one_outcome
        WHERE run.job = ? AND run.final = 1 ORDER BY run.occurrence DESC LIMIT 1
        """

    /// The jobs of a statement's rows, with what their next transition depends on.
    private static func load(_ statement: PreparedStatement, on connection: Connection) throws -> [LoadedJob] {
        var loaded: [LoadedJob] = []
        let runs = try connection.statement(openRuns)
        let outcome = try connection.statement(lastOutcome)
        try statement.forEachRow { row in
            let job = try JobRow.read(row)
            var open: [Run] = []
            try runs.bind(job.key).forEachRow { open.append(try RunRow.read($0, job: job.id)) }
            let last = try outcome.bind(job.key).firstRow { try RunRow.read($0, job: job.id) }
            let isSkip = last.map { $0.state == .skipped && $0.through == job.nextOccurrence - 1 } ?? false
            loaded.append(LoadedJob(job: job, open: open, lastSkip: isSkip ? last : nil))
        }
        return loaded
    }

    static func wakingJobs(through instant: WallInstant, limit: Int, on connection: Connection) throws -> [LoadedJob] {
        let statement = try connection.statement(
            """
            SELECT \(JobRow.columns) FROM job INDEXED BY job_wake
            WHERE wake IS NOT NULL AND wake <= ? ORDER BY wake, key LIMIT ?
            """)
        return try load(statement.bind(StoredInstant.bound(instant)).bind(Int64(limit)), on: connection)
    }

    static func nextWake(after instant: WallInstant, on connection: Connection) throws -> WallInstant? {
        try connection.statement("SELECT min(wake) FROM job WHERE wake IS NOT NULL AND wake > ?")
            .bind(StoredInstant.bound(instant)).firstRow { $0.optionalInstant() } ?? nil
    }

    static func interruptedJobs(on connection: Connection) throws -> [LoadedJob] {
        let statement = try connection.statement(
            """
            SELECT \(JobRow.columns) FROM job
            WHERE key IN (SELECT run.job FROM run INDEXED BY run_open WHERE \(RunRow.isOpen) AND run.state = 'claimed')
            ORDER BY key
            """)
        return try load(statement, on: connection)
    }

    static func job(_ id: JobID, on connection: Connection) throws -> LoadedJob? {
        let statement = try connection.statement("SELECT \(JobRow.columns) FROM job WHERE id = ?")
        return try load(statement.bind(id.rawValue), on: connection).first
    }

    static func metadata(_ key: String, on connection: Connection) throws -> String? {
        try connection.statement("SELECT value FROM metadata WHERE key = ?").bind(key).firstRow { $0.text() }
    }
}

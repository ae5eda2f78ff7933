#if SQLite
    package import ApusJobs
    import ApusTimers
    import GRDB
    import PathTrust
    import PlatformC

    /// Inspects a store's file, also while another process owns it.
    package struct SQLiteInspection: StoreInspection {
        private let path: String
        private let name: String

        package init(path: String) {
            name = path
            self.path = OwnerLock.resolved(path)
        }

        /// Runs `body` in one transaction, so that it reads one state of the file.
        private func read<Value: Sendable>(
            _ body: @escaping @Sendable (Connection) throws -> Value
        ) async throws -> Value {
            guard access(path, F_OK) == 0 else {
                throw JobError(code: .notFound, message: "there is no database \(name)")
            }
            do {
                do throws(TrustedPath.Failure) { try TrustedPath.checkLinks(name) } catch {
                    throw JobError(code: .unavailable, message: "the database \(error)")
                }
                var configuration = GRDB.Configuration()
                configuration.readonly = true
                configuration.label = "apus.sqlite.inspection"
                configuration.busyMode = .timeout(5)
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                let connection = try await Connection.open(queue, path: path) { [path, name] db in
                    try Schema.check(db, path: path)
                    let version = try Schema.version(in: db)
                    guard version == Schema.version else {
                        throw JobError(
                            code: .unavailable,
                            message: """
                                the database \(name) has schema \(version), and this program needs \(Schema.version); \
                                migrate it: apus store migrate --store '\(name)'
                                """)
                    }
                }
                let result = await Result { () async throws -> Value in
                    try await connection.perform { connection in try connection.transaction { try body(connection) } }
                }
                try await connection.close()
                return try result.get()
            } catch {
                throw SQLiteErrors.jobError(error, path: path)
            }
        }

        /// Returns the version of the file's schema, and the newest version that this program knows.
        ///
        /// - Throws: ``JobError``.
        package func schema() async throws -> (version: Int, newest: Int) {
            guard access(path, F_OK) == 0 else {
                throw JobError(code: .notFound, message: "there is no database \(name)")
            }
            do {
                var configuration = GRDB.Configuration()
                configuration.readonly = true
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                defer { try? queue.close() }
                return try queue.inDatabase { [path] db in
                    try Schema.check(db, path: path)
                    return (Int(try Schema.version(in: db)), Int(Schema.version))
                }
            } catch {
                throw SQLiteErrors.jobError(error, path: path)
            }
        }

        /// Migrates the file to the newest schema, as the next opening would.
        ///
        /// - Throws: ``JobError`` with `owned` if the file is in use.
        package func migrate() async throws {
            try await Connections(SQLitePlace(path: name), .init(ownerName: "apus store migrate")).close()
        }

        package func status() async throws -> StoreStatus {
            let owner = OwnerLock.owner(of: path)
            let bytes = ["", "-wal"].reduce(0) { $0 + Self.size(of: path + $1) }
            return try await read { connection in
                func number(_ sql: String) throws -> Int {
                    Int(try connection.statement(sql).firstRow { $0.integer() } ?? 0)
                }
                var jobs: [JobState: Int] = [:]
                try connection.statement("SELECT state, count(*) FROM apus_job GROUP BY state").forEachRow { row in
                    if let state = JobState(rawValue: row.text()) { jobs[state] = Int(row.integer()) }
                }
                let runs = "SELECT count(*) FROM apus_run AS run"
                let first = try StoreReader.due(
                    JobLoad(through: WallInstant(nanoseconds: .max), limit: 10), on: connection)
                return StoreStatus(
                    schema: Int(Schema.version), newestSchema: Int(Schema.version), bytes: bytes, jobs: jobs,
                    waitingRuns: try number("\(runs) WHERE \(RunRow.isOpen) AND state = 'waiting'"),
                    claimedRuns: try number("\(runs) WHERE \(RunRow.isOpen) AND state = 'claimed'"),
                    endedRuns: try number("\(runs) WHERE NOT \(RunRow.isOpen)"),
                    submissions: try number("SELECT count(*) FROM apus_submission"),
                    refusals: try number("SELECT count(*) FROM apus_refusal"),
                    setAsideCount: try number(
                        """
                        SELECT count(*) FROM apus_set_aside AS s
                        JOIN apus_job AS job ON job.key = s.job AND job.version = s.version
                        """),
                    setAside: try SetAsideRow.page(after: 0, limit: 5, on: connection),
                    earliestWake: first.jobs.first?.job.nextWake,
                    nodes: owner.map { [StoreStatus.Node(name: $0, shards: 1, isConnected: true)] } ?? [])
            }
        }

        private static func size(of path: String) -> Int64 {
            var status = stat()
            return stat(path, &status) == 0 ? Int64(status.st_size) : 0
        }

        /// Reads every row of jobs and runs, and returns those that cannot be read.
        private static func unreadableRows(on connection: Connection) throws -> UnreadableRows {
            let axis = try StoreReader.axis(on: connection)
            var unreadable = UnreadableRows()
            try connection.statement("SELECT \(JobRow.columns) FROM \(JobRow.table)").forEachRow { row in
                do throws(UnreadableJob) { _ = try JobRow.read(row, axis) } catch { unreadable.add(error) }
            }
            try connection.statement(
                "SELECT job.id, \(RunRow.columns) FROM apus_run AS run JOIN apus_job AS job ON job.key = run.job"
            ).forEachRow { row in
                let id = JobID(row.text())
                do throws(StoredProblem) {
                    _ = try RunRow.read(row, job: id, isTriggerRelative: false, axis)
                } catch {
                    unreadable.add("a run of \(id): \(error.text)")
                }
            }
            return unreadable
        }

        package func check() async throws -> [StoreFinding] {
            try await read { connection in
                var damage: [String] = []
                try connection.statement("PRAGMA integrity_check(100)").forEachRow { damage.append($0.text()) }
                if damage == ["ok"] { damage = [] }
                var findings = try Self.rules.compactMap { rule in
                    var rows: [(count: Int, example: String)] = []
                    try connection.statement(rule.sql).forEachRow { rows.append((Int($0.integer()), $0.text())) }
                    return rule.finding(rows)
                }
                if let unreadable = try Self.unreadableRows(on: connection).finding { findings.append(unreadable) }
                let file =
                    damage.isEmpty
                    ? []
                    : [
                        StoreFinding(
                            rule: "the file is whole (PRAGMA integrity_check)", count: damage.count,
                            examples: Array(damage.prefix(5)))
                    ]
                return file + findings
            }
        }

        private static let jobName = "job.id || ' (key ' || job.key || ')'"

        static let rules: [StoreRule] = [
            StoreRule(
                "a job counts its open runs",
                violations: """
                    SELECT \(jobName) || ': ' || job.open_runs || ', not ' || open AS subject FROM (
                        SELECT job.key AS job_key,
                            (SELECT count(*) FROM apus_run AS run WHERE run.job = job.key AND \(RunRow.isOpen)) AS open
                        FROM apus_job AS job)
                    JOIN apus_job AS job ON job.key = job_key WHERE job.open_runs <> open
                    """),
            StoreRule(
                "a job has the lane of its request",
                violations: """
                    SELECT \(jobName) || ': ' || job.lane AS subject
                    FROM apus_job AS job JOIN apus_request AS request ON request.job = job.key
                    WHERE job.lane <> job.priority || ' ' || request.conditions || ifnull('.' || request.key_group, '')
                        || ' ' || job.queue || ' ' || request.kind
                    """),
            StoreRule(
                "an identifier belongs to one job that has not ended",
                violations: """
                    SELECT id AS subject FROM apus_job AS job NOT INDEXED WHERE \(JobRow.hasNotEnded)
                    GROUP BY id HAVING count(*) > 1
                    """),
            StoreRule(
                "kind and content belong to at most one unique job that has not ended",
                violations: """
                    SELECT kind || ' (key ' || min(job) || ')' AS subject FROM apus_request NOT INDEXED
                    WHERE unique_payload = 1
                    GROUP BY kind, \(JobRow.content) HAVING count(*) > 1
                    """),
            StoreRule(
                "what is unique by its content counts until it ends",
                violations: """
                    SELECT \(jobName) AS subject FROM \(JobRow.table)
                    WHERE request.unique_payload = iif(\(JobRow.hasNotEnded), 2, 1)
                    """),
            StoreRule(
                "a job that has ended has an instant until which it is kept",
                violations: """
                    SELECT \(jobName) AS subject FROM apus_job AS job
                    WHERE (kept_until IS NULL) <> \(JobRow.hasNotEnded)
                    """),
            StoreRule(
                "an occurrence has one outcome",
                violations: """
                    SELECT 'key ' || a.job || ', occurrence ' || b.occurrence AS subject FROM apus_run AS a
                    JOIN apus_run AS b ON b.job = a.job AND b.final = 1
                        AND b.occurrence > a.occurrence AND b.occurrence <= a.through
                    WHERE a.final = 1 AND a.through > a.occurrence
                    UNION ALL
                    SELECT 'key ' || job || ', occurrence ' || occurrence FROM apus_run WHERE final = 1
                    GROUP BY job, occurrence HAVING count(*) > 1
                    """),
            StoreRule(
                "an occurrence that has an outcome has no open run",
                violations: """
                    SELECT 'key ' || run.job || ', occurrence ' || run.occurrence AS subject FROM apus_run AS run
                    JOIN apus_run AS r ON r.job = run.job AND r.occurrence = run.occurrence AND r.final = 1
                    WHERE \(RunRow.isOpen)
                    """),
            StoreRule(
                "jobs have requests, and requests and runs have jobs",
                violations: """
                    SELECT \(jobName) || ' has no request' AS subject FROM apus_job AS job
                    WHERE NOT EXISTS (SELECT 1 FROM apus_request AS request WHERE request.job = job.key)
                    UNION ALL
                    SELECT 'the request of key ' || job || ' has no job' FROM apus_request AS request
                    WHERE NOT EXISTS (SELECT 1 FROM apus_job AS job WHERE job.key = request.job)
                    UNION ALL
                    SELECT DISTINCT 'runs of key ' || job || ' have no job' FROM apus_run AS run
                    WHERE NOT EXISTS (SELECT 1 FROM apus_job AS job WHERE job.key = run.job)
                    """),
        ]
    }

    extension Result where Failure == any Error {
        /// Creates a result from the value that `body` returns or the error that it throws.
        fileprivate init(_ body: () async throws -> Success) async {
            do { self = .success(try await body()) } catch { self = .failure(error) }
        }
    }
#endif

#if Postgres
    package import ApusJobs
    package import ApusTimers
    package import Logging

    /// A database's jobs as the source or the destination of a copy, during which no node may run.
    package struct CopyablePostgresStore: CopyableStore {
        private let configuration: PostgresConfiguration
        private let engine: TimerEngine
        private let logger: Logger
        private let migrations: StoreMigrations

        package init(
            _ configuration: PostgresConfiguration, engine: TimerEngine = .shared,
            logger: Logger = Logger(label: "apus.postgres"), migrations: StoreMigrations = .shipped
        ) {
            var configuration = configuration
            // Adding or removing a page may take any time, so a copy has no time limits.
            configuration.statementTimeout = nil
            configuration.answerTimeout = nil
            self.configuration = configuration
            self.engine = engine
            self.logger = logger
            self.migrations = migrations
        }

        /// Begins reading, and takes all shards as a node, so that a node that starts in the meantime gets none.
        ///
        /// - Returns: The reader, which must be finished.
        /// - Throws: ``JobError``.
        package func beginReading() async throws -> any StoreCopyReader {
            let keeper = keeper()
            do {
                try await checkSessions(keeper.link)
                let state = try await keeper.state()
                guard state.version > 0 else {
                    throw JobError(
                        code: .notFound,
                        message: "the database has no jobs: there is no schema \(configuration.schema) in it")
                }
                try await keeper.prepare()
                await keeper.link.disconnect()
                return try await PostgresCopyReader.begin(try await connect(), engine)
            } catch {
                await keeper.link.disconnect()
                throw Self.jobError(error)
            }
        }

        package func beginWriting() async throws -> any StoreCopyWriter {
            let keeper = keeper()
            do {
                try await checkSessions(keeper.link)
                do { try await keeper.prepare() } catch let error as JobError where error.code == .conflict {
                    // The conflict means that an interrupted copy has left a part of its jobs. `begin` replaces them.
                }
                await keeper.link.disconnect()
                return try await PostgresCopyWriter.begin(try await connect(), engine)
            } catch {
                await keeper.link.disconnect()
                throw Self.jobError(error)
            }
        }

        private func keeper() -> SchemaKeeper {
            SchemaKeeper(
                link: ServerLink(configuration, engine: engine, logger: logger), migrations: migrations)
        }

        /// Checks that connections keep their sessions, because the locks of a copy last as long as its session.
        private func checkSessions(_ link: ServerLink) async throws {
            let other = ServerLink(configuration, engine: engine, logger: logger)
            do { try await SessionCheck.check(link, other) } catch {
                await other.disconnect()
                throw error
            }
            await other.disconnect()
        }

        private func connect() async throws -> PostgresConnection {
            try await PostgresConnection.connect(configuration, engine: engine, logger: logger)
        }

        private static func jobError(_ error: any Error) -> any Error { (error as? PostgresError)?.jobError ?? error }
    }

    /// Excludes running nodes from a database that is copied.
    enum ExclusiveUse {
        /// Returns the statements that throw if a node is connected, and otherwise record the end of all nodes.
        ///
        /// They lock the table of nodes, and must be in one transaction with the statements that need the exclusion.
        private static func statements(_ schema: SchemaName) -> [PostgresStatement] {
            [
                PostgresStatement("LOCK TABLE apus.node IN EXCLUSIVE MODE", isPrepared: false),
                PostgresStatement(
                    """
                    DO $body$
                    DECLARE names text;
                    BEGIN
                        SELECT string_agg(n.name, ', ' ORDER BY n.id) INTO names FROM apus.node AS n
                        WHERE n.ended IS NULL AND \(schema.isLocked("n.id"));
                        IF names IS NOT NULL THEN
                            RAISE EXCEPTION '%', names USING ERRCODE = '\(isInUse)';
                        END IF;
                    END
                    $body$
                    """, isPrepared: false),
                PostgresStatement(
                    "UPDATE apus.node SET ended = clock_timestamp() WHERE ended IS NULL", isPrepared: false),
                PostgresStatement("DELETE FROM apus.beat", isPrepared: false),
                PostgresStatement("DELETE FROM apus.place", isPrepared: false),
                PostgresStatement("DELETE FROM apus.reply", isPrepared: false),
            ]
        }

        private static let isInUse = "AP411"

        /// Excludes running nodes, and executes `more` in the same transaction.
        static func begin(_ more: [PostgresStatement], on connection: PostgresConnection) async throws -> [PostgresRows]
        {
            let batch = PostgresBatch(statements(connection.schema) + more, transaction: .explicit(.readCommitted))
            do { return try await connection.execute(batch) } catch { throw Self.error(error) }
        }

        private static func error(_ error: PostgresError) -> any Error {
            guard let server = error.server, server.sqlState == isInUse else { return error.jobError }
            return JobError(
                code: .owned,
                message: "the database is in use by \(server.message); stop these nodes first (apus stop)", cause: error
            )
        }
    }

    // MARK: Reading

    /// The queries that both the reader and the writer of a copy use.
    class PostgresPages: @unchecked Sendable {  // immutable
        let connection: PostgresConnection

        init(_ connection: PostgresConnection) { self.connection = connection }

        func execute(_ batch: PostgresBatch) async throws -> [PostgresRows] {
            do { return try await connection.execute(batch) } catch { throw error.jobError }
        }

        func read(_ statements: [PostgresStatement]) async throws -> [PostgresRows] {
            try await execute(PostgresBatch(statements, transaction: .explicit(.repeatableRead)))
        }

        func header() async throws -> StoreHeader {
            let results = try await read([
                StoreQueries.selectClock, StoreQueries.selectQueues,
                PostgresStatement(
                    """
                    SELECT coalesce(pg_sequence_last_value('apus.job_key'), 0),
                        greatest(coalesce(pg_sequence_last_value(
                            pg_get_serial_sequence('apus.submission', 'sequence')::regclass), 0), 0),
                        (SELECT count(*) FROM apus.job), (SELECT count(*) FROM apus.open_run),
                        (SELECT count(*) FROM apus.run), (SELECT count(*) FROM apus.submission),
                        (SELECT count(*) FROM apus.refusal)
                    """),
            ])
            let clock = try StoreQueries.clock(of: results[0])
            let queues = try StoreQueries.queues(of: results[1], ElapsedAxis(clock))
            var row = RowReader(results[2][0])
            let (key, submission): (Int64, Int64) = (try row.next(), try row.next())
            let counts = StoreCounts(
                jobs: try row.int(), openRuns: try row.int(), runs: try row.int(), submissions: try row.int(),
                refusals: try row.int())
            return StoreHeader(
                clock: clock, queues: queues, lastKey: key, lastSubmission: submission, counts: counts)
        }

        func jobs(after key: Int64, limit: Int) async throws -> [StoredJob] {
            let condition = "j.key > $1 ORDER BY j.key LIMIT $2"
            let parameters: [PostgresValue] = [.int64(key), .int64(Int64(limit))]
            let results = try await read([
                StoreQueries.selectClock,
                PostgresStatement(
                    """
                    SELECT \(JobColumns.selected), s.wake, s.elapsed_wake FROM \(JobColumns.table)
                    LEFT JOIN apus.set_aside AS s ON s.job = j.key AND s.version = j.version
                        AND \(JobColumns.hasNotEnded)
                    WHERE \(condition)
                    """, parameters),
                PostgresStatement(
                    """
                    SELECT \(RunColumns.selected(of: "o")), o.sequence FROM apus.open_run AS o
                    WHERE o.job IN (SELECT j.key FROM apus.job AS j WHERE \(condition))
                    ORDER BY o.job, o.occurrence, o.attempt
                    """, parameters),
            ])
            let axis = ElapsedAxis(try StoreQueries.clock(of: results[0]))
            var jobs: [StoredJob] = []
            var positions: [Int64: Int] = [:]
            for row in results[1] {
                var row = RowReader(row)
                var job: Job
                let shard: ShardID
                do { (job, shard) = try JobColumns.read(&row, axis) } catch let unreadable as UnreadableJob {
                    throw unreadable.error
                }
                // The wakes of a job that is set aside are in `apus.set_aside`.
                let (wake, elapsedWake): (Int64?, Int64?) = (try row.optional(), try row.optional())
                if let wake { job.bookkeeping.wake = StoreInstant.decode(wake) }
                if let elapsedWake { job.bookkeeping.elapsedWake = axis.decode(elapsedWake) }
                positions[job.key] = jobs.count
                jobs.append(StoredJob(job, shard: shard, open: []))
            }
            for row in results[2] {
                guard let position = positions[try row.decode(at: 0)] else { continue }
                let job = jobs[position].job
                jobs[position].open.append(
                    StoredRun(
                        try Self.readable(job.id) { try StoreQueries.run(row, of: job, axis) },
                        sequence: try row.decode(at: RunColumns.all.count),
                        isTriggerRelative: job.isTriggerRelative))
            }
            return jobs
        }

        func runs(after sequence: Int64, limit: Int) async throws -> [StoredRun] {
            let results = try await read([
                StoreQueries.selectClock,
                PostgresStatement(
                    """
                    SELECT \(RunColumns.selected(of: "o")), o.sequence, j.id, r.trigger, r.trigger_anchor FROM (
                        SELECT * FROM apus.run WHERE sequence > $1 ORDER BY sequence LIMIT $2) AS o
                    JOIN apus.job AS j ON j.key = o.job JOIN apus.request AS r ON r.job = o.job ORDER BY o.sequence
                    """, [.int64(sequence), .int64(Int64(limit))]),
            ])
            let axis = ElapsedAxis(try StoreQueries.clock(of: results[0]))
            let count = RunColumns.all.count
            return try results[1].map { row in
                let isRelative = JobColumns.isRelative(
                    trigger: try row.decode(at: count + 2), anchor: try row.decodeIfPresent(at: count + 3))
                var reader = RowReader(row)
                let id = JobID(try row.decode(String.self, at: count + 1))
                return StoredRun(
                    try Self.readable(id) {
                        try RunColumns.read(&reader, job: id, isTriggerRelative: isRelative, axis)
                    },
                    sequence: try row.decode(at: count), isTriggerRelative: isRelative)
            }
        }

        private static func readable(_ job: JobID, _ read: () throws -> Run) throws -> Run {
            do { return try read() } catch let problem as StoredProblem {
                throw JobError(code: .damaged, message: "\(job): a run of the job cannot be read (\(problem.text))")
            }
        }

        func refusals(after sequence: Int64, limit: Int) async throws -> [RefusedSubmission] {
            try await read([RefusalColumns.select("> $1 ORDER BY sequence", sequence, limit: limit)])[0]
                .map { try RefusalColumns.read($0) }
        }

        func submissions(after sequence: Int64, limit: Int) async throws -> [StoredSubmission] {
            try await read([
                PostgresStatement(
                    """
                    SELECT sequence, submitted, shard, command FROM apus.submission
                    WHERE sequence > $1 ORDER BY sequence LIMIT $2
                    """, [.int64(sequence), .int64(Int64(limit))])
            ])[0].map { row in
                var row = RowReader(row)
                return StoredSubmission(
                    sequence: try row.next(), submitted: StoreInstant.decode(try row.next()),
                    shard: ShardID(rawValue: Int(try row.next(Int32.self))), command: try row.next())
            }
        }
    }

    /// Reads a database as the owner of all its shards.
    final class PostgresCopyReader: PostgresPages, StoreCopyReader, @unchecked Sendable {  // `isEnded` is a lock
        private let node: Int64
        private let shards: [(ShardID, StoreEpoch)]
        private let beats: Task<Void, Never>
        private let isEnded = Locked(false)

        private init(
            _ connection: PostgresConnection, node: Int64, shards: [(ShardID, StoreEpoch)], _ engine: TimerEngine
        ) {
            self.node = node
            self.shards = shards
            // Nodes that start in the meantime wait for shards as long as this node beats.
            beats = Task {
                while (try? await engine.sleep(for: .seconds(1))) != nil {
                    _ = try? await connection.execute(PostgresBatch([Self.beat(node)]))
                }
            }
            super.init(connection)
        }

        static func begin(_ connection: PostgresConnection, _ engine: TimerEngine) async throws -> PostgresCopyReader {
            do {
                let id: Int64 = try await connection.query(
                    "INSERT INTO apus.node (name, ended) VALUES ($1, clock_timestamp()) RETURNING id",
                    [.text("apus store copy")])[0]
                    .decode(at: 0)
                // The lock is taken before the node counts as running, because other nodes consider a running node
                // without the lock dead.
                _ = try await connection.query(
                    "SELECT pg_advisory_lock($1, $2)", [.int32(connection.schema.lockClass), .int32(Int32(id))])
                let results = try await ExclusiveUse.begin(
                    [
                        PostgresStatement("UPDATE apus.node SET ended = NULL WHERE id = $1", [.int64(id)]),
                        Self.beat(id),
                        PostgresStatement(
                            "UPDATE apus.shard SET node = $1, epoch = epoch + 1 RETURNING id, epoch", [.int64(id)]),
                    ], on: connection)
                let shards: [(ShardID, StoreEpoch)] = try results[results.count - 1].map { row in
                    let (id, epoch): (Int64, Int64) = (try row.decode(at: 0), try row.decode(at: 1))
                    return (ShardID(rawValue: Int(id)), StoreEpoch(rawValue: epoch))
                }
                // Other stores do not know the mark `completed`, so they would repeat the effects of these runs.
                let completed: Int64 = try await connection.query(
                    "SELECT count(*) FROM apus.open_run WHERE completed")[0].decode(at: 0)
                guard completed == 0 else {
                    throw JobError(
                        code: .conflict,
                        message:
                            "\(completed) runs were completed by their handlers before their node died, and no node has "
                            + "recorded that; start a node on the source, stop it, and copy then")
                }
                return PostgresCopyReader(connection, node: id, shards: shards, engine)
            } catch {
                await connection.close()
                throw error
            }
        }

        private static func beat(_ node: Int64) -> PostgresStatement {
            PostgresStatement(
                """
                INSERT INTO apus.beat AS b (node, number) VALUES ($1, 1)
                ON CONFLICT (node) DO UPDATE SET number = b.number + 1
                """, [.int64(node)])
        }

        func finish() async throws {
            let wasEnded = isEnded.withLock { isEnded in
                defer { isEnded = true }
                return isEnded
            }
            if wasEnded { return }
            beats.cancel()
            do {
                // The fence fails if another node has taken a shard since, and may have written to it.
                _ = try await execute(
                    PostgresBatch([
                        TurnStatements.fence(node, shards),
                        PostgresStatement(
                            "UPDATE apus.node SET ended = clock_timestamp() WHERE id = $1", [.int64(node)]),
                        PostgresStatement("UPDATE apus.shard SET node = NULL WHERE node = $1", [.int64(node)]),
                        PostgresStatement("DELETE FROM apus.beat WHERE node = $1", [.int64(node)]),
                    ]))
                await connection.close()
            } catch let error as JobError where error.code == .unavailable {
                await connection.close()
                throw JobError(code: .notOwner, message: error.message, cause: error)
            } catch {
                await connection.close()
                throw error
            }
        }
    }
#endif

#if Postgres
    import ApusJobs
    import ApusTimers

    /// Writes a copy into a database.
    ///
    /// Each page is a transaction. `apus.shard` has no rows before the last transaction, and no node opens a database
    /// without shards. An interrupted copy is therefore never used; the next copy replaces its contents.
    final class PostgresCopyWriter: PostgresPages, StoreCopyWriter, @unchecked Sendable {  // locks: `isEnded`, `axis`
        private let isEnded = Locked(false)
        private let axis = Locked(ElapsedAxis(nil))

        /// The number of the lock that a copy holds until its session ends.
        private static let lock: Int32 = -1

        /// Makes this the only copy into the database.
        ///
        /// It waits for up to 5 s, because the session of a killed copy may end later than its process.
        private static func takeLock(on connection: PostgresConnection, _ engine: TimerEngine) async throws {
            for attempt in 1...50 {
                let isAlone = try await connection.query(
                    "SELECT pg_try_advisory_lock($1, $2)", [.int32(connection.schema.lockClass), .int32(lock)])[0]
                    .decode(Bool.self, at: 0)
                if isAlone { return }
                if attempt < 50 { try await engine.sleep(for: .milliseconds(100)) }
            }
            throw JobError(
                code: .owned, message: "another copy into the database is under way; wait for it, or stop it")
        }

        static func begin(_ connection: PostgresConnection, _ engine: TimerEngine) async throws -> PostgresCopyWriter {
            do {
                try await takeLock(on: connection, engine)
                let row = try await connection.query(
                    """
                    SELECT EXISTS (SELECT 1 FROM apus.shard), EXISTS (SELECT 1 FROM apus.job)
                        OR EXISTS (SELECT 1 FROM apus.run) OR EXISTS (SELECT 1 FROM apus.submission)
                        OR EXISTS (SELECT 1 FROM apus.queue) OR EXISTS (SELECT 1 FROM apus.refusal)
                    """)[0]
                let (isWhole, hasRows): (Bool, Bool) = (try row.decode(at: 0), try row.decode(at: 1))
                guard !(isWhole && hasRows) else {
                    throw JobError(
                        code: .alreadyExists,
                        message: """
                            the database has jobs already; copy into an empty one, or remove what is there: \
                            DROP SCHEMA \(connection.schema.quoted) CASCADE
                            """)
                }
                _ = try await ExclusiveUse.begin(
                    [PostgresStatement("DELETE FROM apus.shard", isPrepared: false)] + clear, on: connection)
                return PostgresCopyWriter(connection)
            } catch {
                await connection.close()
                throw error
            }
        }

        /// The statements that remove everything that a copy adds.
        private static let clear = [
            "job", "request", "wake", "ended", "open_run", "run", "queue", "submission", "reply", "clock",
            "set_aside", "refusal",
        ].map { PostgresStatement("DELETE FROM apus.\($0)", isPrepared: false) }

        private static let makeShards = PostgresStatement(
            "INSERT INTO apus.shard (id) SELECT generate_series(0, \(StoreSchema.shards - 1))", isPrepared: false)

        func finish() async throws { try await end([Self.makeShards]) }

        func abandon() async { try? await end(Self.clear + [Self.makeShards]) }

        private func end(_ statements: [PostgresStatement]) async throws {
            let wasEnded = isEnded.withLock { isEnded in
                defer { isEnded = true }
                return isEnded
            }
            if wasEnded { return }
            do {
                _ = try await execute(PostgresBatch(statements))
                // This gathers statistics for the first queries. A failure has no consequences.
                _ = try? await execute(
                    PostgresBatch(
                        ["job", "request", "wake", "open_run", "run"].map {
                            PostgresStatement("ANALYZE apus.\($0)", isPrepared: false)
                        }))
                await connection.close()
            } catch {
                await connection.close()
                throw error
            }
        }

        // MARK: Adding

        func add(_ header: StoreHeader) async throws {
            let axis = ElapsedAxis(header.clock)
            self.axis.withLock { $0 = axis }
            var statements: [PostgresStatement] = []
            if let clock = header.clock { statements.append(TurnStatements.clock(clock)) }
            if !header.queues.isEmpty { statements.append(TurnStatements.queues(header.queues, axis)) }
            // `setval` refuses 0, which means that no number was used.
            for (sequence, last) in [
                ("'apus.job_key'", header.lastKey),
                ("pg_get_serial_sequence('apus.submission', 'sequence')", header.lastSubmission),
            ] {
                statements.append(
                    PostgresStatement(
                        """
                        SELECT setval(s, greatest($1, coalesce(pg_sequence_last_value(s), 0)))
                        FROM (SELECT \(sequence)::regclass AS s) AS o WHERE $1 > 0
                        """, [.int64(last)]))
            }
            _ = try await execute(PostgresBatch(statements))
        }

        func add(_ jobs: [StoredJob]) async throws {
            let axis = axis.withLock { $0 }
            var (rows, runs) = (RowArrays(), RowArrays())
            for stored in jobs {
                let job = stored.job
                rows.add(job.key)
                rows.add(job.version)
                // The jobs of a store with one shard are distributed evenly.
                rows.add(stored.shard?.rawValue ?? Int(job.key % Int64(StoreSchema.shards)))
                rows.add(job.id.rawValue)
                rows.add(StoreInstant.encode(job.created))
                JobColumns.addProgress(job, axis, to: &rows)
                JobColumns.addRequest(of: job, to: &rows)
                rows.endRow()
                for run in stored.open { Self.add(run, axis, to: &runs) }
            }
            var statements = [PostgresStatement(Self.insertJobs, rows.parameters)]
            if !runs.isEmpty {
                statements.append(PostgresStatement(Self.insertRuns(into: "open_run"), runs.parameters))
                statements.append(Self.advance(past: jobs.flatMap(\.open)))
            }
            _ = try await execute(PostgresBatch(statements))
        }

        func add(_ runs: [StoredRun]) async throws {
            let axis = axis.withLock { $0 }
            var rows = RowArrays()
            for run in runs { Self.add(run, axis, to: &rows) }
            _ = try await execute(
                PostgresBatch([
                    PostgresStatement(Self.insertRuns(into: "run"), rows.parameters), Self.advance(past: runs),
                ]))
        }

        private static func add(_ stored: StoredRun, _ axis: ElapsedAxis, to rows: inout RowArrays) {
            RunColumns.add(
                stored.run, owner: stored.run.jobKey, isTriggerRelative: stored.isTriggerRelative, axis, to: &rows)
            rows.add(stored.sequence)
            rows.endRow()
        }

        /// Returns a statement that makes later runs get higher sequence numbers than these runs.
        private static func advance(past runs: [StoredRun]) -> PostgresStatement {
            PostgresStatement(
                "SELECT setval('apus.run_sequence', greatest($1, coalesce(pg_sequence_last_value('apus.run_sequence'), 1)))",
                [.int64(runs.map(\.sequence).max() ?? 1)])
        }

        func add(_ submissions: [StoredSubmission]) async throws {
            var rows = RowArrays()
            for submission in submissions {
                rows.add(submission.sequence)
                rows.add(StoreInstant.encode(submission.submitted))
                rows.add(submission.shard?.rawValue)
                rows.add(submission.command)
                rows.endRow()
            }
            // The submissions of a store with one shard get the shard that `apus.submit` would choose. They have no
            // return address, because no caller waits for a reply any more.
            _ = try await execute(
                PostgresBatch([
                    PostgresStatement(
                        """
                        INSERT INTO apus.submission (sequence, submitted, shard, command) OVERRIDING SYSTEM VALUE
                        SELECT sequence, submitted, coalesce(
                            shard,
                            hashtextextended(command::json -> 'requests' -> 0 ->> 'id', 0) & \(StoreSchema.shards - 1), 0),
                            command
                        FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::text[])
                            AS i (sequence, submitted, shard, command)
                        """, rows.parameters)
                ]))
        }

        func add(_ refusals: [RefusedSubmission]) async throws {
            var rows = RowArrays()
            for refused in refusals {
                rows.add(refused.sequence)
                // The refusal can be in any shard, whose owner will remove it when it is old.
                rows.add(Int(refused.sequence % Int64(StoreSchema.shards)))
                rows.add(StoreInstant.encode(refused.submitted))
                rows.add(StoreInstant.encode(refused.refusal.refused))
                rows.add(refused.refusal.code)
                rows.add(refused.refusal.message.withoutNull)
                rows.add(refused.command.withoutNull)
                rows.endRow()
            }
            _ = try await execute(
                PostgresBatch([
                    PostgresStatement(
                        """
                        INSERT INTO apus.refusal (sequence, shard, submitted, refused, code, message, command)
                        SELECT * FROM unnest(
                            $1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::text[])
                        """, rows.parameters)
                ]))
        }

        /// Inserts jobs; parameters: keys, versions, shards, identifiers, instants of submission,
        /// ``JobColumns/progress``, ``JobColumns/request``.
        private static let insertJobs: String = {
            let (progress, request) = (
                JobColumns.progress.joined(separator: ", "), JobColumns.request.joined(separator: ", ")
            )
            let columns = ["key", "version", "shard", "id", "created"] + JobColumns.progress + JobColumns.request
            return """
                WITH input AS MATERIALIZED (
                    SELECT * FROM \(TurnStatements.unnest(columns, from: 1)) AS i (\(columns.joined(separator: ", ")))
                ), new_job AS (
                    INSERT INTO apus.job (key, version, shard, id, created, \(progress))
                    SELECT key, version, shard, id, created, \(progress) FROM input
                ), new_request AS (
                    INSERT INTO apus.request (job, \(request)) SELECT key, \(request) FROM input
                ), new_wake AS (
                    \(TurnStatements.insertWakes(from: "input"))
                )
                \(TurnStatements.insertEnded(from: "input"))
                """
        }()

        private static func insertRuns(into table: String) -> String {
            let columns = RunColumns.all + ["sequence"]
            let names = columns.joined(separator: ", ")
            return """
                INSERT INTO apus.\(table) (\(names))
                SELECT * FROM \(TurnStatements.unnest(columns, from: 1)) AS i (\(names))
                """
        }
    }
#endif

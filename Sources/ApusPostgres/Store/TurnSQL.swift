#if Postgres
    import ApusJobs
    import ApusTimers

    /// The texts of the statements of a turn.
    extension TurnStatements {
        static func clock(_ clock: StoreClock) -> PostgresStatement {
            PostgresStatement(
                """
                INSERT INTO apus.clock (id, boot_id, wall_offset, elapsed_offset) VALUES (1, $1, $2, $3)
                ON CONFLICT (id) DO UPDATE SET
                    boot_id = excluded.boot_id, wall_offset = excluded.wall_offset,
                    elapsed_offset = excluded.elapsed_offset
                """,
                [
                    .text(clock.bootID), .int64(clock.wallOffset.wholeNanoseconds),
                    .int64(clock.elapsedOffset.wholeNanoseconds),
                ])
        }

        static func release(_ shards: [ShardID], _ node: Int64) -> PostgresStatement {
            PostgresStatement(
                "UPDATE apus.shard SET node = NULL WHERE id = ANY ($1::int8[]) AND node = $2",
                [.array(shards.map { Int64($0.rawValue) }), .int64(node)])
        }

        /// Of a queue that is there, what is not as it was known; all of it if nothing was.
        static func queues(
            _ queues: [JobQueue], known: [JobQueue] = [], _ axis: ElapsedAxis
        ) -> PostgresStatement {
            func changed(_ isEqual: (JobQueue, JobQueue) -> Bool) -> PostgresValue {
                .array(
                    queues.filter { queue in !known.contains { $0.id == queue.id && isEqual($0, queue) } }
                        .map(\.id.rawValue))
            }
            var rows = RowArrays()
            for queue in queues {
                rows.add(queue.id.rawValue)
                rows.add(queue.concurrency)
                rows.add(queue.rate?.runs)
                rows.add(queue.rate?.period.wholeNanoseconds)
                rows.add(queue.isPaused)
                rows.add(queue.recentStarts)
                rows.add(queue.lastStart.map(axis.encode))
                rows.endRow()
            }
            return PostgresStatement(
                """
                INSERT INTO apus.queue AS q (
                    id, concurrency, rate_runs, rate_period, paused, recent_starts, last_start)
                SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[], $5::bool[], $6::int8[], $7::int8[])
                ON CONFLICT (id) DO UPDATE SET
                    concurrency = CASE WHEN q.id = ANY ($8) THEN excluded.concurrency ELSE q.concurrency END,
                    rate_runs = CASE WHEN q.id = ANY ($9) THEN excluded.rate_runs ELSE q.rate_runs END,
                    rate_period = CASE WHEN q.id = ANY ($9) THEN excluded.rate_period ELSE q.rate_period END,
                    paused = CASE WHEN q.id = ANY ($10) THEN excluded.paused ELSE q.paused END,
                    recent_starts = excluded.recent_starts, last_start = excluded.last_start
                """,
                rows.parameters + [
                    changed { $0.concurrency == $1.concurrency }, changed { $0.rate == $1.rate },
                    changed { $0.isPaused == $1.isPaused },
                ])
        }

        static let removeSubmissions = """
            WITH gone AS (
                DELETE FROM apus.submission AS s
                USING unnest($1::int8[], $2::text[]) WITH ORDINALITY AS i (sequence, reply, number)
                WHERE s.sequence = i.sequence RETURNING i.number, i.reply, s.sender, s.call
            ), answered AS (
                INSERT INTO apus.reply (node, call, reply)
                SELECT sender, call, reply FROM gone WHERE reply IS NOT NULL
                    AND EXISTS (SELECT 1 FROM apus.node AS n WHERE n.id = sender AND n.ended IS NULL)
                ON CONFLICT DO NOTHING RETURNING node
            )
            SELECT apus.require_all($3, (SELECT array_agg(number) FROM gone)),
                (SELECT count(pg_notify('apus_node_' || n.node, 'replies')) FROM (SELECT DISTINCT node FROM answered) AS n)
            """

        /// Parameters: shards, instants, commands, numbers of the calls, and the node.
        static let forwardCalls = """
            WITH forwarded AS (
                INSERT INTO apus.submission (shard, submitted, command, call, sender)
                SELECT i.*, $5 FROM unnest($1::int8[], $2::int8[], $3::text[], $4::int8[]) AS i RETURNING shard
            )
            SELECT apus.notify_owners(array_agg(shard::bigint)) FROM forwarded
            """

        /// Parameters: sequences, shards, numbers.
        static let forwardSubmissions = """
            WITH moved AS (
                UPDATE apus.submission AS s SET shard = i.shard
                FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY AS i (sequence, shard, number)
                WHERE s.sequence = i.sequence RETURNING i.number, i.shard
            )
            SELECT apus.require_all($3, (SELECT array_agg(number) FROM moved)),
                (SELECT apus.notify_owners(array_agg(shard)) FROM moved)
            """

        /// Parameters: keys, versions, identifiers, shards, queues, priorities, ``JobColumns/progress``, numbers.
        static let updateJobs: String = {
            let columns = ["key", "version", "id", "shard", "queue", "priority"] + JobColumns.progress
            return """
                WITH input AS MATERIALIZED (
                    SELECT * FROM \(unnest(columns, from: 1)) WITH ORDINALITY AS i (\(columns.list), number)
                ), former AS MATERIALIZED (
                    SELECT j.key, j.wake, j.elapsed_wake FROM input AS i JOIN apus.job AS j ON j.key = i.key
                ), asleep AS (
                    DELETE FROM apus.wake AS w USING (
                        SELECT false AS elapsed, f.wake AS instant, f.key FROM former AS f JOIN input AS i USING (key)
                        WHERE f.wake IS NOT NULL AND f.wake IS DISTINCT FROM i.wake
                        UNION ALL
                        SELECT true, f.elapsed_wake, f.key FROM former AS f JOIN input AS i USING (key)
                        WHERE f.elapsed_wake IS NOT NULL AND f.elapsed_wake IS DISTINCT FROM i.elapsed_wake
                    ) AS o WHERE w.elapsed = o.elapsed AND w.instant = o.instant AND w.key = o.key
                ), woken AS (
                    INSERT INTO apus.wake (elapsed, instant, key, shard, queue, priority)
                    SELECT false, i.wake, i.key, i.shard, i.queue, i.priority
                    FROM former AS f JOIN input AS i USING (key)
                    WHERE i.wake IS NOT NULL AND f.wake IS DISTINCT FROM i.wake
                    UNION ALL
                    SELECT true, i.elapsed_wake, i.key, i.shard, i.queue, i.priority
                    FROM former AS f JOIN input AS i USING (key)
                    WHERE i.elapsed_wake IS NOT NULL AND f.elapsed_wake IS DISTINCT FROM i.elapsed_wake
                ), over AS (
                    INSERT INTO apus.ended (updated, key) SELECT updated, key FROM input
                    WHERE state IN ('cancelled', 'finished') AND open_runs = 0 ON CONFLICT DO NOTHING
                ), changed AS (
                    UPDATE apus.job AS j
                    SET version = j.version + 1, \(JobColumns.progress.map { "\($0) = i.\($0)" }.list)
                    FROM input AS i WHERE j.key = i.key AND j.version = i.version AND j.id = i.id RETURNING i.number
                )
                SELECT apus.require_all($\(columns.count + 1), (SELECT array_agg(number) FROM changed))
                """
        }()

        /// Parameters: keys, ``JobColumns/request``.
        static let updateRequests = """
            UPDATE apus.request AS r SET \(JobColumns.request.map { "\($0) = i.\($0)" }.list)
            FROM \(unnest(["job"] + JobColumns.request, from: 1)) AS i (job, \(JobColumns.request.list))
            WHERE r.job = i.job
            """

        /// What waits is in the new queue. Parameters: keys.
        static let updateLanes = """
            UPDATE apus.wake AS w SET queue = r.queue, priority = r.priority
            FROM apus.request AS r JOIN (
                SELECT j.key, false AS elapsed, j.wake AS instant FROM apus.job AS j WHERE j.key = ANY ($1::int8[])
                UNION ALL
                SELECT j.key, true, j.elapsed_wake FROM apus.job AS j WHERE j.key = ANY ($1::int8[])
            ) AS o ON o.key = r.job
            WHERE w.elapsed = o.elapsed AND w.instant = o.instant AND w.key = o.key
            """

        /// Parameters: keys, ``JobColumns/uniqueness(of:)``.
        static let updateUniqueness = """
            UPDATE apus.request AS r SET unique_payload = i.uniqueness
            FROM unnest($1::int8[], $2::int8[]) AS i (job, uniqueness)
            WHERE r.job = i.job AND r.unique_payload <> i.uniqueness
            """

        /// Parameters: ``RunColumns/all``. A run that is there is overwritten in its place, and keeps its number when it
        /// ends. A completed one only succeeds: ``StoreCompletion/requireOpen`` follows where that is not so.
        static let writeRuns = """
            WITH input AS MATERIALIZED (
                SELECT nextval('apus.run_sequence') AS fresh, i.* FROM (
                    SELECT * FROM \(unnest(RunColumns.all, from: 1)) WITH ORDINALITY
                        AS i (\(RunColumns.all.list), number)
                    ORDER BY number) AS i
            ), former AS (
                DELETE FROM apus.open_run AS o USING input AS i
                WHERE o.job = i.job AND o.occurrence = i.occurrence AND o.attempt = i.attempt
                    AND NOT i.state IN ('waiting', 'claimed') AND (NOT o.completed OR i.state = 'succeeded')
                RETURNING i.number, o.sequence
            ), opened AS (
                INSERT INTO apus.open_run (\(RunColumns.all.list), sequence)
                SELECT \(RunColumns.all.list), fresh FROM input WHERE state IN ('waiting', 'claimed')
                \(overwrite) WHERE NOT open_run.completed OR excluded.state = 'claimed'
            )
            INSERT INTO apus.run (\(RunColumns.all.list), sequence)
            SELECT \(RunColumns.all.list), coalesce(f.sequence, i.fresh)
            FROM input AS i LEFT JOIN former AS f USING (number) WHERE NOT i.state IN ('waiting', 'claimed')
            \(overwrite)
            """

        private static let overwrite = """
            ON CONFLICT (job, occurrence, attempt)
            DO UPDATE SET \(RunColumns.values.map { "\($0) = excluded.\($0)" }.list)
            """

        /// Of each job the newest attempts and the newest skipped ranges stay. Parameters: keys, how many.
        static let retireRuns = """
            DELETE FROM apus.run AS r USING unnest($1::int8[], $2::int8[]) AS i (job, kept)
            WHERE r.job = i.job AND r.sequence <= (
                SELECT s.sequence FROM apus.run AS s WHERE s.job = i.job AND (s.attempt > 0) = (r.attempt > 0)
                ORDER BY s.sequence DESC LIMIT 1 OFFSET i.kept)
            """

        /// Parameters: shards, identifiers, instants of submission, ``JobColumns/progress``, ``JobColumns/request``; then,
        /// with runs, ``RunColumns/all`` with the number of the job in the place of its key; the numbers. Its row has the
        /// keys of the jobs, in their order.
        static let insertJobs = insertJobs(withRuns: false)
        static let insertJobsAndRuns = insertJobs(withRuns: true)

        private static func insertJobs(withRuns: Bool) -> String {
            let columns = ["shard", "id", "created"] + JobColumns.progress + JobColumns.request
            let next = columns.count + 1
            let runs = """
                new_run AS MATERIALIZED (
                    SELECT nextval('apus.run_sequence') AS sequence, i.* FROM (
                        SELECT k.key, \(RunColumns.all.dropFirst().map { "i.\($0)" }.list)
                        FROM \(unnest(RunColumns.all, from: next)) WITH ORDINALITY
                            AS i (\(RunColumns.all.list), number)
                        JOIN keyed AS k ON k.number = i.job ORDER BY i.number) AS i
                ), opened AS (
                    INSERT INTO apus.open_run (\(RunColumns.all.list), sequence)
                    SELECT key, \(RunColumns.all.dropFirst().list), sequence FROM new_run
                    WHERE state IN ('waiting', 'claimed')
                ), ended AS (
                    INSERT INTO apus.run (\(RunColumns.all.list), sequence)
                    SELECT key, \(RunColumns.all.dropFirst().list), sequence FROM new_run
                    WHERE NOT state IN ('waiting', 'claimed')
                ),
                """
            return """
                WITH keyed AS MATERIALIZED (
                    SELECT nextval('apus.job_key') AS key, i.* FROM (
                        SELECT * FROM \(unnest(columns, from: 1)) WITH ORDINALITY AS i (\(columns.list), number)
                        ORDER BY number) AS i
                ), new_job AS (
                    INSERT INTO apus.job (key, version, shard, id, created, \(JobColumns.progress.list))
                    SELECT key, 1, shard, id, created, \(JobColumns.progress.list) FROM keyed
                    ON CONFLICT DO NOTHING RETURNING key
                ), new_request AS (
                    INSERT INTO apus.request (job, \(JobColumns.request.list))
                    SELECT key, \(JobColumns.request.list) FROM keyed ON CONFLICT DO NOTHING RETURNING job
                ), new_wake AS (
                    INSERT INTO apus.wake (elapsed, instant, key, shard, queue, priority)
                    SELECT false, wake, key, shard, queue, priority FROM keyed WHERE wake IS NOT NULL
                    UNION ALL
                    SELECT true, elapsed_wake, key, shard, queue, priority FROM keyed WHERE elapsed_wake IS NOT NULL
                ), over AS (
                    INSERT INTO apus.ended (updated, key) SELECT updated, key FROM keyed
                    WHERE state IN ('cancelled', 'finished') AND open_runs = 0
                ), \(withRuns ? runs : "") written AS (
                    SELECT k.number FROM keyed AS k JOIN new_job AS j ON j.key = k.key
                    JOIN new_request AS r ON r.job = k.key
                )
                SELECT apus.require_all(
                        $\(withRuns ? next + RunColumns.all.count : next),
                        (SELECT array_agg(number) FROM written)),
                    (SELECT array_agg(key ORDER BY number) FROM keyed)
                """
        }

        /// The arrays of these columns, as parameters from that number on.
        static func unnest(_ columns: [String], from first: Int) -> String {
            let arrays = columns.enumerated().map { "$\(first + $0)::\(type(of: $1))[]" }
            return "unnest(\(arrays.list))"
        }

        private static func type(of column: String) -> String { types[column] ?? "int8" }

        /// Of the columns that are no whole numbers.
        private static let types = [
            "id": "text", "state": "text", "name": "text", "kind": "text", "trigger": "text", "missed_runs": "text",
            "overlap": "text", "jitter": "float8", "labels": "text", "payload": "bytea", "queue": "text",
            "idempotency_key": "text", "metadata": "text", "final": "bool", "reason": "text", "output": "bytea",
            "result": "bytea", "progress": "float8", "progress_message": "text",
        ]
    }

    extension Sequence<String> {
        fileprivate var list: String { joined(separator: ", ") }
    }
#endif

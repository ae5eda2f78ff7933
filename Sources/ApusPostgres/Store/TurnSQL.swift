#if Postgres
    import ApusJobs
    import ApusTimers

    /// The texts of a turn's statements.
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

        /// Returns a statement that inserts queues; of an existing queue it writes the settings that differ from
        /// `known`, and the recent starts.
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
                rows.add(queue.concurrencyPerKey)
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
                    id, concurrency, concurrency_per_key, rate_runs, rate_period, paused, recent_starts, last_start)
                SELECT * FROM unnest(
                    $1::text[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::bool[], $7::int8[], $8::int8[])
                ON CONFLICT (id) DO UPDATE SET
                    concurrency = CASE WHEN q.id = ANY ($9) THEN excluded.concurrency ELSE q.concurrency END,
                    concurrency_per_key = CASE WHEN q.id = ANY ($10) THEN excluded.concurrency_per_key
                        ELSE q.concurrency_per_key END,
                    rate_runs = CASE WHEN q.id = ANY ($11) THEN excluded.rate_runs ELSE q.rate_runs END,
                    rate_period = CASE WHEN q.id = ANY ($11) THEN excluded.rate_period ELSE q.rate_period END,
                    paused = CASE WHEN q.id = ANY ($12) THEN excluded.paused ELSE q.paused END,
                    recent_starts = excluded.recent_starts, last_start = excluded.last_start
                """,
                rows.parameters + [
                    changed { $0.concurrency == $1.concurrency },
                    changed { $0.concurrencyPerKey == $1.concurrencyPerKey }, changed { $0.rate == $1.rate },
                    changed { $0.isPaused == $1.isPaused },
                ])
        }

        /// Removes taken submissions.
        ///
        /// Parameters: sequence numbers, shards, replies; instants, codes and messages of refused submissions; numbers
        /// of the rows. If rows cannot be removed, the statement fails with an error that contains their numbers.
        static let removeSubmissions = """
            WITH gone AS (
                DELETE FROM apus.submission AS s USING (
                    SELECT o.place, i.*
                    FROM unnest($1::int8[], $2::int8[], $3::text[], $4::int8[], $5::text[], $6::text[])
                            WITH ORDINALITY AS i (sequence, shard, reply, refused, code, message, number),
                        \(find("", in: "submission", where: "t.sequence = i.sequence AND t.shard = i.shard")) AS o
                ) AS i WHERE s.ctid = i.place RETURNING i.number, i.reply, i.refused, i.code, i.message, s.sender,
                    s.call, s.sequence, s.shard, s.submitted, s.command
            ), kept AS (
                INSERT INTO apus.refusal (sequence, shard, submitted, refused, code, message, command)
                SELECT sequence, shard, submitted, refused, code, message, command FROM gone WHERE refused IS NOT NULL
                ON CONFLICT DO NOTHING
            ), answered AS (
                INSERT INTO apus.reply (node, call, reply)
                SELECT sender, call, reply FROM gone WHERE reply IS NOT NULL
                    AND EXISTS (SELECT 1 FROM apus.node AS n WHERE n.id = sender AND n.ended IS NULL)
                ON CONFLICT DO NOTHING RETURNING node
            )
            SELECT apus.require_all($7, (SELECT array_agg(number) FROM gone)),
                (SELECT count(pg_notify('apus_node_' || n.node, 'replies')) FROM (SELECT DISTINCT node FROM answered) AS n)
            """

        /// Returns a statement that makes transactions with the same names or labels wait for each other.
        ///
        /// An index could not reserve a name for one job, because jobs that do not require a free name may share it.
        /// The locks are taken in a fixed order, so that two transactions do not deadlock.
        static func lockNames(_ names: [String]) -> PostgresStatement {
            PostgresStatement(
                """
                SELECT pg_advisory_xact_lock(\(SchemaName.nameLockClass), hash) FROM (
                    SELECT DISTINCT hashtext('apus ' || name) AS hash FROM unnest($1::text[]) AS name ORDER BY hash OFFSET 0) AS n
                """, [.array(names)])
        }

        /// Requires that no earlier job that has not ended has the name of a new job; parameters: identifiers of the
        /// new jobs, names, numbers of the rows.
        static let freeNames = """
            WITH own AS MATERIALIZED (
                SELECT i.name, i.number, o.key
                FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS i (id, name, number), LATERAL (
                    SELECT j.key FROM apus.job AS j WHERE j.id = i.id AND \(JobColumns.hasNotEnded) OFFSET 0) AS o
            )
            SELECT apus.require_all($3, (
                SELECT array_agg(own.number) FROM own WHERE NOT EXISTS (
                    SELECT 1 FROM apus.request AS r JOIN apus.job AS j ON j.key = r.job
                    WHERE r.name = own.name AND j.key < own.key AND \(JobColumns.hasNotEnded))))
            """

        /// Requires that all earlier jobs with the label of a new job are known; parameters: identifiers of the new
        /// jobs, labels, keys of the known jobs, numbers of the rows.
        static let onlyBeside = """
            WITH own AS MATERIALIZED (
                SELECT i.label::jsonb AS label, i.known::int8[] AS known, i.number, o.key
                FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS i (id, label, known, number),
                LATERAL (
                    SELECT j.key FROM apus.job AS j WHERE j.id = i.id AND \(JobColumns.hasNotEnded) OFFSET 0) AS o
            )
            SELECT apus.require_all($4, (
                SELECT array_agg(own.number) FROM own WHERE NOT EXISTS (
                    SELECT 1 FROM apus.request AS r JOIN apus.job AS j ON j.key = r.job
                    WHERE \(JobColumns.labels) @> own.label AND j.key < own.key AND NOT j.key = ANY (own.known)
                        AND \(JobColumns.hasNotEnded))))
            """

        /// Inserts commands for other nodes; parameters: shards, instants, commands, numbers of the calls, and the
        /// node.
        static let forwardCalls = """
            WITH forwarded AS (
                INSERT INTO apus.submission (shard, submitted, command, call, sender)
                SELECT i.*, $5 FROM unnest($1::int8[], $2::int8[], $3::text[], $4::int8[]) AS i RETURNING shard
            )
            SELECT apus.notify_owners(array_agg(shard::bigint)) FROM forwarded
            """

        /// Moves submissions to other shards; parameters: sequence numbers, their current shards, their new shards,
        /// numbers of the rows.
        static let forwardSubmissions = """
            WITH moved AS (
                UPDATE apus.submission AS s SET shard = i.shard
                FROM unnest($1::int8[], $2::int8[], $3::int8[]) WITH ORDINALITY AS i (sequence, home, shard, number)
                WHERE s.sequence = i.sequence AND s.shard = i.home RETURNING i.number, i.shard
            )
            SELECT apus.require_all($4, (SELECT array_agg(number) FROM moved)),
                (SELECT apus.notify_owners(array_agg(shard)) FROM moved)
            """

        /// Returns a subquery that finds each row by an index and returns its location, to which the statement then
        /// writes.
        ///
        /// It does not depend on the planner's estimate of the size of the table, which may have been empty when the
        /// plan was made.
        private static func find(_ columns: String, in table: String, where condition: String) -> String {
            "LATERAL (SELECT t.ctid AS place\(columns) FROM apus.\(table) AS t WHERE \(condition) OFFSET 0)"
        }

        private static let sameRun = "t.job = i.job AND t.occurrence = i.occurrence AND t.attempt = i.attempt"

        /// Updates the wakes of jobs that have moved to other shards; parameters: keys, lanes.
        static let moveWakes: String = {
            func wakes(_ column: String, isElapsed: Bool) -> String {
                let own = "t.elapsed = \(isElapsed) AND t.lane = j.lane AND t.instant = j.\(column) AND t.key = j.key"
                return """
                    SELECT o.place, j.shard FROM moved AS j, \(find("", in: "wake", where: own)) AS o
                    WHERE j.\(column) IS NOT NULL
                    """
            }
            return """
                WITH moved AS MATERIALIZED (
                    SELECT i.key, i.lane, j.shard, j.wake, j.elapsed_wake
                    FROM unnest($1::int8[], $2::text[]) AS i (key, lane), LATERAL (
                        SELECT t.shard, t.wake, t.elapsed_wake FROM apus.job AS t WHERE t.key = i.key OFFSET 0) AS j
                )
                UPDATE apus.wake AS w SET shard = i.shard FROM (
                    \(wakes("wake", isElapsed: false)) UNION ALL \(wakes("elapsed_wake", isElapsed: true))) AS i
                WHERE w.ctid = i.place
                """
        }()

        /// Returns a statement that notifies the owners of shards that the shards have new jobs.
        static func notifyOfJobs(_ shards: [ShardID]) -> PostgresStatement {
            PostgresStatement(
                """
                SELECT pg_notify('apus_node_' || o.node, 'jobs') FROM (
                    SELECT DISTINCT s.node FROM apus.shard AS s
                    WHERE s.id = ANY ($1::int8[]) AND s.node IS NOT NULL) AS o
                """, [.array(shards.map { Int64($0.rawValue) })])
        }

        /// Updates jobs and their wakes; parameters: keys, versions, identifiers, shards, lanes,
        /// ``JobColumns/progress``, numbers of the rows.
        static let updateJobs: String = {
            let columns = ["key", "version", "id", "shard", "lane"] + JobColumns.progress
            let stored = find(
                ", t.wake AS last_wake, t.elapsed_wake AS last_elapsed_wake", in: "job",
                where: "t.key = i.key AND t.version = i.version AND t.id = i.id")
            func wake(_ condition: String) -> String {
                find("", in: "wake", where: "\(condition) AND t.lane = i.lane AND t.key = i.key")
            }
            return """
                WITH input AS MATERIALIZED (
                    SELECT i.*, j.* FROM \(unnest(columns, from: 1)) WITH ORDINALITY AS i (\(columns.list), number),
                        \(stored) AS j
                ), asleep AS (
                    DELETE FROM apus.wake AS w USING (
                        SELECT o.place FROM input AS i, \(wake("NOT t.elapsed AND t.instant = i.last_wake")) AS o
                        WHERE i.last_wake IS NOT NULL AND i.last_wake IS DISTINCT FROM i.wake
                        UNION ALL
                        SELECT o.place FROM input AS i, \(wake("t.elapsed AND t.instant = i.last_elapsed_wake")) AS o
                        WHERE i.last_elapsed_wake IS NOT NULL AND i.last_elapsed_wake IS DISTINCT FROM i.elapsed_wake
                    ) AS o WHERE w.ctid = o.place
                ), woken AS (
                    INSERT INTO apus.wake (elapsed, lane, instant, key, shard)
                    SELECT false, lane, wake, key, shard FROM input
                    WHERE wake IS NOT NULL AND last_wake IS DISTINCT FROM wake
                    UNION ALL
                    SELECT true, lane, elapsed_wake, key, shard FROM input
                    WHERE elapsed_wake IS NOT NULL AND last_elapsed_wake IS DISTINCT FROM elapsed_wake
                ), over AS (
                    \(insertEnded(from: "input"))
                ), changed AS (
                    UPDATE apus.job AS j
                    SET version = j.version + 1, shard = i.shard, \(JobColumns.progress.map { "\($0) = i.\($0)" }.list)
                    FROM input AS i WHERE j.ctid = i.place AND j.version = i.version RETURNING i.number
                )
                SELECT apus.require_all($\(columns.count + 1), (SELECT array_agg(number) FROM changed))
                """
        }()

        /// Returns a statement that inserts the wakes of all jobs that are in the table `jobs`.
        ///
        /// The columns of the table include the key, the shard, ``JobColumns/progress`` and ``JobColumns/request``.
        static func insertWakes(from jobs: String) -> String {
            """
            INSERT INTO apus.wake (elapsed, lane, instant, key, shard)
                SELECT false, \(JobColumns.lane), wake, key, shard FROM \(jobs) AS r WHERE wake IS NOT NULL
                UNION ALL
                SELECT true, \(JobColumns.lane), elapsed_wake, key, shard FROM \(jobs) AS r
                WHERE elapsed_wake IS NOT NULL
            """
        }

        /// Returns a statement that reads the ended jobs from the table `jobs`, and records them for their removal.
        ///
        /// The columns of the table include the key and ``JobColumns/progress``.
        static func insertEnded(from jobs: String) -> String {
            """
            INSERT INTO apus.ended (kept_until, keys) SELECT kept_until, array_agg(key) FROM \(jobs)
                WHERE state IN ('cancelled', 'finished') AND open_runs = 0 AND kept_until IS NOT NULL
                GROUP BY kept_until
            """
        }

        /// Updates requests; parameters: keys, ``JobColumns/request``.
        static let updateRequests = """
            UPDATE apus.request AS r SET \(JobColumns.request.map { "\($0) = i.\($0)" }.list)
            FROM \(unnest(["job"] + JobColumns.request, from: 1)) AS i (job, \(JobColumns.request.list))
            WHERE r.job = i.job
            """

        /// Moves wakes to the new lanes of their jobs, before the requests and the jobs are written; parameters: keys,
        /// lanes.
        static let updateLanes = """
            WITH former AS MATERIALIZED (
                SELECT i.key, i.lane AS next, \(JobColumns.lane) AS lane, j.wake, j.elapsed_wake
                FROM unnest($1::int8[], $2::text[]) AS i (key, lane)
                JOIN apus.request AS r ON r.job = i.key JOIN apus.job AS j ON j.key = i.key
            )
            UPDATE apus.wake AS w SET lane = f.next FROM (
                SELECT f.next, o.place FROM former AS f,
                    \(find("", in: "wake", where: "\(ofFormer) AND NOT t.elapsed AND t.instant = f.wake")) AS o
                UNION ALL
                SELECT f.next, o.place FROM former AS f,
                    \(find("", in: "wake", where: "\(ofFormer) AND t.elapsed AND t.instant = f.elapsed_wake")) AS o
            ) AS f WHERE w.ctid = f.place
            """

        private static let ofFormer = "f.lane <> f.next AND t.lane = f.lane AND t.key = f.key"

        /// Updates `unique_payload` of requests; parameters: keys, ``JobColumns/uniqueness(of:)``.
        static let updateUniqueness = """
            UPDATE apus.request AS r SET unique_payload = i.uniqueness FROM (
                SELECT o.place, i.uniqueness FROM unnest($1::int8[], $2::int8[]) AS i (job, uniqueness),
                    \(find("", in: "request", where: "t.job = i.job AND t.unique_payload <> i.uniqueness")) AS o
            ) AS i WHERE r.ctid = i.place
            """

        /// Writes runs; parameters: ``RunColumns/all``.
        ///
        /// An existing run is overwritten in its place, and keeps its sequence number when it ends. A run that was open
        /// is not in the table of ended runs, so that table is searched only for the other runs.
        ///
        /// The statement refuses the transaction if it would end a completed run other than with success, or make it
        /// wait again, or if another transaction has changed an open run in the meantime.
        static let writeRuns = """
            WITH input AS MATERIALIZED (
                SELECT nextval('apus.run_sequence') AS fresh, i.*, i.state IN ('waiting', 'claimed') AS is_open FROM (
                    SELECT * FROM \(unnest(RunColumns.all, from: 1)) WITH ORDINALITY
                        AS i (\(RunColumns.all.list), number)
                    ORDER BY number) AS i
            ), stored AS MATERIALIZED (
                SELECT i.number, i.is_open, o.place, NOT o.completed OR i.state IN ('claimed', 'succeeded') AS may_change
                FROM input AS i, \(find(", t.completed", in: "open_run", where: sameRun)) AS o
            ), former AS (
                DELETE FROM apus.open_run AS o USING stored AS s
                WHERE NOT s.is_open AND s.may_change AND o.ctid = s.place RETURNING s.number, o.sequence
            ), still_open AS (
                UPDATE apus.open_run AS o SET \(RunColumns.values.map { "\($0) = i.\($0)" }.list)
                FROM stored AS s JOIN input AS i USING (number)
                WHERE s.is_open AND s.may_change AND o.ctid = s.place RETURNING s.number
            ), opened AS (
                INSERT INTO apus.open_run (\(RunColumns.all.list), sequence)
                SELECT \(RunColumns.all.list), fresh FROM input
                WHERE is_open AND NOT number IN (SELECT number FROM stored)
            ), over AS MATERIALIZED (
                SELECT i.*, f.sequence AS known FROM input AS i LEFT JOIN former AS f USING (number) WHERE NOT i.is_open
            ), changed AS (
                UPDATE apus.run AS r SET \(RunColumns.values.map { "\($0) = i.\($0)" }.list) FROM (
                    SELECT i.*, o.place FROM over AS i, \(find("", in: "run", where: sameRun)) AS o
                    WHERE i.known IS NULL) AS i
                WHERE r.ctid = i.place RETURNING i.number
            ), ended AS (
                INSERT INTO apus.run (\(RunColumns.all.list), sequence)
                SELECT \(RunColumns.all.list), coalesce(known, fresh) FROM over
                WHERE NOT number IN (SELECT number FROM changed)
            )
            SELECT apus.require_all(
                (SELECT array_agg(number) FROM stored),
                (SELECT array_agg(number) FROM (SELECT number FROM former UNION ALL SELECT number FROM still_open) AS w))
            """

        /// Removes all but the newest attempts and the newest skipped ranges of each job; parameters: keys, numbers of
        /// runs to keep.
        static let retireRuns = """
            DELETE FROM apus.run AS r USING (
                SELECT s.sequence, i.kept,
                    row_number() OVER (PARTITION BY s.job, s.attempt > 0 AND s.state <> 'skipped'
                        ORDER BY s.sequence DESC) AS newer
                FROM unnest($1::int8[], $2::int8[]) AS i (job, kept) JOIN apus.run AS s ON s.job = i.job
            ) AS old WHERE old.newer > old.kept AND r.sequence = old.sequence
            """

        /// Inserts new jobs, and returns their keys, in the order of the jobs.
        ///
        /// Parameters, in this order: shards, identifiers, instants of submission, ``JobColumns/progress``,
        /// ``JobColumns/request``, and the numbers of the jobs. The statement with runs also has ``RunColumns/all``
        /// before the numbers of the jobs; there, a run refers to its job by the job's number, because the job has no
        /// key yet.
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
                    \(insertWakes(from: "keyed"))
                ), over AS (
                    \(insertEnded(from: "keyed"))
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

        /// Returns `unnest` of the arrays of these columns, whose parameters begin with the number `first`.
        static func unnest(_ columns: [String], from first: Int) -> String {
            let arrays = columns.enumerated().map { "$\(first + $0)::\(type(of: $1))[]" }
            return "unnest(\(arrays.list))"
        }

        private static func type(of column: String) -> String { types[column] ?? "int8" }

        /// The types of the columns that are not integers.
        private static let types = [
            "id": "text", "lane": "text", "state": "text", "name": "text", "kind": "text", "trigger": "text",
            "missed_runs": "text",
            "overlap": "text", "jitter": "float8", "labels": "text", "payload": "bytea", "queue": "text",
            "fairness_key": "text", "unique_key": "text", "idempotency_key": "text", "metadata": "text",
            "final": "bool", "reason": "text",
            "output": "bytea",
            "result": "bytea", "progress": "float8", "progress_message": "text", "due_note": "text",
            "trigger_calendar": "text",
        ]
    }

    extension Sequence<String> {
        fileprivate var list: String { joined(separator: ", ") }
    }
#endif

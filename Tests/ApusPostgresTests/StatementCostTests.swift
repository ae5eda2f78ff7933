#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTestSupport
    import ApusTimers
    import Testing

    /// Waiting and ended jobs must cost nothing, whatever the planner's statistics are.
    ///
    /// The server counts the pages that each statement reads.
    @Suite("The cost of the store's statements")
    struct StatementCostTests {
        enum Statistics: CaseIterable {
            case none
            /// The statistics were made when the tables were empty.
            case stale
            case fresh
        }

        private static let empty = JobRequest(
            id: "first", kind: "k", trigger: .at(SystemTime().wall().advanced(by: .seconds(86_400))))

        /// The statements that fill the database.
        ///
        /// They add 20,000 jobs of one queue that are due tomorrow, half of them on each clock; as many ended jobs,
        /// half of them with an idempotency key; and as many nodes that ended today.
        private static let fill = [
            """
            INSERT INTO apus.job (
                key, version, shard, id, created, first, origin, missed, wake, elapsed_wake, next_due, next_occurrence,
                occurrences, open_runs, state, updated, runs_since_retired, kept_until)
            SELECT nextval('apus.job_key'), 1, n & 255, 'job-' || n, now, due, 0, 0,
                CASE WHEN n <= 10000 THEN due END, CASE WHEN n BETWEEN 10001 AND 20000 THEN due END,
                CASE WHEN n <= 20000 THEN due END, 1, 0, 0, CASE WHEN n <= 20000 THEN 'scheduled' ELSE 'finished' END,
                now, 0, CASE WHEN n > 20000 THEN now END
            FROM generate_series(1, 40000) AS n, LATERAL (
                SELECT apus.now() AS now, apus.now() + 86400000000000 + n AS due) AS t
            """,
            """
            INSERT INTO apus.request (
                job, kind, trigger, trigger_ns, tolerance, missed_runs, overlap, maximum_attempts, maximum_lost,
                initial_backoff, maximum_backoff, jitter, conditions, labels, payload, queue, priority, metadata,
                unique_payload, idempotency_key)
            SELECT key, 'k', CASE WHEN elapsed_wake IS NULL THEN 'at' ELSE 'after' END, 1000, 0, 'runOnce', 'skip', 1, 10,
                1000000000, 3600000000000, 0.2, 0, '{}', '', 'default', 2, '{}', 0,
                CASE WHEN state = 'finished' AND key % 2 = 0 THEN 'key-' || key END
            FROM apus.job WHERE id <> 'first'
            """,
            """
            INSERT INTO apus.wake (elapsed, lane, instant, key, shard)
            SELECT wake IS NULL, '2 0 default k', coalesce(wake, elapsed_wake), key, shard
            FROM apus.job WHERE state = 'scheduled' AND id <> 'first'
            """,
            """
            INSERT INTO apus.run (
                job, occurrence, attempt, through, lost_before, due, stands_for, state, final, claimed, started,
                finished, output, sequence)
            SELECT key, 1, 1, 1, 0, created, 1, 'succeeded', true, created, created, created, '',
                nextval('apus.run_sequence')
            FROM apus.job WHERE state = 'finished'
            """,
            """
            INSERT INTO apus.ended (kept_until, keys) SELECT kept_until, array_agg(key) FROM (
                SELECT kept_until, key, key / 100 AS part FROM apus.job WHERE state = 'finished') AS e
            GROUP BY kept_until, part
            """,
            """
            INSERT INTO apus.node (name, ended)
            SELECT repeat('n', 200), clock_timestamp() FROM generate_series(1, 20000)
            """,
        ]

        @Test("a statement reads as many pages as its rows need", arguments: Statistics.allCases)
        func pages(_ statistics: Statistics) async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                let store = PostgresStore(patient: configuration)
                var session = try await store.open(as: NodeID(rawValue: "node"))
                _ = try await store.commit(Self.turn(submitting: Self.empty), in: session)
                try await store.close(session)
                try await database.run("CREATE EXTENSION pg_stat_statements")
                for table in ["job", "request", "wake", "run", "open_run", "ended", "submission", "node"] {
                    try await database.run("ALTER TABLE apus.\(table) SET (autovacuum_enabled = off)")
                    if statistics == .stale { try await database.run("ANALYZE apus.\(table)") }
                }
                for statement in Self.fill { try await database.run(statement) }
                if statistics == .fresh { try await database.run("ANALYZE") }
                try await database.run("SELECT pg_stat_statements_reset()")

                session = try await store.open(as: NodeID(rawValue: "node"))
                // The 256 shards have just got their owner, which leaves former versions of their rows.
                // A transaction of the node may still see those versions.
                try await until("the shards have no former versions") {
                    try await database.run("VACUUM apus.shard")
                    let dead = "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = 'apus.shard'::regclass"
                    return try await database.value(dead, as: Int64.self) == 0
                }
                try await Self.use(store, session)
                try await store.close(session)
                let costly = try await Self.statements(above: 500, in: database)
                #expect(costly == "")
            }
        }

        /// Returns the statements that read more than `pages` pages, after 20 pages for each returned row are deducted.
        private static func statements(above pages: Int, in database: Database) async throws -> String {
            try await database.value(
                """
                SELECT coalesce(string_agg(pages || ' pages: ' || query, E'\\n'), '') FROM (
                    SELECT (shared_blks_hit + shared_blks_read) / calls - 20 * rows / calls AS pages, query
                    FROM pg_stat_statements
                    WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())) AS s
                WHERE pages > \(pages)
                """, as: String.self)
        }

        @Test(
            "a node with one job of a full queue, or none, reads few rows of other nodes",
            arguments: Statistics.allCases)
        func jobsOfOthers(_ statistics: Statistics) async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                let store = PostgresStore(patient: configuration)
                let session = try await store.open(as: NodeID(rawValue: "node"))
                try await database.run("CREATE EXTENSION pg_stat_statements")
                _ = try await store.commit(Self.turn(submitting: Self.empty), in: session)
                try await database.run("UPDATE apus.job SET shard = 5", "UPDATE apus.wake SET shard = 5")
                try await database.run("ALTER TABLE apus.wake SET (autovacuum_enabled = off)")
                if statistics == .stale { try await database.run("ANALYZE apus.wake") }
                try await database.run(
                    """
                    INSERT INTO apus.wake (elapsed, lane, instant, key, shard)
                    SELECT elapsed, lane, instant - n, -n, 128 + (n & 127)
                    FROM apus.wake, generate_series(1, 200000) AS n
                    """)
                if statistics == .fresh { try await database.run("ANALYZE apus.wake") }
                try await database.run("SELECT pg_stat_statements_reset()")

                let own = (0..<128).map { ShardID(rawValue: $0) }
                let due = try #require(try await store.load([.id("first")])[0]?.job.nextWake)
                var load = JobLoad(through: due, limit: 10_000)
                (load.room, load.largestShare) = (1_000, 50)
                #expect(try await store.queries.due(load, in: own).jobs.map(\.job.id) == ["first"])
                load.through = due.advanced(by: .seconds(-1))
                #expect(try await store.queries.due(load, in: own).next == due)
                try await store.close(session)
                let costly = try await Self.statements(above: 1_000, in: database)
                #expect(costly == "")
            }
        }

        private static func turn(submitting request: JobRequest) throws -> StoreTurn {
            let machine = try JobMachine.submitted(request, now: SystemTime().wall(), in: SystemTimeZones())
            return StoreTurn(
                parts: [[JobChange(expected: .absent, job: machine.job)]],
                clock: StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero))
        }

        /// Makes the requests of a scheduler and of its callers.
        private static func use(_ store: PostgresStore, _ session: StoreSession) async throws {
            let now = SystemTime().wall()
            let soon = try await store.due(through: now.advanced(by: .seconds(60)), limit: 100, in: session)
            #expect(soon.jobs.isEmpty && soon.next != nil)
            // All waiting jobs are due, and nearly all of them stay in the store.
            var load = JobLoad(through: now.advanced(by: .seconds(100_000)), limit: 10_000)
            (load.room, load.largestShare) = (1_000, 50)
            let due = try await store.due(load, in: session)
            #expect(due.jobs.count == 50 && due.left.count == 1)
            load.paused = ["default"]
            #expect(try await store.due(load, in: session).jobs.count == 100)
            #expect(try await store.interrupted(after: 0, limit: 100, in: session).isEmpty)
            #expect(try await store.anchored(after: 0, limit: 100, in: session).isEmpty)
            #expect(try await store.submissions(limit: 100, in: session).isEmpty)
            #expect(try await store.soonest(limit: 10).count == 10)
            let found = try await store.load([.id("job-5"), .key(7), .idempotencyKey("none")])
            #expect(found.map { $0 == nil } == [false, false, true])
            let moved = try #require(found[0])
            var move = try turn(submitting: empty)
            move.parts = [
                [
                    JobChange(
                        shard: moved.shard, expected: .version(moved.job.version), job: moved.job,
                        isStateChanged: false, destination: ShardID(rawValue: 9))
                ]
            ]
            _ = try await store.commit(move, in: session)[0].get()
            #expect(try await store.load([.id("job-5")])[0]?.shard == ShardID(rawValue: 9))
            var query = JobQuery()
            query.limit = 10
            #expect(try await store.jobs(query).jobs.count == 10)
            query.idPrefixOrName = "job-1234"
            #expect(try await store.jobs(query).jobs.count == 10)
            query.idPrefixOrName = "no such job"
            #expect(try await store.jobs(query).jobs.isEmpty)
            query.idPrefixOrName = "job-"
            #expect(try await store.jobs(query).jobs.count == 10)
            var runs = RunQuery()
            runs.limit = 10
            #expect(try await store.runs(runs).runs.count == 10)
            for number in 0..<10 {
                var request = empty
                request.id = JobID("new-\(number)")
                _ = try await store.commit(turn(submitting: request), in: session)
            }
            for _ in 0..<2 {
                #expect(
                    try await store.retire(
                        keptUntil: now.advanced(by: .seconds(60)), refusedBefore: now.advanced(by: .seconds(60)),
                        budget: 5, in: session))
            }
            #expect(try await store.setAside(after: 0, limit: 10).isEmpty)
            #expect(try await store.refusals(limit: 10, cursor: nil).refusals.isEmpty)
            let unreadable = UnreadableJob(key: 7, id: "job-5", problem: "it is damaged")
            _ = try await store.commit(
                StoreTurn(
                    parts: [], clock: StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero),
                    setAside: [unreadable]), in: session)
            #expect(try await store.nodes().count == 1)
            _ = try await store.queues()
        }
    }
#endif

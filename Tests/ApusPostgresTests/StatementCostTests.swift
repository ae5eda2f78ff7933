#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Testing

    /// What waits and what has ended must cost nothing, whatever the planner believes of the tables: the server counts the
    /// pages that each statement reads.
    @Suite("The cost of the store's statements")
    struct StatementCostTests {
        enum Statistics: CaseIterable {
            case none
            /// Of tables that were empty.
            case stale
            case fresh
        }

        private static let empty = JobRequest(
            id: "first", kind: "k", trigger: .at(SystemTime().wall().advanced(by: .seconds(86_400))))

        /// 20,000 jobs of one queue that are due tomorrow, half of them on each clock, and as many that have ended.
        private static let fill = [
            """
            INSERT INTO apus.job (
                key, version, shard, id, created, first, origin, missed, wake, elapsed_wake, next_due, next_occurrence,
                occurrences, open_runs, state, updated, runs_since_retired)
            SELECT nextval('apus.job_key'), 1, n & 255, 'job-' || n, now, due, 0, 0,
                CASE WHEN n <= 10000 THEN due END, CASE WHEN n BETWEEN 10001 AND 20000 THEN due END,
                CASE WHEN n <= 20000 THEN due END, 1, 0, 0, CASE WHEN n <= 20000 THEN 'scheduled' ELSE 'finished' END,
                now, 0
            FROM generate_series(1, 40000) AS n, LATERAL (
                SELECT apus.now() AS now, apus.now() + 86400000000000 + n AS due) AS t
            """,
            """
            INSERT INTO apus.request (
                job, kind, trigger, trigger_ns, tolerance, missed_runs, overlap, maximum_attempts, maximum_lost,
                initial_backoff, maximum_backoff, jitter, conditions, labels, payload, queue, priority, metadata,
                unique_payload)
            SELECT key, 'k', CASE WHEN elapsed_wake IS NULL THEN 'at' ELSE 'after' END, 1000, 0, 'runOnce', 'skip', 1, 10,
                1000000000, 3600000000000, 0.2, 0, '{}', '', 'default', 2, '{}', 0
            FROM apus.job WHERE id <> 'first'
            """,
            """
            INSERT INTO apus.wake (elapsed, instant, key, shard, queue, priority)
            SELECT wake IS NULL, coalesce(wake, elapsed_wake), key, shard, 'default', 2
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
            INSERT INTO apus.ended (updated, keys) SELECT updated, array_agg(key) FROM (
                SELECT updated, key, key / 100 AS part FROM apus.job WHERE state = 'finished') AS e GROUP BY updated, part
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
                for table in ["job", "request", "wake", "run", "open_run", "ended", "submission"] {
                    try await database.run("ALTER TABLE apus.\(table) SET (autovacuum_enabled = off)")
                    if statistics == .stale { try await database.run("ANALYZE apus.\(table)") }
                }
                for statement in Self.fill { try await database.run(statement) }
                if statistics == .fresh { try await database.run("ANALYZE") }
                try await database.run("SELECT pg_stat_statements_reset()")

                session = try await store.open(as: NodeID(rawValue: "node"))
                // The former versions of the 256 shards, which have just got their owner.
                try await database.run("VACUUM apus.shard")
                try await Self.use(store, session)
                try await store.close(session)
                let costly = try await database.value(
                    """
                    SELECT coalesce(string_agg(pages || ' pages: ' || query, E'\\n'), '') FROM (
                        SELECT (shared_blks_hit + shared_blks_read) / calls - 20 * rows / calls AS pages, query
                        FROM pg_stat_statements
                        WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())) AS s
                    WHERE pages > 500
                    """, as: String.self)
                #expect(costly == "")
            }
        }

        private static func turn(submitting request: JobRequest) throws -> StoreTurn {
            let machine = try JobMachine.submitted(request, now: SystemTime().wall(), in: SystemTimeZones())
            return StoreTurn(
                parts: [[JobChange(expected: .absent, job: machine.job)]],
                clock: StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero))
        }

        /// What a scheduler asks, and what its callers ask.
        private static func use(_ store: PostgresStore, _ session: StoreSession) async throws {
            let now = SystemTime().wall()
            let full = [QueueLane("other", .normal)]
            for lanes in [[], full] {
                let due = try await store.due(
                    through: now.advanced(by: .seconds(60)), limit: 100, excluding: lanes, in: session)
                #expect(due.jobs.isEmpty && due.next != nil)
            }
            #expect(try await store.interrupted(after: 0, limit: 100, in: session).isEmpty)
            #expect(try await store.anchored(after: 0, limit: 100, in: session).isEmpty)
            #expect(try await store.submissions(limit: 100, in: session).isEmpty)
            #expect(try await store.soonest(limit: 10).count == 10)
            let found = try await store.load([.id("job-5"), .key(7), .idempotencyKey("none")])
            #expect(found.map { $0 == nil } == [false, false, true])
            var query = JobQuery()
            query.limit = 10
            #expect(try await store.jobs(query).jobs.count == 10)
            var runs = RunQuery()
            runs.limit = 10
            #expect(try await store.runs(runs).runs.count == 10)
            for number in 0..<10 {
                var request = empty
                request.id = JobID("new-\(number)")
                _ = try await store.commit(turn(submitting: request), in: session)
            }
            #expect(try await store.retire(endedBefore: now.advanced(by: .seconds(60)), budget: 5, in: session))
            #expect(try await store.nodes().count == 1)
            _ = try await store.queues()
        }
    }
#endif

#if Postgres
    import ApusJobs
    import ApusTimers

    struct RunReference: Hashable {
        var job: Int64
        var occurrence: Int
        var attempt: Int
    }

    struct StoreQueries: Sendable {
        let link: ServerLink

        /// The maximum number of jobs that are loaded in one round trip.
        private static let atOnce = 10_000

        // MARK: The clock and queues

        static let selectClock = PostgresStatement(
            "SELECT boot_id, wall_offset, elapsed_offset FROM apus.clock")

        static func clock(of rows: PostgresRows) throws -> StoreClock? {
            guard let first = rows.first else { return nil }
            var row = RowReader(first)
            return StoreClock(
                bootID: try row.optional(), wallOffset: try row.duration(), elapsedOffset: try row.duration())
        }

        static let selectQueues = PostgresStatement(
            """
            SELECT id, concurrency, concurrency_per_key, rate_runs, rate_period, paused, recent_starts, last_start
            FROM apus.queue ORDER BY id COLLATE "C"
            """)

        static func queues(of rows: PostgresRows, _ axis: ElapsedAxis) throws -> [JobQueue] {
            try rows.map { row in
                var row = RowReader(row)
                var queue = JobQueue(id: QueueID(try row.next(String.self)), concurrency: try row.optionalInt())
                queue.concurrencyPerKey = try row.optionalInt()
                let (runs, period) = (try row.optionalInt(), try row.optionalDuration())
                if let runs, let period { queue.rate = QueueRate(runs: runs, per: period) }
                queue.isPaused = try row.next()
                queue.recentStarts = try row.int()
                queue.lastStart = try row.optional(Int64.self).map(axis.decode)
                return queue
            }
        }

        func clockAndQueues() async throws -> (clock: StoreClock?, queues: [JobQueue]) {
            let results = try await link.read([Self.selectClock, Self.selectQueues], isSnapshot: true)
            let clock = try Self.clock(of: results[0])
            return (clock, try Self.queues(of: results[1], ElapsedAxis(clock)))
        }

        /// Returns whether any job, even an ended one, has a calendar trigger.
        func mayHaveCalendars() async throws -> Bool {
            let sql = "SELECT EXISTS (SELECT 1 FROM apus.request WHERE trigger_calendar IS NOT NULL)"
            return try await link.read([PostgresStatement(sql)])[0][0].decode(Bool.self, at: 0)
        }

        private func axis() async throws -> ElapsedAxis {
            ElapsedAxis(try Self.clock(of: try await link.read([Self.selectClock])[0]))
        }

        // MARK: Jobs by their keys

        /// Returns the existing jobs with these keys, in no particular order.
        func load(_ keys: [Int64]) async throws -> [FoundJob] {
            var found: [FoundJob] = []
            for start in stride(from: 0, to: keys.count, by: Self.atOnce) {
                found += try await loadAtOnce(Array(keys[start..<min(start + Self.atOnce, keys.count)]))
            }
            return found
        }

        private func loadAtOnce(_ keys: [Int64]) async throws -> [FoundJob] {
            let parameters: [PostgresValue] = [.array(keys)]
            let results = try await link.read(
                [
                    Self.selectClock, PostgresStatement(Self.jobsByKey, parameters),
                    PostgresStatement(Self.openRuns, parameters), PostgresStatement(Self.lastOutcomes, parameters),
                ], isSnapshot: true)
            let axis = ElapsedAxis(try Self.clock(of: results[0]))
            var loaded: [LoadedJob] = []
            var unreadable: [Int64: UnreadableJob] = [:]
            var positions: [Int64: Int] = [:]
            for row in results[1] {
                var row = RowReader(row)
                do {
                    let (job, shard) = try JobColumns.read(&row, axis)
                    positions[job.key] = loaded.count
                    loaded.append(LoadedJob(job: job, open: [], shard: shard, elapsedOffset: axis.duration))
                } catch let job as UnreadableJob {
                    unreadable[job.key] = job
                }
            }
            /// Reads a run of the job at a position; if the run cannot be read, the job counts as unreadable.
            func read(_ row: PostgresRow, of position: Int) throws -> Run? {
                let (job, shard) = (loaded[position].job, loaded[position].shard)
                do { return try Self.run(row, of: job, axis) } catch let problem as StoredProblem {
                    unreadable[job.key] = UnreadableJob(
                        key: job.key, id: job.id, shard: shard, problem: problem.text)
                    return nil
                }
            }
            for row in results[2] {
                guard let position = positions[try row.decode(at: 0)], var run = try read(row, of: position) else {
                    continue
                }
                run.isCompleted = try row.decode(at: RunColumns.all.count)
                if run.isCompleted { run.result = try row.decodeIfPresent(at: RunColumns.all.count + 1) }
                loaded[position].open.append(run)
            }
            for row in results[3] {
                guard let position = positions[try row.decode(at: 0)], let last = try read(row, of: position) else {
                    continue
                }
                let job = loaded[position].job
                if last.state == .skipped, last.through == job.nextOccurrence - 1 { loaded[position].lastSkip = last }
            }
            // The statement does not select jobs without a request, so they are searched for separately if jobs are
            // missing.
            if results[1].count < keys.count {
                for job in try await withoutRequest(keys) { unreadable[job.key] = job }
            }
            return loaded.filter { unreadable[$0.job.key] == nil }.map { FoundJob.job($0) }
                + unreadable.values.sorted { $0.key < $1.key }.map { FoundJob.unreadable($0) }
        }

        static func run(_ row: PostgresRow, of job: Job, _ axis: ElapsedAxis) throws -> Run {
            var row = RowReader(row)
            return try RunColumns.read(
                &row, job: job.id, isTriggerRelative: job.isTriggerRelative, axis)
        }

        private static let jobsByKey = """
            SELECT \(JobColumns.selected) FROM \(JobColumns.table) WHERE j.key = ANY ($1::int8[])
            """

        private static let openRuns = """
            SELECT \(RunColumns.selected(of: "o")), o.completed, o.completed_result
            FROM apus.open_run AS o WHERE o.job = ANY ($1::int8[])
            ORDER BY o.job, o.occurrence, o.attempt
            """

        /// Selects the outcome of each job's last occurrence with an outcome, found by one search in the index of
        /// outcomes.
        private static let lastOutcomes = """
            SELECT \(RunColumns.selected(of: "o")) FROM unnest($1::int8[]) AS i (key), LATERAL (
                SELECT * FROM apus.run AS r WHERE r.job = i.key AND r.final ORDER BY r.occurrence DESC LIMIT 1) AS o
            """

        // MARK: Runs by their keys

        /// Returns the existing runs, open or ended, each found by an index.
        func runs(_ references: [RunReference]) async throws -> [RunReference: Run] {
            if references.isEmpty { return [:] }
            var wanted = RowArrays()
            for reference in Set(references) {
                wanted.add(reference.job)
                wanted.add(reference.occurrence)
                wanted.add(reference.attempt)
                wanted.endRow()
            }
            let results = try await link.read(
                [Self.selectClock, PostgresStatement(Self.runsByKey, wanted.parameters)], isSnapshot: true)
            let axis = ElapsedAxis(try Self.clock(of: results[0]))
            var found: [RunReference: Run] = [:]
            for row in results[1] {
                var reader = RowReader(row)
                let count = RunColumns.all.count
                let id = JobID(try row.decode(String.self, at: count))
                let isRelative = JobColumns.isRelative(
                    trigger: try row.decode(at: count + 1), anchor: try row.decodeIfPresent(at: count + 2))
                let run: Run
                do {
                    run = try RunColumns.read(&reader, job: id, isTriggerRelative: isRelative, axis)
                } catch is StoredProblem {
                    continue
                }
                found[RunReference(job: run.jobKey, occurrence: run.occurrence, attempt: run.attempt)] = run
            }
            return found
        }

        private static let runsByKey = """
            SELECT \(RunColumns.selected(of: "o")), j.id, r.trigger, r.trigger_anchor
            FROM unnest($1::int8[], $2::int8[], $3::int8[]) AS i (job, occurrence, attempt), LATERAL (
                \(["open_run", "run"].map {
                    """
                    (SELECT \(RunColumns.selected(of: "t")) FROM apus.\($0) AS t
                    WHERE t.job = i.job AND t.occurrence = i.occurrence AND t.attempt = i.attempt OFFSET 0)
                    """
                }.joined(separator: " UNION ALL "))) AS o
            JOIN apus.job AS j ON j.key = o.job JOIN apus.request AS r ON r.job = o.job
            """

        /// Returns the jobs with these keys, in the order of the keys.
        private func loadInOrder(_ keys: [Int64]) async throws -> [FoundJob] {
            let found = Dictionary(try await load(keys).map { ($0.key, $0) }) { first, _ in first }
            return keys.compactMap { found[$0] }
        }

        // MARK: Jobs by what they are

        func find(_ references: [JobReference]) async throws -> [FoundJob?] {
            if references.isEmpty { return [] }
            let results = try await link.read(references.map(Self.find))
            let keys = try results.map { try $0.first?.decodeIfPresent(Int64.self, at: 0) }
            let found = Dictionary(
                try await load(Array(Set(keys.compactMap { $0 })))
                    .map { ($0.key, $0) }
            ) { first, _ in first }
            return keys.map { $0.flatMap { found[$0] } }
        }

        /// Returns the statement that selects the key of a job.
        private static func find(_ reference: JobReference) -> PostgresStatement {
            switch reference {
            case .key(let key): PostgresStatement("SELECT $1::int8", [.int64(key)])
            // A PostgreSQL text cannot contain U+0000, so no job is found. With such a parameter the whole batch would
            // fail, and a batch serves many callers.
            case .id(let id) where id.rawValue.utf8.contains(0): PostgresStatement("SELECT NULL::int8")
            case .idempotencyKey(let key) where key.utf8.contains(0): PostgresStatement("SELECT NULL::int8")
            case .id(let id): PostgresStatement("SELECT \(keyOfID("$1"))", [.text(id.rawValue)])
            case .idempotencyKey(let key):
                PostgresStatement("SELECT job FROM apus.request WHERE idempotency_key = $1", [.text(key)])
            case .unique(let kind, _, _) where kind.utf8.contains(0): PostgresStatement("SELECT NULL::int8")
            case .unique(_, .key(let key), _) where key.utf8.contains(0): PostgresStatement("SELECT NULL::int8")
            case .unique(let kind, let content, let instant):
                find(kind, Self.content(content), instant)
            }
        }

        private static func find(
            _ kind: String, _ content: (sql: String, value: PostgresValue), _ instant: WallInstant?
        ) -> PostgresStatement {
            let same = "r.kind = $1 AND \(JobColumns.content("r")) = \(content.sql) AND r.unique_payload"
            return PostgresStatement(
                """
                SELECT coalesce(
                    (SELECT r.job FROM apus.request AS r WHERE \(same) = 1),
                    (SELECT r.job FROM apus.request AS r JOIN apus.job AS j ON j.key = r.job
                        WHERE \(same) > 0 AND j.created > $3 ORDER BY r.job DESC LIMIT 1))
                """, [.text(kind), content.value, .int64(instant.map(StoreInstant.encode))])
        }

        /// Returns the expression for the parameter $2, in the form of ``JobColumns/content(_:)``, and its value.
        private static func content(_ content: JobUniqueness.Content) -> (sql: String, value: PostgresValue) {
            switch content {
            case .payload(let bytes): ("encode(sha256($2), 'hex')", .bytes(bytes))
            case .key(let key): ("'k' || $2", .text(key))
            }
        }

        /// Returns the expression for the key of the job that an identifier denotes: the job that has not ended, else
        /// the last one submitted.
        static func keyOfID(_ id: String) -> String {
            """
            coalesce(
                (SELECT j.key FROM apus.job AS j WHERE j.id = \(id) AND \(JobColumns.hasNotEnded)),
                (SELECT j.key FROM apus.job AS j WHERE j.id = \(id) ORDER BY j.key DESC LIMIT 1))
            """
        }

        /// Returns a part of `WITH RECURSIVE` with the lanes in which a job wakes by one of the two clocks, each found
        /// by one search in the index.
        ///
        /// The last row of the part is null.
        static func lanes(_ name: String, isElapsed: Bool) -> String {
            """
            \(name) (lane) AS (
                (SELECT w.lane FROM apus.wake AS w WHERE w.elapsed = \(isElapsed) ORDER BY w.lane LIMIT 1)
                UNION ALL
                SELECT (SELECT w.lane FROM apus.wake AS w WHERE w.elapsed = \(isElapsed) AND w.lane > l.lane
                    ORDER BY w.lane LIMIT 1)
                FROM \(name) AS l WHERE l.lane IS NOT NULL)
            """
        }

        func due(_ load: JobLoad, in shards: [ShardID]) async throws -> DueJobs {
            let axis = try await axis()
            let passing = PostgresValue.int64(Self.passing(shards))
            let shards = PostgresValue.array(shards.map { Int64($0.rawValue) })
            let bounds = [StoreInstant.bound(load.through), axis.bound(load.through)]
            let decode = [StoreInstant.decode, axis.decode]
            let wanted = load.lanes.map { PostgresValue.array($0.map(\.stored)) }
            let found = try await link.read(
                [0, 1].map { clock in
                    let parameters = [.int64(bounds[clock]), shards, .int64(bounds[1 - clock]), passing]
                    return PostgresStatement(
                        Self.selectLanes(isElapsed: clock == 1, areNamed: wanted != nil),
                        parameters + (wanted.map { [$0] } ?? []))
                }, isSnapshot: true)
            var selection = DueSelection()
            var later: [(wake: WallInstant, lane: QueueLane)] = []
            // The jobs of lanes that cannot be decoded are read too, because these jobs must be set aside.
            var strange: Set<String> = []
            for (rows, decode) in zip(found, decode) {
                for row in rows {
                    let text: String = try row.decode(at: 0)
                    let (first, next) = (
                        try row.decodeIfPresent(Int64.self, at: 1).map(decode),
                        try row.decodeIfPresent(Int64.self, at: 2).map(decode)
                    )
                    guard let lane = QueueLane(stored: text) else {
                        if first != nil { strange.insert(text) }
                        if let next { selection.add(later: next) }
                        continue
                    }
                    if let first { selection.add(lane, first: first) }
                    if let next { later.append((next, lane)) }
                }
            }
            let limits = load.limits(of: selection.lanes)
            for (wake, lane) in later where limits[lane] ?? 1 > 0 { selection.add(later: wake) }
            let read = selection.lanes.filter { limits[$0] ?? 0 > 0 }
            let texts = read.map(\.stored) + strange.sorted()
            // One row more than the limit shows whether the lane has further jobs.
            let most = load.mostRows
            let counts = (read.map { min(limits[$0] ?? 0, most) } + strange.map { _ in most }).map { Int64($0 + 1) }
            if !texts.isEmpty {
                let results = try await link.read(
                    [0, 1].map { clock in
                        PostgresStatement(
                            Self.selectDue(isElapsed: clock == 1),
                            [.int64(bounds[clock]), shards, .array(texts), passing, .array(counts)])
                    }, isSnapshot: true)
                for (rows, decode) in zip(results, decode) {
                    for row in rows {
                        let number = Int(try row.decode(Int64.self, at: 2)) - 1
                        let lane = number < read.count ? read[number] : nil
                        selection.add(try row.decode(at: 0), decode(try row.decode(at: 1)), of: lane)
                    }
                }
            }
            let (keys, next) = selection.finish(load, limits)
            let loaded = try await loadInOrder(keys)
            return DueJobs(jobs: loaded.readable, unreadable: loaded.unreadable, next: next, left: selection.left)
        }

        /// The number of rows of a lane that may be skipped in the search for rows of the node's own shards.
        ///
        /// For each row that is wanted, ``passing(_:)`` more rows may be skipped.
        private static let mostPassed = 1_000

        /// Returns the number of rows that may be skipped for each row that is wanted.
        ///
        /// It is twice the number that is expected if the jobs of the lane are distributed over all shards.
        private static func passing(_ shards: [ShardID]) -> Int64 {
            Int64(2 * StoreSchema.shards / max(1, shards.count))
        }

        /// Returns the first wakes of one lane in the node's shards, as a table `o`.
        ///
        /// The parameter `$2` has these shards, and `$4` the number of rows to skip for each row that is wanted.
        ///
        /// Usually the jobs of a lane are in all shards, and the first rows of the lane include enough of the node's
        /// own. But all jobs of a lane may be in shards of other nodes (``JobPlacement``). Then the rows of each of the
        /// node's shards are read by the index `wake_of_shard`, so the cost does not depend on the number of others'
        /// jobs.
        ///
        /// A subquery that reads rows in order has no other condition: with one, the planner might read the whole lane
        /// and sort it.
        private static func firstWakes(
            _ count: String, where condition: String, and filter: String = "true", isElapsed: Bool
        ) -> String {
            func rows(_ condition: String) -> String {
                """
                SELECT w.instant, w.key, w.shard FROM apus.wake AS w WHERE w.elapsed = \(isElapsed) AND \(condition)
                    ORDER BY w.instant, w.key
                """
            }
            let passed = "\(mostPassed) + \(count) * $4::int8"
            return """
                (
                    WITH near AS MATERIALIZED (
                        SELECT w.key, w.instant FROM (\(rows(condition)) LIMIT \(passed)) AS w
                        WHERE w.shard = ANY ($2::int8[]) AND \(filter) LIMIT \(count)
                    ), far AS MATERIALIZED (
                        SELECT WHERE (SELECT count(*) FROM near) < \(count)
                            AND EXISTS (SELECT FROM (\(rows(condition)) OFFSET \(passed) LIMIT 1) AS w)
                    )
                    SELECT near.key, near.instant FROM near WHERE NOT EXISTS (SELECT FROM far)
                    UNION ALL (
                        SELECT w.key, w.instant FROM far, unnest($2::int8[]) AS own (shard), LATERAL (
                            SELECT w.key, w.instant FROM (\(rows("\(condition) AND w.shard = own.shard")) OFFSET 0) AS w
                            WHERE \(filter) LIMIT \(count)) AS w
                        ORDER BY w.instant, w.key LIMIT \(count))
                ) AS o
                """
        }

        /// Returns the statement for two instants of each lane: the first one up to the bound, and the first one after
        /// the bound.
        ///
        /// Parameters: the bound, the shards, the other clock's bound, the number of rows to skip
        /// (``firstWakes(_:where:and:isElapsed:)``), and the lanes if they are named.
        private static func selectLanes(isElapsed: Bool, areNamed: Bool) -> String {
            let lanes = areNamed ? "l (lane) AS (SELECT unnest($5::text[]))" : Self.lanes("l", isElapsed: isElapsed)
            // This condition excludes jobs that are already due by the other clock.
            let isLater = """
                coalesce(
                    (SELECT j.\(isElapsed ? "wake" : "elapsed_wake") FROM apus.job AS j WHERE j.key = w.key) > $3, true)
                """
            func first(_ condition: String, and filter: String = "true") -> String {
                let condition = "w.lane = l.lane AND \(condition)"
                return "(SELECT o.instant FROM \(firstWakes("1", where: condition, and: filter, isElapsed: isElapsed)))"
            }
            return """
                WITH RECURSIVE \(lanes)
                SELECT l.lane, \(first("w.instant <= $1")), \(first("w.instant > $1", and: isLater))
                FROM l WHERE l.lane IS NOT NULL
                """
        }

        /// Returns the statement for the due jobs of lanes; its last column is the number of the lane.
        ///
        /// Parameters: the bound, the shards, the lanes, the number of rows to skip
        /// (``firstWakes(_:where:and:isElapsed:)``), and the number of rows of each lane.
        private static func selectDue(isElapsed: Bool) -> String {
            let wakes = firstWakes("i.count", where: "w.lane = i.lane AND w.instant <= $1", isElapsed: isElapsed)
            return """
                SELECT o.key, o.instant, i.number
                FROM unnest($3::text[], $5::int8[]) WITH ORDINALITY AS i (lane, count, number), LATERAL \(wakes)
                """
        }

        func interrupted(after key: Int64, limit: Int, in shards: [ShardID]) async throws -> [FoundJob] {
            try await page(
                """
                SELECT DISTINCT o.job FROM apus.open_run AS o JOIN apus.job AS j ON j.key = o.job
                WHERE o.state = 'claimed' AND o.job > $1 AND j.shard = ANY ($2::int8[]) AND \(SetAside.isNone)
                ORDER BY o.job LIMIT $3
                """, after: key, limit, shards)
        }

        func anchored(after key: Int64, limit: Int, in shards: [ShardID]) async throws -> [FoundJob] {
            try await page(
                """
                SELECT r.job FROM apus.request AS r
                WHERE (r.trigger_anchor IS NOT NULL OR r.trigger_calendar IS NOT NULL) AND r.job > $1 AND (
                    SELECT \(JobColumns.hasNotEnded) AND j.shard = ANY ($2::int8[]) AND \(SetAside.isNone)
                    FROM apus.job AS j WHERE j.key = r.job)
                ORDER BY r.job LIMIT $3
                """, after: key, limit, shards)
        }

        private func page(
            _ sql: String, after key: Int64, _ limit: Int, _ shards: [ShardID]
        ) async throws -> [FoundJob] {
            let rows = try await link.read([
                PostgresStatement(
                    sql, [.int64(key), .array(shards.map { Int64($0.rawValue) }), .int64(Int64(limit))])
            ])[0]
            return try await loadInOrder(try rows.map { try $0.decode(at: 0) })
        }

        /// Returns the submissions with a sequence number above `floor` (``SubmissionFloor``), in order.
        func submissions(above floor: Int64, limit: Int, in shards: [ShardID]) async throws -> [StoreSubmission] {
            let rows = try await link.read([
                PostgresStatement(
                    """
                    SELECT sequence, submitted, sender IS NOT NULL, shard::int8, command FROM apus.submission
                    WHERE sequence > $3 AND shard = ANY ($2::int8[]) ORDER BY sequence LIMIT $1
                    """, [.int64(Int64(limit)), .array(shards.map { Int64($0.rawValue) }), .int64(floor)])
            ])[0]
            return try rows.map { row in
                var row = RowReader(row)
                let (sequence, submitted) = (try row.next(Int64.self), StoreInstant.decode(try row.next()))
                let (isCall, shard) = (try row.next(Bool.self), ShardID(rawValue: try row.int()))
                do {
                    let command = try JobJSON.decode(JobCommand.self, from: Array(try row.next(String.self).utf8))
                    return StoreSubmission(
                        sequence: sequence, submitted: submitted, command: command, isCall: isCall, shard: shard)
                } catch let problem as JobJSONProblem {
                    return StoreSubmission(
                        sequence: sequence, submitted: submitted, problem: "\(problem)", isCall: isCall, shard: shard)
                }
            }
        }
    }
#endif

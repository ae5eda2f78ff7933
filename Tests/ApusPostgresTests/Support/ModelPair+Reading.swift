#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers

    @testable import ClusterSimulation

    /// The comparisons of reads, and of the tables' contents at the end.
    extension ModelPair {
        // MARK: Reading

        func places(_ node: Node) async throws {
            let uses = ModelTurns.queues.map { queue in
                let running = turns.below(3)
                return QueueUse(queue: queue, running: running, wanted: running + turns.below(4))
            }
            note("places", "node \(node.id): \(uses)")
            // Shares of places rotate each second by the database's clock. The database rounds the seconds.
            func second() -> Int64 { Int64((SystemTime().wall().nanoseconds + 500_000_000) / 1_000_000_000) }
            let earliest = second()
            let real = try await outcome { try await node.store.places(uses, in: session(of: node)) }
            let before = model.tables
            var found = modelled { () throws(JobError) in try model.places(uses, of: node.id, second: earliest) }
            let latest = second()
            if latest != earliest, "\(found)" != "\(real)" {
                model.tables = before
                found = modelled { () throws(JobError) in try model.places(uses, of: node.id, second: latest) }
            }
            switch (found, real) {
            case (.success(let expected), .success(let results)): try compare("places", expected, results)
            case (.failure(let expected), .failure(let error)):
                try compare("why there are no places", expected.code, error.code)
            default: try compare("places", "\(found)", "\(real)")
            }
        }

        func readJobs(_ node: Node) async throws {
            let session = session(of: node)
            let (key, limit) = (Int64(turns.below(10)), 1 + turns.below(6))
            note("read", "node \(node.id)")
            if case .jobs(let found) = model.answer(.interrupted(after: key, limit: limit), in: session) {
                try compare(
                    "interrupted", found, try await node.store.interrupted(after: key, limit: limit, in: session))
            }
            if case .jobs(let found) = model.answer(.anchored(after: key, limit: limit), in: session) {
                try compare("anchored", found, try await node.store.anchored(after: key, limit: limit, in: session))
            }
            let paused: Set<QueueID> = turns.isOne(in: 2) ? [turns.one(of: ModelTurns.queues)] : []
            var load = JobLoad(through: turns.instant(), limit: limit)
            (load.paused, load.largestShare) = (paused, turns.isOne(in: 2) ? 1 : .max)
            if turns.isOne(in: 2) { load.known = Set((0..<3).map { _ in Int64(turns.below(12)) }) }
            if case .due(let found) = model.answer(.due(load), in: session) {
                try compare("due", found, try await node.store.due(load, in: session))
            }
            if case .submissions(let found) = model.answer(.submissions(limit: limit), in: session) {
                try compare("submissions", found, try await node.store.submissions(limit: limit, in: session))
            }
        }

        func readReferences(_ node: Node) async throws {
            let references: [JobReference] = (0..<6).flatMap { number -> [JobReference] in
                let period = turns.isOne(in: 2) ? turns.instant() : nil
                return [
                    .id(turns.id()), .idempotencyKey("key-\(number)"), .key(Int64(turns.below(12))),
                    .unique(
                        kind: turns.one(of: ModelTurns.kinds), .payload([UInt8(number % 3)]), submittedAfter: period),
                    .unique(
                        kind: turns.one(of: ModelTurns.kinds), .key("\(number % 2)"), submittedAfter: period),
                ]
            }
            note("load", "\(references)")
            let found = references.map { model.find($0).map(model.found) }
            for (index, real) in try await node.store.find(references).enumerated() {
                try compare("\(references[index])", found[index], real)
            }
        }

        // MARK: The end

        func compareTables() async throws {
            note("end of history", "")
            let link = nodes[0].store.writer
            let tables = model.tables
            for node in nodes { try await beat(node) }
            try compare(
                "nodes",
                model.tables.nodes.sorted { $0.key < $1.key }.map {
                    "\($0.key) \($0.value.ended) \($0.value.isLeaving)"
                },
                try await link.texts(
                    """
                    SELECT format('%s %s %s', id, (ended IS NOT NULL)::text, leaving::text) FROM apus.node ORDER BY id
                    """))
            try compare(
                "shards",
                tables.shards.enumerated().map { "\($0.offset) \($0.element.epoch) \($0.element.owner ?? 0)" },
                try await link.texts(
                    """
                    SELECT format('%s %s %s', id, epoch, coalesce(node, 0)) FROM apus.shard ORDER BY id
                    """))
            try compare(
                "submissions",
                tables.submissions.map {
                    "\($0.stored.sequence) \($0.shard.rawValue) \($0.sender ?? 0) \($0.call ?? -1)"
                },
                try await link.texts(
                    """
                    SELECT format('%s %s %s %s', sequence, shard, coalesce(sender, 0), coalesce(call, -1))
                    FROM apus.submission ORDER BY sequence
                    """))
            try compare(
                "refused submissions",
                tables.refused.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.refusal.refused.nanoseconds)" },
                try await link.texts("SELECT format('%s %s', sequence, refused) FROM apus.refusal ORDER BY sequence"))
            try compare(
                "jobs that are set aside",
                tables.setAside.sorted { $0.key < $1.key }.map {
                    "\($0.key) \($0.value.version) \($0.value.shard.rawValue) \($0.value.epoch) \($0.value.problem)"
                },
                try await link.texts(
                    """
                    SELECT format('%s %s %s %s %s', job, version, shard, epoch, problem)
                    FROM apus.set_aside ORDER BY job
                    """))
            try compare(
                "places",
                tables.places.map { "\($0.key.queue) \($0.key.node) \($0.value.places) \($0.value.wanted)" }.sorted(),
                try await link.texts("SELECT format('%s %s %s %s', queue, node, places, wanted) FROM apus.place")
                    .sorted())
            let store = nodes[0].store
            let (clock, queues) = try await store.queries.clockAndQueues()
            try compare("the clock", tables.clock, clock)
            try compare("the queues", tables.queues.values.sorted { $0.id < $1.id }, queues)
            let rows = tables.rows.values.sorted { $0.job.key < $1.job.key }
            let jobs = try await store.jobs(JobQuery(limit: 10_000)).jobs
            try compare("the jobs", rows.map(\.job), jobs)
            for (row, real) in zip(rows, try await store.load(rows.map { .key($0.job.key) })) {
                try compare("a job", model.loaded(row), real)
            }
            let runs = try await store.runs(RunQuery(limit: 10_000)).runs
            for row in rows {
                let order = row.runs.values.sorted { row.sequences[.init($0)]! > row.sequences[.init($1)]! }
                try compare("the runs of \(row.job.id)", order, runs.filter { $0.jobKey == row.job.key })
            }
            try compare("how many runs", rows.reduce(0) { $0 + $1.runs.count }, runs.count)
            var wakes: [String] = []
            for row in rows {
                let end = "\(row.job.key) \(row.wakeShard.rawValue) \(row.job.request.lane.stored)"
                let axis = ElapsedAxis(tables.clock)
                if let wake = row.job.bookkeeping.wake { wakes.append("f \(StoreInstant.encode(wake)) \(end)") }
                if let wake = row.job.bookkeeping.elapsedWake { wakes.append("t \(axis.encode(wake)) \(end)") }
            }
            try compare(
                "wakes", wakes.sorted(),
                try await link.texts(
                    "SELECT format('%s %s %s %s %s', elapsed, instant, key, shard, lane) FROM apus.wake"
                ).sorted())
        }
    }

    extension ServerLink {
        func run(_ sql: String...) async throws {
            _ = try await execute(PostgresBatch(sql.map { PostgresStatement($0, isPrepared: false) }))
        }

        func rows(_ sql: String) async throws -> PostgresRows {
            try await execute(PostgresBatch([PostgresStatement(sql, isPrepared: false)]))[0]
        }

        func texts(_ sql: String) async throws -> [String] {
            try await rows(sql).map { try $0.decode(String.self, at: 0) }
        }
    }
#endif

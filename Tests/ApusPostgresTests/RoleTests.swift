#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Testing

    /// Schedulers of one database run different jobs, and each job runs where it can.
    @Suite("Schedulers with different roles", .timeLimit(.minutes(10)))
    struct RoleTests {
        /// Records the scheduler that has run each job.
        private final class Log: Sendable {
            private let runs = Locked<[String: [JobID]]>([:])

            func register(_ kind: String, at name: String, _ scheduler: JobScheduler) {
                scheduler.register(kind) { [self] run in
                    runs.withLock { $0[name, default: []].append(run.job.id) }
                }
            }

            func jobs(at name: String) -> [JobID] { runs.withLock { $0[name] ?? [] } }
            var counts: [String: Int] { runs.withLock { $0.mapValues(\.count) } }
        }

        private func withSchedulers(
            _ configurations: [QueueSelection], _ body: ([JobScheduler], Log, Database) async throws -> Void
        ) async throws {
            try await withDatabase { configuration in
                let schedulers = configurations.map { queues in
                    JobScheduler(
                        store: PostgresStore(patient: configuration), configuration: .init(serves: queues))
                }
                let database = Database(configuration: configuration)
                let result: Result<Void, any Error>
                do { result = .success(try await body(schedulers, Log(), database)) } catch { result = .failure(error) }
                for scheduler in schedulers { await scheduler.stop(grace: .zero) }
                try result.get()
                let inspection = PostgresInspection(configuration)
                let findings = try await inspection.check()
                #expect(findings.isEmpty, "\(findings)")
                await inspection.disconnect()
            }
        }

        private func requests(
            _ name: String, _ count: Int, kind: String = "k", queue: QueueID = .default
        ) -> [JobRequest] {
            (0..<count).map { JobRequest(id: JobID("\(name)-\($0)"), kind: kind, trigger: .after(.zero), queue: queue) }
        }

        private func waitForRuns(_ count: Int, _ database: Database) async throws {
            try await database.wait("\(count) have run") { connection in
                try await connection.value(
                    "SELECT count(*) = \(count) FROM apus.run WHERE state = 'succeeded'", as: Bool.self)
            }
        }

        private func waitForOwners(_ count: Int, _ database: Database) async throws {
            try await database.wait("\(count) nodes own all shards") { connection in
                try await connection.value(
                    "SELECT count(DISTINCT node) = \(count) AND count(node) = 256 FROM apus.shard", as: Bool.self)
            }
        }

        @Test("every job submitted by a client that runs nothing runs elsewhere", arguments: [true, false])
        func submitOnly(hasHandlers: Bool) async throws {
            try await withSchedulers([.all, hasHandlers ? .nothing : .all]) { schedulers, log, database in
                let (worker, client) = (schedulers[0], schedulers[1])
                log.register("k", at: "worker", worker)
                if hasHandlers { log.register("k", at: "client", client) }
                // The client starts although no node has shards.
                try await client.start()
                try await client.submit(requests("early", 10))
                try await worker.start()
                try await waitForOwners(1, database)
                try await client.submit(requests("late", 30))
                try await waitForRuns(40, database)
                #expect(log.counts == ["worker": 40])
                // The owner carries out the client's commands.
                let far = JobRequest(
                    id: "far", kind: "k", trigger: .at(SystemTime().wall().advanced(by: .seconds(86_400))))
                try await client.submit(far)
                #expect(try await client.suspend("far").state == .suspended)
                #expect(try await client.cancel("far").state == .cancelled)
                try await waitForOwners(1, database)
            }
        }

        @Test("a scheduler that registers its first handler later owns shards from then on")
        func laterHandler() async throws {
            try await withSchedulers([.all, .all]) { schedulers, log, database in
                log.register("k", at: "first", schedulers[0])
                for scheduler in schedulers { try await scheduler.start() }
                try await waitForOwners(1, database)
                log.register("k", at: "second", schedulers[1])
                try await waitForOwners(2, database)
            }
        }

        @Test("pools of workers run the jobs of their queues")
        func pools() async throws {
            try await withSchedulers([.only(["mail"]), .only(["build"])]) { schedulers, log, database in
                for (name, scheduler) in zip(["mail", "build"], schedulers) {
                    log.register("k", at: name, scheduler)
                    try await scheduler.start()
                }
                try await waitForOwners(2, database)
                for (number, scheduler) in schedulers.enumerated() {
                    try await scheduler.submit(requests("mail-\(number)", 20, queue: "mail"))
                    try await scheduler.submit(requests("build-\(number)", 20, queue: "build"))
                }
                // The identifier decides the shard of a row that is submitted in SQL, even if the owner of that shard
                // cannot run the job.
                try await database.run(
                    """
                    SELECT apus.submit(jsonb_build_object('id', q || '-sql-' || n, 'kind', 'k', 'queue', q, 'trigger',
                        jsonb_build_object('name', 'after', 'delayNanoseconds', 0)))
                    FROM generate_series(1, 10) AS n, unnest('{mail,build}'::text[]) AS q
                    """)
                try await waitForRuns(100, database)
                for name in ["mail", "build"] {
                    #expect(log.jobs(at: name).count == 50)
                    #expect(log.jobs(at: name).allSatisfy { $0.rawValue.hasPrefix(name) })
                }
            }
        }

        @Test("jobs of a kind without a handler wait, are shown as waiting, and run on the node that registers it")
        func laterKind() async throws {
            try await withSchedulers([.all, .all]) { schedulers, log, database in
                let (old, new) = (schedulers[0], schedulers[1])
                log.register("old", at: "old", old)
                try await old.start()
                try await old.submit(requests("new", 10, kind: "new"))
                try await database.wait("all are parked") { _ in
                    (0..<10).allSatisfy { old.isParked(JobID("new-\($0)")) }
                }
                let decisions = try await old.explain("new-0").decisions
                #expect(
                    decisions.contains {
                        $0.code == .parked && $0.text.contains("no node has a handler for the kind \"new\"")
                    })
                // The new scheduler replaces the old one, as in a rolling deployment.
                log.register("new", at: "new", new)
                try await new.start()
                try await waitForRuns(10, database)
                #expect(log.counts == ["new": 10])
                try await waitForOwners(2, database)
                // The running scheduler then registers a third kind.
                try await new.submit(requests("third", 10, kind: "third"))
                log.register("third", at: "old", old)
                try await waitForRuns(20, database)
                #expect(log.counts == ["new": 10, "old": 10])
            }
        }

        @Test("a repeating job whose pool has ended continues in another pool that serves its queue")
        func repeating() async throws {
            try await withSchedulers([.only(["mail"]), .only(["mail"]), .only(["build"])]) {
                schedulers, log, database in
                for (name, scheduler) in zip(["first", "second", "build"], schedulers) {
                    log.register("k", at: name, scheduler)
                    try await scheduler.start()
                }
                try await waitForOwners(3, database)
                try await schedulers[2].submit(
                    (0..<12).map {
                        JobRequest(
                            id: JobID("every-\($0)"), kind: "k", trigger: .every(.milliseconds(200)), queue: "mail")
                    })
                await schedulers[0].stop(grace: .zero)
                try await waitForOwners(2, database)
                let before = log.jobs(at: "second").count
                try await database.wait("each continues") { _ in
                    let later = log.jobs(at: "second").dropFirst(before)
                    return Set(later).count == 12
                }
                #expect(log.jobs(at: "build").isEmpty)
            }
        }
    }
#endif

#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusSQLite
    import ApusTestSupport
    import ApusTimers
    import Testing

    /// Handlers block all threads of Swift's pool, each time in a separate process.
    @Suite("Handlers that block their threads, over stores with connections", .timeLimit(.minutes(5)))
    struct BlockedThreadsTests {
        /// Starts more handlers than the pool can have threads; each of them blocks a thread for ever.
        fileprivate static func blockAll(_ scheduler: JobScheduler) async throws {
            let barrier = Barrier()
            scheduler.register("blocked") { _ in barrier.block() }
            scheduler.register("other") { _ in }
            try await scheduler.start()
            try await scheduler.submit(
                (0..<moreThanThreads).map {
                    JobRequest(
                        id: JobID("blocked\($0)"), kind: "blocked", trigger: .after(.zero),
                        policies: .init(timeLimit: .milliseconds(50)))
                })
            try await until("a run that was given up") {
                try await !scheduler.runs(RunQuery(states: [.lost])).runs.isEmpty
            }
            guard barrier.count < moreThanThreads else { throw Failure("there was a thread for each handler") }
        }

        fileprivate static func scheduler(_ store: any JobStore) -> JobScheduler {
            JobScheduler(
                store: store,
                configuration: .init(
                    maximumConcurrentRuns: 2 * moreThanThreads, cancellationGrace: .milliseconds(10),
                    abandonment: .milliseconds(10)))
        }

        @Test("turns are committed to a file and time limits act while handlers block their threads")
        func file() async throws {
            try await withFolder { folder in
                _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                    endProcess {
                        let scheduler = BlockedThreadsTests.scheduler(SQLiteStore(path: folder + "/jobs.db"))
                        try await BlockedThreadsTests.blockAll(scheduler)
                        try await scheduler.submit(JobRequest(id: "other", kind: "other", trigger: .after(.zero)))
                        try await until("its claim") {
                            try await scheduler.openRuns(of: "other").contains { $0.state == .running }
                        }
                        await scheduler.stop(grace: .zero)
                    }
                }
            }
        }

        @Test("a node with blocked handlers keeps its heartbeats, is not declared dead, and reconnects")
        func node() async throws {
            try await withDatabase { configuration in
                let (host, port) = (configuration["host"] ?? "", configuration["port"] ?? "")
                let text = "host=\(host) port=\(port) user=owner dbname=\(configuration["dbname"] ?? "")"
                await #expect(processExitsWith: .success) { [text = text as String] in
                    endProcess {
                        let configuration = try PostgresConfiguration(text)
                        let scheduler = BlockedThreadsTests.scheduler(PostgresStore(configuration))
                        try await BlockedThreadsTests.blockAll(scheduler)
                        let observer = try await PostgresConnection.connect(configuration)
                        let first: Int64 = try await observer.value("SELECT number FROM apus.beat")
                        // After the end of its session, the node connects again at a later beat. The test waits for six
                        // beats, after which other nodes would have declared a silent node dead.
                        try await observer.run(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE application_name LIKE 'apus node %' AND datname = current_database()
                            """)
                        try await until("its beats") {
                            try await observer.value("SELECT number >= \(first + 6) FROM apus.beat", as: Bool.self)
                        }
                        guard try await observer.value("SELECT ended IS NULL FROM apus.node", as: Bool.self) else {
                            throw Failure("it was taken for dead")
                        }
                        try await scheduler.submit(JobRequest(id: "other", kind: "other", trigger: .after(.zero)))
                        try await until("its claim") {
                            try await scheduler.openRuns(of: "other").contains { $0.state == .running }
                        }
                        await scheduler.stop(grace: .zero)
                    }
                }
            }
        }
    }
#endif

#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusVirtualTime
    @testable import ApusTimers
    import CPostgres
    import Testing

    /// Runs are completed in the transaction of their effects, in real time on a real database.
    @Suite("Effects in a handler's own transaction", .timeLimit(.minutes(10)))
    struct CompletionTests {
        /// An application's libpq connection that does not know Apus.
        private final class Application: @unchecked Sendable {  // one test's, one statement at a time
            let handle: OpaquePointer

            init(_ configuration: PostgresConfiguration) {
                let words = ["host", "port", "user", "dbname"].compactMap { word in
                    configuration[word].map { "\(word)='\($0)'" }
                }
                handle = PQconnectdb(words.joined(separator: " "))!
                precondition(PQstatus(handle) == CONNECTION_OK, String(cString: PQerrorMessage(handle)))
            }

            deinit { PQfinish(handle) }

            /// Executes a statement.
            ///
            /// - Returns: the SQLSTATE of an error, or `nil`.
            @discardableResult
            func run(_ sql: String) -> String? {
                let result = PQexec(handle, sql)
                defer { PQclear(result) }
                return PQresultErrorField(result, Int32(Unicode.Scalar("C").value)).map { String(cString: $0) }
            }
        }

        /// Gives `body` a scheduler whose jobs of the kind `charge` run `handler` with an application's connections.
        ///
        /// The database has a table `effect`.
        private func withScheduler(
            _ handler: @escaping @Sendable (RunContext, PostgresConfiguration) async throws -> Void,
            _ body: (JobScheduler, Database) async throws -> Void
        ) async throws {
            try await withDatabase(schema: "order") { configuration in
                let database = Database(configuration: configuration)
                let scheduler = JobScheduler(store: PostgresStore(patient: configuration))
                scheduler.register("charge") { try await handler($0, configuration) }
                try await scheduler.start()
                try await database.run("CREATE TABLE effect (job bigint, attempt bigint)")
                do { try await body(scheduler, database) } catch {
                    await scheduler.stop(grace: .zero)
                    throw error
                }
                await scheduler.stop(grace: .zero)
            }
        }

        private func effects(_ database: Database) async throws -> [Int64] {
            try await withConnection(database.configuration) {
                try await $0.query("SELECT attempt FROM effect ORDER BY attempt").map { try $0.decode(at: 0) }
            }
        }

        private static func effect(_ run: RunContext) -> String {
            "INSERT INTO effect VALUES (\(run.job.key), \(run.attempt))"
        }

        private static func request(_ id: JobID = "a") -> JobRequest {
            var request = JobRequest(id: id, kind: "charge", trigger: .after(.zero))
            request.policies.retry.maximumAttempts = 2
            return request
        }

        private struct Broken: Error {}

        @Test("a run whose transaction was committed has succeeded, though its handler fails afterwards")
        func failureAfterwards() async throws {
            try await withScheduler { run, configuration in
                let application = Application(configuration)
                try run.setResult([7])
                application.run("BEGIN")
                application.run(Self.effect(run))
                try run.complete(in: application.handle)
                #expect(application.run("COMMIT") == nil)
                throw Broken()
            } _: { scheduler, database in
                try await scheduler.submit(Self.request())
                let outcome = try await scheduler.outcome(of: "a")
                #expect(outcome?.state == .succeeded && outcome?.attempt == 1)
                #expect(outcome?.result == [7] && outcome?.reason == nil)
                #expect(try await effects(database) == [1])
                #expect(try await database.value("SELECT count(*) FROM apus.open_run", as: Int64.self) == 0)
                #expect(try await database.value("SELECT count(*) FROM apus.completion", as: Int64.self) == 0)
            }
        }

        @Test("a run whose transaction was rolled back is retried, and only the retry has effects")
        func rolledBack() async throws {
            try await withScheduler { run, configuration in
                let application = Application(configuration)
                application.run("BEGIN")
                application.run(Self.effect(run))
                try run.complete(in: application.handle)
                if run.attempt == 1 {
                    application.run("ROLLBACK")
                    throw RunDecision.retry(after: .zero, reason: "rolled back")
                }
                #expect(application.run("COMMIT") == nil)
            } _: { scheduler, database in
                try await scheduler.submit(Self.request())
                let outcome = try await scheduler.outcome(of: "a")
                #expect(outcome?.state == .succeeded && outcome?.attempt == 2)
                #expect(try await effects(database) == [2])
            }
        }

        @Test("a completed run cannot be completed again, not even by a transaction that began before")
        func twice() async throws {
            try await withScheduler { run, configuration in
                let (early, other) = (Application(configuration), Application(configuration))
                for application in [early, other] {
                    application.run("BEGIN")
                    application.run(Self.effect(run))
                    #expect(application.run(run.completionStatement) == nil)
                }
                #expect(other.run("COMMIT") == nil)
                #expect(early.run("COMMIT") == "AP410")
                early.run("BEGIN")
                let error = #expect(throws: JobError.self) { try run.complete(in: early.handle) }
                #expect(error?.code == .notOwner)
                early.run("ROLLBACK")
            } _: { scheduler, database in
                try await scheduler.submit(Self.request())
                #expect(try await scheduler.outcome(of: "a")?.state == .succeeded)
                #expect(try await effects(database) == [1])
            }
        }

        @Test(
            "a turn that ends a run otherwise waits for a transaction that completes it, and yields to it",
            arguments: ["fails", "snoozes", "is cancelled"])
        func race(what: String) async throws {
            let waiting = Locked<[Application]>([])
            try await withScheduler { run, configuration in
                let application = Application(configuration)
                application.run("BEGIN")
                application.run(Self.effect(run))
                try run.complete(in: application.handle)
                // The deferred trigger runs now and marks the run as completed, and the transaction continues.
                #expect(application.run("SET CONSTRAINTS ALL IMMEDIATE") == nil)
                waiting.withLock { $0.append(application) }
                switch what {
                case "fails": throw Broken()
                case "snoozes": throw RunDecision.snooze(for: .zero)
                default: while !run.isCancelled { await Task.yield() }
                }
            } _: { scheduler, database in
                try await scheduler.submit(Self.request())
                try await database.wait("the handler's transaction") { _ in waiting.withLock { !$0.isEmpty } }
                if what == "is cancelled" {
                    // The cancellation must write to the run's row, so it waits for the handler's transaction too.
                    async let cancelled = scheduler.cancel("a")
                    try await expectWaiter(database)
                    #expect(waiting.withLock { $0[0].run("COMMIT") } == nil)
                    #expect(try await cancelled.state == .cancelled)
                } else {
                    try await expectWaiter(database)
                    #expect(waiting.withLock { $0[0].run("COMMIT") } == nil)
                }
                let outcome = try await scheduler.outcome(of: "a")
                #expect(outcome?.state == .succeeded && outcome?.attempt == 1)
                #expect(try await effects(database) == [1])
                #expect(waiting.withLock(\.count) == 1)
            }
        }

        private func expectWaiter(_ database: Database) async throws {
            try await database.wait("the turn waits for the row") {
                try await $0.value(
                    "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                        + "AND datname = current_database())", as: Bool.self)
            }
        }

        @Test("a dead node's completed run has succeeded, and the node's later commits are refused")
        func death() async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                try await database.run("CREATE TABLE effect (job bigint, attempt bigint)")
                let late = Locked<Application?>(nil)
                let store = PostgresStore(patient: configuration)
                let first = JobScheduler(store: store)
                first.register("charge") { run in
                    let application = Application(configuration)
                    application.run("BEGIN")
                    application.run(Self.effect(run))
                    try run.complete(in: application.handle)
                    if run.job.id == "late" {
                        late.withLock { $0 = application }
                    } else {
                        #expect(application.run("COMMIT") == nil)
                    }
                    while !run.isCancelled { await Task.yield() }
                    throw Broken()
                }
                try await first.start()
                try await first.submit([Self.request("done"), Self.request("late")])
                try await database.wait("one has completed, and one is about to") {
                    let isCompleted = try await $0.value(
                        "SELECT count(*) = 1 FROM apus.open_run WHERE completed", as: Bool.self)
                    return isCompleted && late.withLock { $0 != nil }
                }
                await store.disconnect()

                let second = JobScheduler(store: PostgresStore(patient: configuration))
                second.register("charge") { run in
                    let application = Application(configuration)
                    application.run("BEGIN")
                    application.run(Self.effect(run))
                    try run.complete(in: application.handle)
                    #expect(application.run("COMMIT") == nil)
                }
                try await second.start()
                let (done, again) = (try await second.outcome(of: "done"), try await second.outcome(of: "late"))
                #expect(done?.state == .succeeded && done?.attempt == 1)
                #expect(again?.state == .succeeded && again?.attempt == 2)
                #expect(late.withLock { $0?.run("COMMIT") } == "AP410")
                #expect(try await effects(database) == [1, 2])
                await second.stop(grace: .zero)
                await first.stop(grace: .zero)
            }
        }

        @Test("a copy of a database is refused while a completed run is not recorded as succeeded")
        func copy() async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                let scheduler = JobScheduler(store: PostgresStore(patient: configuration))
                scheduler.register("charge") { run in
                    let application = Application(configuration)
                    try run.complete(in: application.handle)
                    while !run.isCancelled { await Task.yield() }
                }
                try await scheduler.start()
                try await scheduler.submit(Self.request())
                try await database.wait("it is completed") {
                    try await $0.value("SELECT count(*) = 1 FROM apus.open_run WHERE completed", as: Bool.self)
                }
                try await database.run(
                    "UPDATE apus.node SET ended = clock_timestamp()", "UPDATE apus.shard SET node = NULL")
                let error = await #expect(throws: JobError.self) {
                    _ = try await CopyablePostgresStore(configuration).beginReading()
                }
                #expect(error?.code == .conflict && error?.message.contains("1 runs were completed") == true)
                await scheduler.stop(grace: .zero)
            }
        }

        @Test("a request is submitted in a transaction of libpq's, whatever its texts contain")
        func submission() async throws {
            try await withScheduler { run, _ in
                if run.job.id != "typed" { #expect(run.job.request.labels == ["a'b": #"c\d"e"#]) }
            } _: { scheduler, database in
                let (application, store) = (
                    Application(database.configuration), PostgresStore(database.configuration)
                )
                for (number, setting) in ["on", "off"].enumerated() {
                    application.run("SET standard_conforming_strings = \(setting)")
                    var request = Self.request(JobID("it's \\ \(number)"))
                    request.labels = ["a'b": #"c\d"e"#]
                    application.run("BEGIN")
                    #expect(try store.submit(request, in: application.handle) == request.id)
                    #expect(application.run("COMMIT") == nil)
                    try await database.wait("it is over") {
                        try await $0.value("SELECT count(*) = \(number + 1) FROM apus.run", as: Bool.self)
                    }
                    #expect(try await scheduler.outcome(of: request.id)?.state == .succeeded)
                }
                struct Charge: JobPayload {
                    static let kind = "charge"
                    var cents: Int
                }
                #expect(try store.submit(Charge(cents: 5), id: "typed", in: application.handle) == "typed")
                try await database.wait("it is there") {
                    try await $0.value(
                        "SELECT count(*) = 1 FROM apus.request WHERE convert_from(payload, 'UTF8') = '{\"cents\":5}'",
                        as: Bool.self)
                }
                var bad = Self.request()
                bad.kind = ""
                let invalid = #expect(throws: JobError.self) { try store.submit(bad, in: application.handle) }
                #expect(invalid?.code == .invalid && invalid?.message.hasPrefix("kind: ") == true)
                application.run("BEGIN")
                application.run("nonsense")
                let aborted = #expect(throws: JobError.self) {
                    try store.submit(Self.request(), in: application.handle)
                }
                #expect((aborted?.cause as? PostgresError)?.server?.sqlState == "25P02")
            }
        }
    }
#endif

#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Testing

    @Suite("Rows of a database that this program cannot read", .timeLimit(.minutes(10)))
    struct UnreadableRowTests {
        struct Damage: Sendable, CustomTestStringConvertible {
            var name: String
            /// The statements with which another program changes the job with the key 1.
            var sql: [String]
            /// The problem that the check reports.
            var problem: String
            var isOfRun = false

            var testDescription: String { name }
        }

        static let damages = [
            Damage(
                name: "a trigger of a newer version",
                sql: [
                    "ALTER TABLE apus.request DROP CONSTRAINT request_trigger_known",
                    "UPDATE apus.request SET trigger = 'tides' WHERE job = 1",
                ], problem: "trigger"),
            Damage(
                name: "a schedule that is none",
                sql: ["UPDATE apus.request SET trigger = 'calendar', trigger_calendar = '{\"rule\": 7}' WHERE job = 1"],
                problem: "trigger"),
            Damage(
                name: "labels that are no texts", sql: ["UPDATE apus.request SET labels = '{\"a\": 1}' WHERE job = 1"],
                problem: "labels"),
            Damage(
                name: "JSON that does not parse", sql: ["UPDATE apus.request SET labels = '{\"a\": \"' WHERE job = 1"],
                problem: "labels"),
            Damage(
                name: "metadata that are a list", sql: ["UPDATE apus.request SET metadata = '[1]' WHERE job = 1"],
                problem: "metadata"),
            Damage(
                name: "an unknown policy", sql: ["UPDATE apus.request SET overlap = 'dance' WHERE job = 1"],
                problem: "overlap"),
            Damage(
                name: "an interval that is out of range",
                sql: ["UPDATE apus.request SET trigger = 'every', trigger_ns = -5 WHERE job = 1"], problem: "trigger"),
            Damage(
                name: "a condition of a newer version", sql: ["UPDATE apus.request SET conditions = 64 WHERE job = 1"],
                problem: "conditions"),
            Damage(
                name: "a lane of a newer version",
                sql: [
                    "UPDATE apus.wake SET lane = 'x' WHERE key = 1",
                    "UPDATE apus.request SET overlap = 'dance' WHERE job = 1",
                ], problem: "overlap"),
            Damage(
                name: "an open run with a number that is out of range",
                sql: ["UPDATE apus.open_run SET lost_before = 9223372036854775807 WHERE job = 1"], problem: "run",
                isOfRun: true),
            Damage(name: "no request", sql: ["DELETE FROM apus.request WHERE job = 1"], problem: "request"),
        ]

        private let instant = WallInstant(secondsSince1970: 1_767_225_600)
        private let last = WallInstant(nanoseconds: .max)
        private let clock = StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero)

        private func open(_ configuration: PostgresConfiguration) async throws -> (PostgresStore, StoreSession) {
            let store = PostgresStore(patient: configuration)
            return (store, try await store.open(as: NodeID(rawValue: "node")))
        }

        private func close(_ store: PostgresStore, _ session: StoreSession) async throws {
            try await store.close(session)
            await store.disconnect()
        }

        /// Gives `body` a database with the jobs `bad`, which has an open run, and `good`; their keys are 1 and 2.
        private func withJobs(_ body: (PostgresConfiguration) async throws -> Void) async throws {
            try await withDatabase { configuration in
                let (store, session) = try await open(configuration)
                for id in ["bad", "good"] as [JobID] {
                    let job = Job(
                        request: JobRequest(id: id, trigger: .at(instant)), state: .scheduled, created: instant,
                        updated: instant, firstDue: instant, nextOccurrence: 2, nextDue: nil, wake: instant,
                        openRunCount: 1)
                    let run = Run(
                        jobKey: 0, jobID: id, occurrence: 1, attempt: 1, due: instant, state: .running,
                        claimed: instant)
                    let change = JobChange(
                        shard: ShardID(rawValue: 7), expected: .absent, job: job, runs: [run])
                    _ = try await store.commit(StoreTurn(parts: [[change]], clock: clock), in: session)[0].get()
                }
                try await close(store, session)
                try await body(configuration)
            }
        }

        private func findings(_ configuration: PostgresConfiguration) async throws -> [StoreFinding] {
            let inspection = PostgresInspection(configuration)
            let found = try await inspection.check()
            await inspection.disconnect()
            return found
        }

        private func readsGood(_ store: PostgresStore, _ session: StoreSession, _ damage: Damage) async throws {
            let due = try await store.due(through: last, limit: 9, in: session)
            #expect(due.jobs.map(\.job.id) == ["good"])
            #expect(due.unreadable.map(\.id) == ["bad"] && due.unreadable.map(\.shard.rawValue) == [7])
            #expect(due.unreadable.first?.problem.contains(damage.problem) == true, "\(due.unreadable)")
            var (key, found) = (Int64(0), [JobID]())
            while let next = try await store.interrupted(after: key, limit: 1, in: session).first {
                if case .job(let loaded) = next { found.append(loaded.job.id) }
                key = next.key
            }
            #expect(found == ["good"])
            #expect(try await store.find([.id("good")]).compactMap { $0 }.readable.count == 1)
            #expect(try await store.find([.key(1)]).compactMap { $0 }.unreadable.map(\.id) == ["bad"])
            let error = await #expect(throws: JobError.self) { _ = try await store.job("bad") }
            #expect(error?.code == .damaged)
            // The list does not read open runs.
            #expect(try await store.jobs(JobQuery()).jobs.map(\.id) == (damage.isOfRun ? ["bad", "good"] : ["good"]))
            #expect(try await store.jobs(JobQuery(labels: ["a": "1"])).jobs.isEmpty)
            #expect(try await store.soonest(limit: 9).map(\.id) == ["good"])
            #expect(try await store.runs(RunQuery()).runs.contains { $0.jobID == "good" })
        }

        @Test(
            "an unreadable row stops only its own job for each owner, and the check names it", arguments: damages)
        func othersAreRead(_ damage: Damage) async throws {
            try await withJobs { configuration in
                #expect(try await findings(configuration).isEmpty)
                try await Database(configuration: configuration).run(damage.sql)
                let found = try await findings(configuration)
                let isNamed = found.contains {
                    $0.rule == "every job and every run can be read" && "\($0.examples)".contains("bad")
                }
                let hasNoRequest =
                    damage.name == "no request" && found.contains { $0.rule.hasPrefix("jobs have requests") }
                #expect(isNamed || hasNoRequest, "\(found)")
                for _ in 1...2 {
                    let (store, session) = try await open(configuration)
                    try await readsGood(store, session, damage)
                    let unreadable = try await store.due(through: last, limit: 9, in: session).unreadable
                    _ = try await store.commit(
                        StoreTurn(parts: [], clock: clock, setAside: unreadable), in: session)
                    #expect(try await store.due(through: last, limit: 9, in: session).unreadable.isEmpty)
                    #expect(try await store.setAside(after: 0, limit: 9) == unreadable)
                    let inspection = PostgresInspection(configuration)
                    let status = try await inspection.status()
                    #expect(status.setAsideCount == 1 && status.setAside == unreadable)
                    await inspection.disconnect()
                    try await close(store, session)
                }
            }
        }

        @Test("a parked job that was ended by hand stays ended, and its shard can change its owner")
        func endedByHand() async throws {
            try await withJobs { configuration in
                let database = Database(configuration: configuration)
                try await database.run("UPDATE apus.request SET labels = 'none' WHERE job = 1")
                let (store, session) = try await open(configuration)
                let unreadable = try await store.due(through: last, limit: 9, in: session).unreadable
                #expect(unreadable.map(\.id) == ["bad"])
                _ = try await store.commit(StoreTurn(parts: [], clock: clock, setAside: unreadable), in: session)
                try await close(store, session)
                try await database.run(
                    "UPDATE apus.request SET labels = '{}' WHERE job = 1",
                    "UPDATE apus.job SET state = 'cancelled', next_due = NULL WHERE key = 1")
                let (again, next) = try await open(configuration)
                #expect(next.shards.count == session.shards.count)
                #expect(try await again.setAside(after: 0, limit: 9).isEmpty)
                let job = try #require(try await again.job("bad")?.job)
                #expect(job.state == .cancelled && job.nextWake == nil)
                try await close(again, next)
            }
        }

        @Test("a node that has lost the shard of a submission neither takes nor forwards it")
        func fenced() async throws {
            try await withDatabase { configuration in
                let (store, session) = try await open(configuration)
                try await store.submit(JobRequest(id: "a", trigger: .after(.seconds(1))), at: instant)
                let submission = try await store.submissions(limit: 1, in: session)[0]
                try await Database(configuration: configuration).run(
                    "UPDATE apus.shard SET epoch = epoch + 1 WHERE id = \(submission.shard.rawValue)")
                let refusal = SubmissionRefusal(refused: instant, code: "invalid", message: "it is")
                for turn in [
                    StoreTurn(
                        parts: [[]], clock: clock,
                        taken: [
                            TakenSubmission(submission.sequence, shard: submission.shard, part: 0, refusal: refusal)
                        ]),
                    StoreTurn(
                        parts: [[]], clock: clock,
                        forwarded: [
                            ForwardedCommand(
                                .submission(submission.sequence, from: submission.shard), shard: ShardID(rawValue: 9),
                                part: 0)
                        ]),
                ] {
                    let error = await #expect(throws: JobError.self) {
                        _ = try await store.commit(turn, in: session)
                    }
                    #expect(error?.code == .unavailable)
                }
                // The submission exists only in its own shard, so a turn cannot take it from another one.
                let elsewhere = TakenSubmission(submission.sequence, shard: ShardID(rawValue: 9), part: 0)
                let results = try await store.commit(
                    StoreTurn(parts: [[]], clock: clock, taken: [elsewhere]), in: session)
                guard case .failure(let error) = results[0] else {
                    Issue.record("it was taken")
                    return
                }
                #expect(error.code == .conflict)
                #expect(try await store.refusals(limit: 9, cursor: nil).refusals.isEmpty)
                let left = try await Database(configuration: configuration)
                    .value("SELECT count(*) FROM apus.submission", as: Int64.self)
                #expect(left == 1)
                try await close(store, session)
            }
        }

        @Test("a scheduler continues despite an unreadable row, and another node tries to read the row again")
        func scheduler() async throws {
            try await withJobs { configuration in
                try await Database(configuration: configuration).run([
                    "UPDATE apus.request SET overlap = 'dance' WHERE job = 1"
                ])
                func ran(_ expected: String, _ body: (JobScheduler) async throws -> Void) async throws {
                    let store = PostgresStore(patient: configuration)
                    let scheduler = JobScheduler(store: store)
                    let runs = AsyncStream.makeStream(of: String.self)
                    for kind in ["bad", "good"] {
                        scheduler.register(kind) { _ in _ = runs.continuation.yield(kind) }
                    }
                    try await scheduler.start()
                    for await kind in runs.stream {
                        #expect(kind == expected)
                        break
                    }
                    try await body(scheduler)
                    await scheduler.stop(grace: .zero)
                    await store.disconnect()
                }
                try await ran("good") { scheduler in
                    let found = try await scheduler.unreadableJobs()
                    #expect(found.map(\.id) == ["bad"])
                }
                try await Database(configuration: configuration).run([
                    "UPDATE apus.request SET overlap = 'skip' WHERE job = 1"
                ])
                try await ran("bad") { scheduler in
                    let found = try await scheduler.unreadableJobs()
                    #expect(found.isEmpty)
                }
            }
        }
    }

    extension Database {
        func run(_ sql: [String]) async throws {
            try await withConnection(configuration) { connection in for sql in sql { try await connection.run(sql) } }
        }
    }
#endif

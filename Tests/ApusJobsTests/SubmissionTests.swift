import ApusJobs
import ApusJobsTesting
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

/// Applications submit these jobs in their own transactions, and the store keeps them for the scheduler.
@Suite("Submissions that the store keeps")
struct SubmissionTests {
    private func request(
        _ id: String = "job", _ trigger: Trigger = .after(.zero), conflict: ConflictPolicy = .update,
        edit: (inout JobRequest) -> Void = { _ in }
    ) -> JobRequest {
        var request = JobRequest(id: JobID(id), kind: "work", trigger: trigger, conflict: conflict)
        edit(&request)
        return request
    }

    /// Commits the submission now, as an application does.
    private func submit(_ request: JobRequest, to harness: SchedulerHarness) throws {
        try harness.base.submit(request, at: harness.time.wall())
        harness.time.settle()
    }

    private func submissions(_ harness: SchedulerHarness) throws -> [JobID?] {
        let base = harness.base
        return try harness.time.perform {
            let session = StoreSession(node: NodeID(rawValue: "test"), shards: [:], clock: nil)
            return try await base.submissions(limit: 10_000, in: session).map(\.command?.ids.first)
        }
    }

    private func jobs(_ harness: SchedulerHarness) throws -> [Job] {
        try harness.perform { try await $0.jobs(JobQuery(limit: 10_000)).jobs }
    }

    @Test("a running scheduler takes a submission as soon as it is committed")
    func taken() throws {
        let harness = try SchedulerHarness()
        try submit(request(), to: harness)
        #expect(harness.calls.seconds == [0])
        #expect(try harness.history() == ["1 succeeded"])
        #expect(try submissions(harness) == [])
    }

    @Test(
        "a job submitted while no scheduler runs is taken once at the next start, and its delay counts from the submission"
    )
    func takenAtStart() throws {
        let harness = try SchedulerHarness(start: false)
        try submit(request("after", .after(.seconds(10))), to: harness)
        try submit(request("at", .at(harness.at(3))), to: harness)
        try submit(request("every", .every(.seconds(6), count: 2)), to: harness)
        harness.advance(4)
        try harness.start()
        harness.time.settle()
        #expect(try submissions(harness) == [])
        // The instant of the job `at` has passed. That is no error, and the job is late.
        #expect(harness.calls.all.map(\.job) == ["at"] && harness.calls.seconds == [4])
        #expect(harness.calls.all.map(\.lateness) == [.seconds(1)])
        harness.advance(20)
        #expect(harness.calls.all.map(\.job) == ["at", "every", "after", "every"])
        #expect(harness.calls.seconds == [4, 6, 10, 12])
        try harness.crash()
        harness.advance(20)
        #expect(harness.calls.seconds == [4, 6, 10, 12])
        #expect(try jobs(harness).map(\.id.rawValue) == ["after", "at", "every"])
    }

    @Test("setting the clock back after a submission does not lengthen the job's wait")
    func clockSetBack() throws {
        let harness = try SchedulerHarness(start: false)
        try submit(request("job", .after(.seconds(10))), to: harness)
        harness.time.moveWallOnly(by: .seconds(-3_600))
        try harness.start()
        harness.advance(11)
        #expect(harness.calls.seconds == [-3_590])
    }

    @Test(
        "a crash before a submission is taken leaves it to the next start, and a later start does not take it again",
        arguments: [false, true])
    func crash(isApplied: Bool) throws {
        let harness = try SchedulerHarness()
        if isApplied {
            harness.store.fail(.after(JobError(code: .unavailable, message: "the answer is lost")))
        } else {
            harness.store.fail(.hold)
        }
        try submit(request(), to: harness)
        #expect(harness.calls.seconds == [])
        #expect(try submissions(harness) == (isApplied ? [] : [JobID("job")]))
        try harness.crash()
        harness.advance(5)
        #expect(try jobs(harness).count == 1)
        #expect(try harness.history() == ["1 succeeded"])
        #expect(harness.calls.seconds.count == 1)
        #expect(try submissions(harness) == [])
    }

    @Test(
        "a store that fails, before or after it has applied a turn, loses nothing and takes nothing twice",
        arguments: [
            FaultyStore.Fault.before(JobError(code: .unavailable, message: "it fails")),
            .before(JobError(code: .full, message: "it is full")),
            .after(JobError(code: .unavailable, message: "the answer is lost")),
        ])
    func faults(_ fault: FaultyStore.Fault) throws {
        let harness = try SchedulerHarness()
        harness.store.fail(fault)
        for id in ["a", "b", "c"] { try submit(request(id, .every(.seconds(60), count: 2)), to: harness) }
        harness.advance(10)
        // Retries are at least 0.1 s apart at first, and soon a second apart.
        #expect(harness.store.commits < 20)
        harness.store.fail(nil)
        harness.advance(130)
        #expect(try jobs(harness).map(\.id.rawValue) == ["a", "b", "c"])
        #expect(harness.calls.all.map(\.job) == ["a", "b", "c", "a", "b", "c"])
        #expect(try submissions(harness) == [])
    }

    @Test("failed reads of submissions are retried after a pause")
    func failedReads() throws {
        let harness = try SchedulerHarness()
        harness.store.failReads(JobError(code: .unavailable, message: "it cannot be read"))
        try submit(request(), to: harness)
        harness.advance(10)
        #expect(harness.calls.seconds == [])
        harness.store.failReads(nil)
        harness.advance(2)
        #expect(try harness.history() == ["1 succeeded"])
    }

    @Test("a stop during a turn leaves a submission in the store or takes it, and loses none")
    func stop() throws {
        let harness = try SchedulerHarness()
        harness.store.fail(.hold)
        try submit(request("a", .after(.seconds(5))), to: harness)
        harness.time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: .zero) }
        try submit(request("b", .after(.seconds(5))), to: harness)
        harness.store.fail(nil)
        harness.store.release()
        harness.time.settle()
        #expect(try submissions(harness) == [JobID("b")])
        try harness.crash()
        harness.advance(6)
        #expect(harness.calls.all.map(\.job) == ["a", "b"])
        #expect(try submissions(harness) == [])
    }

    @Test("a refused submission is logged and removed, and the job that it met stays as it is")
    func refused() throws {
        let log = Log<String>()
        let harness = try SchedulerHarness(logger: log.logger)
        let job = try harness.submit("job", .every(.seconds(60)))
        try submit(request("job", .after(.zero), conflict: .refuse), to: harness)
        #expect(try submissions(harness) == [])
        #expect(try jobs(harness) == [job])
        let lines = log.all.filter { $0.contains("refused") }
        #expect(lines.count == 1 && lines[0].hasPrefix("notice "), "\(log.all)")
        #expect(lines[0].contains("job=job") && lines[0].contains("alreadyExists"), "\(lines)")
        let refused = try #require(try harness.perform { try await $0.refusals() }.refusals.first)
        #expect(refused.id == "job" && refused.refusal.code == "alreadyExists")
        #expect(
            refused.refusal.message.contains("a job has this identifier already")
                && refused.refusal.refused == harness.at(0))
        try harness.crash()
        #expect(log.all.filter { $0.contains("refused") }.count == 1)
    }

    /// Returns a harness whose store refuses the parts that the test chooses.
    private func refusingHarness(_ log: Log<String>) throws -> (SchedulerHarness, RefusingStore) {
        var made: RefusingStore?
        let harness = try SchedulerHarness(logger: log.logger) { base in
            let store = RefusingStore(base)
            made = store
            return store
        }
        return (harness, try #require(made))
    }

    /// Refuses the job `b`.
    @Sendable private static func notB(_ part: [JobChange]) -> JobError? {
        part.contains { $0.job.id == "b" } ? JobError(code: .invalid, message: "the store cannot keep b") : nil
    }

    @Test("a submission that the store refuses is logged and removed, and those beside it become jobs")
    func refusedByTheStore() throws {
        let log = Log<String>()
        let (harness, store) = try refusingHarness(log)
        store.refuse(Self.notB)
        // All three are taken in one turn.
        for id in ["a", "b", "c"] { try harness.base.submit(request(id), at: harness.time.wall()) }
        try harness.perform { try await $0.takeSubmissions() }
        #expect(try jobs(harness).map(\.id.rawValue) == ["a", "c"])
        #expect(try submissions(harness) == [])
        #expect(store.refused == 1)
        let lines = log.all.filter { $0.contains("refused") }
        #expect(lines.count == 1, "\(log.all)")
        let line = try #require(lines.first)
        #expect(line.hasPrefix("notice ") && line.contains("job=b") && line.contains("invalid"), "\(line)")
        harness.advance(60)
        #expect(harness.calls.all.map(\.job) == ["a", "c"] && store.refused == 1)
    }

    @Test("refused submissions are pruned by age together with ended jobs")
    func refusalsAreRemoved() throws {
        let harness = try SchedulerHarness(
            configuration: .init(finishedJobsKept: .seconds(7_200), bootID: "boot"))
        try harness.submit("job", .every(.seconds(60)))
        try submit(request("job", .after(.zero), conflict: .refuse), to: harness)
        func count() throws -> Int { try harness.perform { try await $0.refusals() }.refusals.count }
        harness.advance(7_000)
        #expect(try count() == 1)
        harness.advance(4_000)
        #expect(try count() == 0)
    }

    @Test(
        "a submission that meets a transient failure of the store stays and is taken later",
        arguments: [JobError.Code.unavailable, .full])
    func transientRefusal(_ code: JobError.Code) throws {
        let (harness, store) = try refusingHarness(Log<String>())
        store.refuse { part in part.isEmpty ? nil : JobError(code: code, message: "not now") }
        try submit(request("job"), to: harness)
        harness.advance(10)
        #expect(try submissions(harness) == [JobID("job")])
        // Retries are at least 0.1 s apart.
        #expect(store.refused <= 101)
        #expect(try harness.perform { try await $0.refusals() }.refusals.isEmpty)
        store.refuse { _ in nil }
        harness.advance(2)
        #expect(harness.calls.all.map(\.job) == ["job"])
        #expect(try submissions(harness) == [])
    }

    @Test("removing a refused submission is retried after a pause when the store fails")
    func removalIsRefused() throws {
        let log = Log<String>()
        let (harness, store) = try refusingHarness(log)
        store.refuse { $0.isEmpty ? JobError(code: .invalid, message: "the store keeps everything") : Self.notB($0) }
        try submit(request("b"), to: harness)
        harness.advance(10)
        #expect(try submissions(harness) == [JobID("b")])
        // Each retry is refused twice, and retries are 0.1 s apart.
        #expect(store.refused > 4 && store.refused <= 202)
        #expect(log.all.filter { $0.contains("refused;") } == [])
        store.refuse(Self.notB)
        harness.advance(2)
        #expect(try submissions(harness) == [])
        #expect(log.all.filter { $0.contains("refused;") }.count == 1)
        try harness.submit("c", .after(.seconds(1)))
        harness.advance(2)
        #expect(harness.calls.all.map(\.job) == ["c"])
    }

    @Test("a refusal is logged only once the submission is removed")
    func refusedWhileTheStoreFails() throws {
        let log = Log<String>()
        let harness = try SchedulerHarness(logger: log.logger)
        try harness.submit("job", .every(.seconds(60)))
        harness.store.fail(.before(JobError(code: .full, message: "it is full")))
        try submit(request("job", .after(.zero), conflict: .refuse), to: harness)
        harness.advance(3)
        #expect(log.all.filter { $0.contains("refused;") } == [])
        harness.store.fail(nil)
        harness.advance(2)
        #expect(log.all.filter { $0.contains("refused;") }.count == 1)
        #expect(try submissions(harness) == [])
    }

    @Test("a stored submission's conflict policy has the same effect as a direct call's")
    func conflicts() throws {
        let harness = try SchedulerHarness()
        let kept = try harness.submit("kept", .every(.seconds(60)))
        let updated = try harness.submit("updated", .every(.seconds(60)))
        let replaced = try harness.submit("replaced", .every(.seconds(60)))
        try submit(request("kept", .after(.seconds(7)), conflict: .keep), to: harness)
        try submit(request("updated", .after(.seconds(7)), conflict: .update), to: harness)
        try submit(request("replaced", .after(.seconds(7)), conflict: .replace), to: harness)
        #expect(try harness.job("kept") == kept)
        #expect(try harness.job("updated").key == updated.key)
        #expect(try harness.job("updated").request.trigger == .after(.seconds(7)))
        #expect(try harness.job("replaced").key > replaced.key)
        #expect(try submissions(harness) == [])
        harness.advance(8)
        #expect(harness.calls.all.map(\.job) == ["updated", "replaced"])
    }

    @Test("a submission without effect is logged with the existing job")
    func noEffect() throws {
        let log = Log<String>()
        let harness = try SchedulerHarness(logger: log.logger)
        try harness.submit("job", .every(.seconds(60)))
        try submit(request("job", .after(.seconds(9)), conflict: .keep), to: harness)
        try submit(request("job", .after(.zero), conflict: .update), to: harness)
        let lines = log.all.filter { $0.contains("exists already") }
        #expect(lines.count == 1, "\(log.all)")
        #expect(lines.allSatisfy { $0.hasPrefix("info ") && $0.contains("job=job") && $0.contains("outcome=kept") })
    }

    @Test("an update that was submitted while no scheduler ran counts from its submission")
    func lateUpdate() throws {
        let harness = try SchedulerHarness()
        try harness.submit("job", .every(.seconds(600)), kind: "work")
        try harness.submit("suspended", .every(.seconds(600)), kind: "work")
        try harness.perform { _ = try await $0.suspend(JobID("suspended")) }
        try harness.perform { await $0.stop(grace: .zero) }
        try submit(request("job", .after(.seconds(10))), to: harness)
        try submit(request("suspended", .after(.seconds(10))), to: harness)
        harness.advance(30)
        try harness.crash()
        harness.time.settle()
        #expect(harness.calls.all.map(\.job) == ["job"] && harness.calls.seconds == [30])
        #expect(try harness.job("job").request.trigger == .after(.seconds(10)))
        #expect(try harness.job("suspended").remainder == .zero)
    }

    @Test("submissions with one idempotency key, or one unique payload, make one job")
    func same() throws {
        let harness = try SchedulerHarness(start: false)
        for id in ["a", "b"] {
            try submit(request(id, .after(.seconds(5))) { $0.idempotencyKey = "key" }, to: harness)
        }
        for id in ["c", "d"] {
            try submit(
                request(id, .after(.seconds(5)), conflict: .keep) { ($0.payload, $0.uniqueness) = ([1], .payload()) },
                to: harness)
        }
        try harness.start()
        harness.advance(6)
        #expect(try jobs(harness).map(\.id.rawValue) == ["a", "c"])
        #expect(try submissions(harness) == [])
    }

    @Test("many submissions are taken in order, a page at a time, with callers' commands in between")
    func many() throws {
        let harness = try SchedulerHarness(start: false)
        for number in 0..<1_200 {
            try harness.base.submit(request("job\(number)", .after(.seconds(86_400))), at: harness.time.wall())
        }
        try harness.start()
        try harness.submit("caller", .after(.seconds(1)))
        harness.time.settle()
        #expect(try submissions(harness) == [])
        let found = try jobs(harness).map(\.id.rawValue).filter { $0 != "caller" }
        #expect(found == (0..<1_200).map { "job\($0)" })
        #expect(harness.store.commits < 10)
    }

    @Test("an invalid submission is refused when it is submitted, and is not stored")
    func invalid() throws {
        let harness = try SchedulerHarness()
        for wrong in [
            request(""), request("at", .at(harness.at(-1))), request("every", .every(.zero)),
            request("payload") { $0.payload = Array(repeating: 0, count: 65_537) },
        ] {
            let error = #expect(throws: JobError.self) { try submit(wrong, to: harness) }
            #expect(error?.code == .invalid)
        }
        #expect(try submissions(harness) == [])
    }

    @Test("a call to take submissions returns when they are jobs, or throws the store's error")
    func takeSubmissions() throws {
        let harness = try SchedulerHarness(start: false)
        for number in 0..<700 {
            try harness.base.submit(request("job\(number)", .after(.seconds(60))), at: harness.time.wall())
        }
        try harness.start()
        let found = try harness.perform { scheduler in
            try await scheduler.takeSubmissions()
            return try await scheduler.job(JobID("job699"))
        }
        #expect(found != nil)
        harness.store.fail(.before(JobError(code: .full, message: "it is full")))
        try harness.base.submit(request("full"), at: harness.time.wall())
        let full = #expect(throws: JobError.self) { try harness.perform { try await $0.takeSubmissions() } }
        #expect(full?.code == .full)
        harness.store.failReads(JobError(code: .unavailable, message: "it cannot be read"))
        harness.time.start { [scheduler = harness.scheduler] in
            await #expect(throws: JobError.self) { try await scheduler.takeSubmissions() }
        }
        harness.advance(3)
        harness.store.fail(nil)
        harness.store.failReads(nil)
        harness.advance(2)
        try harness.perform { try await $0.takeSubmissions() }
        #expect(harness.calls.all.map(\.job) == ["full"])
    }

    @Test("a stopped scheduler takes no submissions, even when asked to")
    func stopped() throws {
        let harness = try SchedulerHarness()
        try harness.perform { await $0.stop(grace: .zero) }
        try submit(request(), to: harness)
        let error = #expect(throws: JobError.self) { try harness.perform { try await $0.takeSubmissions() } }
        #expect(error?.code == .closed)
        harness.advance(5)
        #expect(try submissions(harness) == [JobID("job")])
    }
}

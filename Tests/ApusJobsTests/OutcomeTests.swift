import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

/// A call that waits for an outcome.
private struct Waiting {
    let harness: SchedulerHarness
    let task: Task<Run?, any Error>

    init(_ harness: SchedulerHarness, _ body: @escaping @Sendable (JobScheduler) async throws -> Run?) {
        self.harness = harness
        task = harness.time.start { [scheduler = harness.scheduler] in try await body(scheduler) }
        harness.time.settle()
    }

    func outcome() throws -> Run? { try harness.time.perform { [task] in try await task.value } }

    /// Returns the error that ended the call.
    func error() throws -> any Error { try #require(throws: (any Error).self) { try outcome() } }
}

@Suite("Waiting for outcomes")
struct OutcomeTests {
    private let job = JobID("job")

    @Test("the outcome of a run is its occurrence's final attempt, however many attempts that takes")
    func retries() throws {
        let harness = try SchedulerHarness()
        harness.calls.failNext(2)
        try harness.submit(.after(.seconds(1)), kind: "failing", .init(retry: .exponential(attempts: 5)))
        harness.advance(1)
        let first = try #require(try harness.runs().first)
        #expect(first.state == .failed && !first.isFinal)
        let waiting = Waiting(harness) { try await $0.outcome(of: first) }
        #expect(harness.scheduler.subscriberCount == 1)
        harness.advance(60)
        let outcome = try waiting.outcome()
        #expect(outcome?.attempt == 3 && outcome?.state == .succeeded && outcome?.isFinal == true)
        // The outcome is already stored.
        let again = Waiting(harness) { try await $0.outcome(of: first) }
        #expect(try again.outcome() == outcome)
        #expect(harness.scheduler.subscriberCount == 0)
    }

    @Test("the outcome of a job that is due once is the same before, while and after it runs")
    func dueOnce() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(3)), kind: "slow")
        let before = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        harness.advance(5)
        let open = try harness.perform { [job] in try await $0.openRuns(of: job) }
        #expect(open.map(\.state) == [.running])
        let meanwhile = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        harness.advance(20)
        let after = try harness.perform { [job] in try await $0.outcome(of: job) }
        #expect(after?.state == .succeeded && after?.occurrence == 1)
        #expect(try before.outcome() == after)
        #expect(try meanwhile.outcome() == after)
    }

    @Test("a repeating job's outcome is that of its open occurrence, or of the next one when none is open")
    func repeating() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(100)), kind: "slow")
        harness.advance(105)
        let open = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        harness.advance(10)
        #expect(try open.outcome()?.occurrence == 1)
        let next = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        harness.advance(100)
        #expect(try next.outcome()?.occurrence == 2)
    }

    @Test("a manual run has its own outcome, and is not an occurrence of its job")
    func byHand() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(100)), kind: "slow")
        let run = try harness.perform { [job] in try await $0.runNow(job) }
        let byHand = Waiting(harness) { try await $0.outcome(of: run) }
        let occurrence = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        harness.advance(20)
        #expect(try byHand.outcome()?.occurrence == run.occurrence)
        harness.advance(100)
        #expect(try occurrence.outcome()?.occurrence == 1)
    }

    @Test("an occurrence skipped in a range has the range as its outcome")
    func skipped() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(4)), kind: "slow")
        harness.advance(4.5)
        let open = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        harness.advance(10)
        #expect(try open.outcome()?.occurrence == 1)
        let run = try #require(try harness.runs().first { $0.state == .skipped })
        #expect(run.occurrence == 2 && run.through == 3)
        var third = run
        (third.occurrence, third.isFinal) = (3, false)
        let asked = third
        let skipped = Waiting(harness) { try await $0.outcome(of: asked) }
        #expect(try skipped.outcome() == run)
    }

    @Test("a job that is cancelled before its next occurrence comes has no outcome")
    func cancelled() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(3_600)))
        let waiting = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        _ = try harness.perform { [job] in try await $0.runNow(job) }
        harness.advance(1)
        _ = try harness.perform { [job] in try await $0.cancel(job) }
        #expect(try waiting.outcome() == nil)
        // The manual run (number 0) has ended, but it is not an occurrence, so the job still has no outcome.
        let later = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        #expect(try later.outcome() == nil)
    }

    @Test("a job cancelled while its handler runs has the resulting outcome")
    func cancelledWhileRunning() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "stubborn")
        harness.advance(2)
        let waiting = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        _ = try harness.perform { [job] in try await $0.cancel(job) }
        harness.advance(20)
        #expect(try waiting.outcome()?.state == .cancelled)
    }

    @Test("the outcome of a job that was replaced is that of the job that was there, not of its successor")
    func replaced() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        let waiting = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        try harness.submit(.after(.seconds(3_600)), conflict: .replace)
        harness.advance(20)
        let outcome = try waiting.outcome()
        #expect(outcome?.state == .cancelled && outcome?.reason == "replaced")
    }

    @Test("an outcome that a subscriber missed is read from the store")
    func dropped() throws {
        // One event exceeds the buffer, so an event that is not read at once is dropped.
        let harness = try SchedulerHarness(configuration: .init(bootID: "boot", eventBufferBytes: 1))
        try harness.submit("job", .after(.seconds(1)))
        for number in 0..<50 { try harness.submit("job\(number)", .after(.seconds(1))) }
        let waiting = (0..<20).map { _ in Waiting(harness) { [job] in try await $0.outcome(of: job) } }
        harness.advance(2)
        for waiting in waiting { #expect(try waiting.outcome()?.state == .succeeded) }
    }

    @Test("waiting ends with an error when the scheduler stops first, or has stopped")
    func stopped() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        let waiting = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        _ = try harness.perform { await $0.stop(grace: .zero) }
        #expect((try waiting.error() as? JobError)?.code == .closed)
        let later = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        #expect((try later.error() as? JobError)?.code == .closed)
    }

    @Test("waiting ends when its task is cancelled, and leaves no subscriber")
    func taskCancelled() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(3_600)))
        let waiting = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        #expect(harness.scheduler.subscriberCount == 1)
        waiting.task.cancel()
        #expect(try waiting.error() is CancellationError)
        #expect(harness.scheduler.subscriberCount == 0)
        #expect(try harness.job().state == .scheduled)
    }

    @Test("a final run of a removed job is its own outcome, and any other run has none")
    func removed() throws {
        let harness = try SchedulerHarness(
            configuration: .init(finishedJobsKept: .seconds(60), bootID: "boot"))
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        let claimed = try #require(try harness.runs().first)
        harness.advance(20)
        let run = try #require(try harness.runs().first)
        #expect(run.isFinal)
        harness.advance(2 * 3_600)
        try harness.submit("other", .after(.seconds(1)))
        harness.advance(2 * 3_600)
        let removed = try harness.perform { [job] in try await $0.job(job) }
        #expect(removed == nil, "it was removed")
        let outcome = try harness.perform { try await $0.outcome(of: run) }
        #expect(outcome == run)
        let waiting = Waiting(harness) { try await $0.outcome(of: claimed) }
        #expect((try waiting.error() as? JobError)?.code == .notFound)
    }

    @Test("an occurrence whose history is gone has no outcome, and is not waited for")
    func pruned() throws {
        let harness = try SchedulerHarness(configuration: .init(historyRunsPerJob: 1, bootID: "boot"))
        try harness.submit(.every(.seconds(1)), kind: "work")
        harness.advance(1)
        var first = try #require(try harness.runs().first)
        harness.advance(3_000)
        #expect(try harness.runs().contains { $0.occurrence == 1 } == false)
        first.isFinal = false
        let waiting = Waiting(harness) { [first] in try await $0.outcome(of: first) }
        #expect((try waiting.error() as? JobError)?.code == .notFound)
    }

    @Test("a successor under the same identifier that ends first does not decide the outcome")
    func successor() throws {
        let harness = try SchedulerHarness()
        let old = try harness.submit(.after(.seconds(1)), kind: "stubborn")
        harness.advance(2)
        let waiting = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        let new = try harness.submit(.after(.zero), conflict: .replace)
        harness.advance(1)
        #expect(try harness.runs().map(\.jobKey) == [new.key])
        #expect(try harness.runs().map(\.isFinal) == [true])
        harness.advance(600)
        let outcome = try waiting.outcome()
        #expect(outcome?.jobKey == old.key && outcome?.reason == "replaced")
    }

    @Test("a task that is already cancelled does not wait")
    func cancelledBefore() throws {
        let harness = try SchedulerHarness()
        let scheduler = harness.scheduler
        let task = harness.time.start {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await scheduler.outcome(of: JobID("missing"))
        }
        #expect(throws: CancellationError.self) { try harness.time.perform { try await task.value } }
        #expect(harness.scheduler.subscriberCount == 0)
    }

    @Test("the error of waiting says why the scheduler stopped")
    func lostStore() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(5)))
        let waiting = Waiting(harness) { [job] in try await $0.outcome(of: job) }
        harness.store.fail(.before(JobError(code: .notOwner, message: "another one has it")))
        harness.advance(6)
        let error = try #require(try waiting.error() as? JobError)
        #expect(error.code == .closed)
        #expect((error.cause as? JobError)?.code == .notOwner)
    }

    @Test("waiting for an unknown job is an error")
    func unknown() throws {
        let harness = try SchedulerHarness()
        let waiting = Waiting(harness) { try await $0.outcome(of: JobID("missing")) }
        #expect((try waiting.error() as? JobError)?.code == .notFound)
    }

    @Test("an outcome written between the subscription and the read of the store is not missed")
    func race() throws {
        for steps in 0..<40 {
            let harness = try SchedulerHarness()
            try harness.submit(.after(.seconds(1)))
            let waiting = harness.time.start { [scheduler = harness.scheduler, job] in
                try await scheduler.outcome(of: job)
            }
            harness.time.moveToNextDeadline(within: .seconds(2))
            for _ in 0..<steps where harness.time.runOne() {}
            harness.advance(10)
            let outcome = try harness.time.perform { try await waiting.value }
            #expect(outcome?.state == .succeeded)
        }
    }
}

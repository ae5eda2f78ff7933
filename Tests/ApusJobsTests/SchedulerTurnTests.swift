import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

/// Tests cases in which a scheduler with tasks and locks fails, and a scheduler with turns does not.
@Suite("The turns of a scheduler")
struct SchedulerTurnTests {
    @Test("a hundred jobs of one instant cost one timer, one transaction for their claims, and one for their outcomes")
    func oneTransaction() throws {
        let harness = try SchedulerHarness()
        let requests = (0..<100).map { JobRequest(id: JobID("job\($0)"), kind: "work", trigger: .after(.seconds(10))) }
        try harness.perform { _ = try await $0.submit(requests) }
        let commits = harness.store.commits
        #expect(harness.time.pendingTimerCount == 1)
        harness.advance(10)
        #expect(harness.calls.all.count == 100)
        #expect(harness.store.commits == commits + 2)
        #expect(harness.time.pendingTimerCount == 0)
    }

    @Test(
        "10,000 jobs are cancelled in ten commits, and a run that is asked for meanwhile does not wait for the last one"
    )
    func cancelAll() throws {
        let harness = try SchedulerHarness()
        let ids = (0..<10_000).map { JobID("job\($0)") }
        try harness.submit("other", .after(.seconds(1_000)))
        try harness.perform { scheduler in
            _ = try await scheduler.submit(
                ids.map { JobRequest(id: $0, kind: "work", trigger: .after(.seconds(1_000))) })
        }
        let before = harness.store.commits
        let (scheduler, store) = (harness.scheduler, harness.store)
        let started = Locked<Int?>(nil)
        scheduler.register("work") { _ in started.withLock { $0 = store.commits - before } }
        let cancelling = harness.time.start { try await scheduler.cancel(all: ids + [JobID("missing")]) }
        let running = harness.time.start { try await scheduler.runNow(JobID("other")) }
        harness.time.settle()
        let cancelled = try harness.time.perform { try await cancelling.value }
        _ = try harness.time.perform { try await running.value }
        #expect(cancelled.map(\.id) == ids && cancelled.allSatisfy { $0.state == .cancelled })
        // Ten commits are for the jobs, and up to three for the run: its request, its claim and its end.
        #expect((10...13).contains(harness.store.commits - before))
        #expect(try #require(started.withLock { $0 }) < 5)
    }

    @Test("cancelling many jobs reports the store's error, and the jobs of commits that were applied stay cancelled")
    func cancelAllFails() throws {
        let harness = try SchedulerHarness()
        let ids = (0..<1_500).map { JobID("job\($0)") }
        try harness.perform { scheduler in
            _ = try await scheduler.submit(
                ids.map { JobRequest(id: $0, kind: "work", trigger: .after(.seconds(1_000))) })
        }
        let before = harness.store.commits
        harness.store.faults { $0 == before ? nil : .before(JobError(code: .full, message: "no space")) }
        let error = #expect(throws: JobError.self) {
            try harness.perform { _ = try await $0.cancel(all: ids) }
        }
        #expect(error?.code == .full)
        harness.store.fail(nil)
        let open = try harness.perform { try await $0.count(JobQuery(states: [.scheduled])) }
        #expect(open == 500)
    }

    @Test("a failed read after a failed commit is repeated: the outcome is kept, and stopping ends")
    func readFailsAfterCommit() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        let error = JobError(code: .unavailable, message: "no answer")
        harness.store.fail(.before(error))
        harness.store.failReads(error)
        harness.advance(12)
        harness.store.fail(nil)
        harness.advance(1)
        harness.store.failReads(nil)
        harness.advance(2)
        #expect(try harness.history() == ["1 succeeded"])
        try harness.perform { await $0.stop(grace: nil) }
    }

    @Test("setting the clock back moves elapsed time once, even if the answer is lost and the process is killed")
    func clockSetOnce() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(100)))
        harness.advance(10)
        harness.store.fail(.after(JobError(code: .unavailable, message: "no answer")))
        harness.time.moveWallClock(by: .seconds(-3_600))
        harness.advance(1)
        try harness.crash()
        try harness.crash()
        harness.advance(88)
        #expect(harness.calls.all.isEmpty)
        harness.advance(1)
        #expect(harness.calls.seconds == [100 - 3_600])
    }

    @Test("a start on a store without space fails, and another start succeeds when there is space")
    func startOnFullStore() throws {
        let harness = try SchedulerHarness(start: false)
        harness.store.fail(.before(JobError(code: .full, message: "no space")))
        let error = #expect(throws: JobError.self) { try harness.start() }
        #expect(error?.code == .full)
        #expect(harness.time.pendingTimerCount == 0)
        try harness.crash()
        try harness.submit(.after(.seconds(1)))
        harness.advance(1)
        #expect(harness.calls.seconds == [1])
    }

    @Test("stopping during the start ends the scheduler: nothing runs, and the start says so")
    func stopDuringStart() throws {
        let harness = try SchedulerHarness(start: false)
        harness.scheduler.register("work") { _ in Issue.record("a handler was called") }
        harness.store.fail(.hold)
        let scheduler = harness.scheduler
        let starting = harness.time.start { try await scheduler.start() }
        harness.time.settle()
        let stopping = harness.time.start { await scheduler.stop(grace: nil) }
        harness.time.settle()
        harness.store.fail(nil)
        harness.store.release()
        try harness.time.perform { try await stopping.value }
        _ = try? harness.time.perform { try await starting.value }
        #expect(throws: JobError.self) { try harness.submit(.after(.seconds(1))) }
    }

    @Test("a stop tries to write a handler's outcome, however often commits failed before")
    func stopWhileSomeCommitsFail() throws {
        let harness = try SchedulerHarness()
        let clock = TimerClock<UptimeInstant>(engine: harness.time.engine)
        harness.scheduler.register("reports") { context in
            for step in 1...10 {
                context.report(progress: Double(step) / 10)
                try? await clock.sleep(for: .seconds(2))
            }
        }
        try harness.submit(.after(.seconds(1)), kind: "reports")
        harness.advance(2)
        harness.store.faults { $0.isMultiple(of: 2) ? .before(JobError(code: .unavailable, message: "it fails")) : nil }
        let scheduler = harness.scheduler
        let stopping = harness.time.start { await scheduler.stop(grace: .seconds(60)) }
        harness.advance(30)
        try harness.time.perform { try await stopping.value }
        let runs = try harness.time.perform { [base = harness.base] in try await base.runs(RunQuery(jobID: "job")).runs
        }
        #expect(runs.map(\.state) == [.succeeded])
    }

    @Test("a claim whose commit outlasts the grace is not run after stop has returned")
    func slowClaim() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.store.fail(.hold)
        harness.advance(2)
        let scheduler = harness.scheduler
        let stopping = harness.time.start { await scheduler.stop(grace: .seconds(1)) }
        harness.advance(5)
        harness.store.fail(nil)
        harness.store.release()
        harness.advance(5)
        try harness.time.perform { try await stopping.value }
        let calls = harness.calls.all.count
        harness.advance(60)
        #expect(harness.calls.all.count == calls)
        #expect(harness.calls.reasons == [.shutdown] || calls == 0)
    }

    @Test("a clock that shows 2099 for a minute does not use up an anchored job's occurrences")
    func farFuture() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(3_600), anchoredAt: harness.at(0)))
        harness.advance(60)
        harness.time.moveWallClock(by: .seconds(73 * 365 * 86_400))
        harness.advance(60)
        harness.time.moveWallClock(by: .seconds(-73 * 365 * 86_400))
        harness.advance(3 * 3_600)
        #expect(harness.calls.seconds.suffix(3) == [3_600, 7_200, 10_800])
        try harness.check()
    }

    @Test("the pause before a retry counts elapsed time, whatever happens to the clock and the job")
    func pauseCountsElapsedTime() throws {
        let harness = try SchedulerHarness()
        harness.calls.failNext(1)
        let retry = RetryPolicy.exponential(
            attempts: 2, from: .seconds(600), to: .seconds(600), jitter: 0)
        try harness.submit(.at(harness.at(5)), kind: "failing", .init(retry: retry))
        harness.advance(10)
        try harness.perform { _ = try await $0.suspend(JobID("job")) }
        harness.time.moveWallClock(by: .seconds(86_400))
        try harness.perform { _ = try await $0.resume(JobID("job")) }
        harness.advance(594)
        #expect(harness.calls.all.count == 1)
        harness.advance(1)
        #expect(harness.calls.all.count == 2)
    }

    @Test("a submission reports a full store also while a clock change cannot be written")
    func fullWhileClockIsSet() throws {
        let harness = try SchedulerHarness()
        harness.store.fail(.before(JobError(code: .full, message: "no room")))
        harness.time.moveWallClock(by: .seconds(3_600))
        harness.advance(1)
        let error = #expect(throws: JobError.self) { try harness.submit(.after(.seconds(1))) }
        #expect(error?.code == .full)
    }

    @Test("an hourly job that an app submits at each launch runs hourly, though no launch lasts an hour")
    func submittedAtEachLaunch() throws {
        let harness = try SchedulerHarness()
        for _ in 0..<5 {
            try harness.submit(.every(.seconds(3_600)), conflict: .update)
            harness.advance(3_000)
            try harness.crash()
        }
        #expect(harness.calls.seconds == [3_600, 7_200, 10_800, 14_400])
    }

    @Test("an update to another trigger keeps the occurrence number, the history and open runs")
    func updatedTrigger() throws {
        let harness = try SchedulerHarness()
        let first = try harness.submit(.every(.seconds(10)), conflict: .update)
        harness.advance(25)
        let second = try harness.submit(.every(.seconds(100), count: 2), conflict: .update)
        #expect(second.key == first.key && second.nextDue == harness.at(125))
        harness.advance(1_000)
        #expect(harness.calls.seconds == [10, 20, 125, 225])
        #expect(harness.calls.occurrences == [1, 2, 3, 4])
        #expect(try harness.job().state == .finished)
        try harness.check()
    }

    @Test("an ended job can be submitted again under its identifier, and its history stays")
    func submittedAnew() throws {
        let harness = try SchedulerHarness()
        let first = try harness.submit(.after(.seconds(1)))
        harness.advance(2)
        let second = try harness.submit(.after(.seconds(1)), conflict: .refuse)
        #expect(second.key > first.key)
        harness.advance(2)
        #expect(harness.calls.seconds == [1, 3])
        #expect(try harness.perform { try await $0.runs(RunQuery()) }.runs.count == 2)
    }

    @Test("a handler registered during the start is known")
    func registeredDuringStart() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "late")
        harness.advance(2)
        let other = JobScheduler(store: harness.store, engine: harness.time.engine, executor: harness.time.executor)
        let calls = Locked(0)
        try harness.time.perform {
            try await other.start(afterOpening: { other.register("late") { _ in calls.withLock { $0 += 1 } } })
        }
        harness.advance(1)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("stopping a scheduler that was not started ends its events")
    func stopBeforeStart() throws {
        let harness = try SchedulerHarness(start: false)
        let events = harness.scheduler.events()
        try harness.perform { await $0.stop(grace: nil) }
        let count = try harness.time.perform { await events.reduce(0) { count, _ in count + 1 } }
        #expect(count == 1)
    }

    @Test("a job that waits for a handler follows an update to a kind that has one")
    func updatedKind() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "strange")
        harness.advance(2)
        let request = JobRequest(id: JobID("job"), kind: "work", trigger: .after(.seconds(1)))
        try harness.perform { _ = try await $0.submit(request) }
        #expect(harness.calls.seconds == [2])
        #expect(try harness.history() == ["1 succeeded"])
    }
}

import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("A scheduler in trouble")
struct JobSchedulerFaultTests {
    @Test("a run interrupted by a crash is lost and repeated at once")
    func crash() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(5)
        try harness.crash()
        harness.advance(20)
        #expect(try harness.history() == ["1 lost(interrupted)", "1.2 succeeded"])
        #expect(harness.calls.seconds == [1, 5])
        try harness.check()
    }

    @Test("a run that is lost repeatedly has the outcome lost")
    func lostForGood() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow", .init(retry: .exponential(attempts: 1, maximumLost: 3)))
        for _ in 0..<5 {
            harness.advance(5)
            try harness.crash()
        }
        #expect(try harness.history() == ["1 lost(interrupted)", "1.2 lost(interrupted)", "1.3 lost(interrupted)"])
        #expect(try harness.job().state == .finished)
        try harness.check()
    }

    @Test(
        "occurrences due while no scheduler ran follow the missed-run policy",
        arguments: [
            (MissedRunPolicy.runOnce, ["1-4 skipped(coalesced)", "5 succeeded"], [5]),
            (.skip, ["1-5 skipped(missed)"], [Int]()),
            (.runAll(limit: 2), ["1-3 skipped(missed)", "4 succeeded", "5 succeeded"], [1, 1]),
        ])
    func missed(_ policy: MissedRunPolicy, _ history: [String], _ standsFor: [Int]) throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(10), count: 5), .init(missedRuns: policy))
        try harness.perform { await $0.stop(grace: nil) }
        harness.advance(1_000)
        try harness.crash()
        harness.advance(1)
        #expect(try harness.history() == history)
        #expect(harness.calls.all.map(\.standsFor) == standsFor)
        #expect(try harness.job().state == .finished)
        #expect(try harness.job().occurrenceCount == 5)
        try harness.check()
    }

    @Test(
        "a store that is full for a while loses nothing, and results wait in memory",
        arguments: [
            JobError.Code.full, .unavailable,
        ])
    func full(_ code: JobError.Code) throws {
        let harness = try SchedulerHarness()
        try harness.submit("slow", .after(.seconds(1)), kind: "slow")
        try harness.submit("due", .after(.seconds(5)))
        harness.advance(3)
        harness.store.fail(.before(JobError(code: code, message: "no room")))
        harness.advance(60)
        #expect(throws: JobError.self) { try harness.submit("new", .after(.seconds(1))) }
        #expect(harness.calls.all.map(\.job) == ["slow"])
        harness.store.fail(nil)
        harness.advance(6)
        #expect(harness.calls.all.map(\.job) == ["slow", "due"])
        #expect(try harness.history("slow") == ["1 succeeded"])
        #expect(try harness.history("due") == ["1 succeeded"])
    }

    @Test("a commit whose answer is lost is applied exactly once")
    func answerLost() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(1), count: 20))
        let error = JobError(code: .unavailable, message: "the connection broke")
        harness.store.faults { $0.isMultiple(of: 2) ? .after(error) : nil }
        harness.advance(60)
        #expect(try harness.job().state == .finished)
        let final = try harness.runs().filter { $0.isFinal && $0.state == .succeeded }
        #expect(harness.calls.all.count == final.count)
        try harness.check()
    }

    @Test("a submission whose answer is lost runs all the same")
    func submissionLost() throws {
        let harness = try SchedulerHarness()
        harness.store.fail(.after(JobError(code: .unavailable, message: "the connection broke")))
        #expect(throws: JobError.self) { try harness.submit(.after(.seconds(5))) }
        harness.store.fail(nil)
        harness.advance(120)
        #expect(harness.calls.seconds == [5])
    }

    @Test("an owner that lost its store writes nothing and stops")
    func notOwner() throws {
        let harness = try SchedulerHarness()
        try harness.submit("a", .every(.seconds(1)))
        try harness.submit("b", .after(.seconds(1)), kind: "slow")
        harness.advance(2.5)
        let events = harness.scheduler.events()
        _ = try harness.time.perform { [store = harness.store] in try await store.open(as: NodeID(rawValue: "other")) }
        harness.advance(5)
        let last = try harness.time.perform {
            var last: JobEvent?
            for await event in events { last = event }
            return last
        }
        guard case .stopped(let error?) = last else {
            Issue.record("the last event was \(String(describing: last))")
            return
        }
        #expect(error.code == .notOwner)
        #expect(harness.calls.seconds == [1, 1, 2])
        #expect(try harness.history("b") == ["1 running"])
        #expect(throws: JobError.self) { try harness.submit("c", .after(.seconds(1))) }
    }

    @Test("stopping waits for handlers, and starts nothing more")
    func stop() throws {
        let harness = try SchedulerHarness()
        try harness.submit("slow", .after(.seconds(1)), kind: "slow")
        try harness.submit("next", .after(.seconds(3)))
        harness.advance(2)
        let stopping = harness.time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: .seconds(20))
        }
        harness.advance(9)
        try harness.time.perform { try await stopping.value }
        #expect(try harness.history("slow") == ["1 succeeded"])
        #expect(try harness.history("next") == [])
        #expect(harness.calls.all.count == 1)
        #expect(harness.time.leaks.isEmpty, "\(harness.time.leaks)")
    }

    @Test("after the grace, handlers are cancelled, and their runs are lost and repeated")
    func stopShort() throws {
        let harness = try SchedulerHarness()
        try harness.submit("slow", .after(.seconds(1)), kind: "slow")
        try harness.submit("stubborn", .after(.seconds(1)), kind: "stubborn")
        harness.advance(2)
        let stopping = harness.time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: .seconds(3))
        }
        harness.advance(5)
        try harness.time.perform { try await stopping.value }
        #expect(harness.calls.reasons == [.shutdown])
        #expect(try harness.history("slow") == ["1 lost(interrupted)", "1.2 waiting"])
        #expect(try harness.history("stubborn") == ["1 running"])
        try harness.crash()
        harness.advance(20)
        #expect(try harness.history("slow") == ["1 lost(interrupted)", "1.2 succeeded"])
        #expect(try harness.history("stubborn") == ["1 lost(interrupted)", "1.2 succeeded"])
    }

    @Test("stopping ends when the last outcome was written without an answer")
    func stopAfterLostAnswer() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        let commits = Locked(0)
        harness.store.faults { _ in
            let number = commits.withLock { commits in
                commits += 1
                return commits
            }
            return number == 1 ? .after(JobError(code: .unavailable, message: "no answer")) : nil
        }
        while commits.withLock({ $0 }) == 0 { harness.advance(0.05) }
        let stopping = harness.time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: nil) }
        harness.advance(1)
        #expect(harness.time.leaks.isEmpty, "\(harness.time.leaks)")
        try harness.time.perform { try await stopping.value }
        #expect(commits.withLock { $0 } == 1)
        #expect(try harness.history() == ["1 succeeded"])
    }

    @Test("a stop does not wait for a failing store: the outcome is lost and the run repeated")
    func stopWhileFull() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        harness.store.fail(.before(JobError(code: .full, message: "no room")))
        harness.advance(10)
        let stopping = (0..<2).map { _ in
            harness.time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: nil) }
        }
        harness.advance(30)
        for each in stopping { try harness.time.perform { try await each.value } }
        #expect(harness.time.leaks.isEmpty, "\(harness.time.leaks)")
        #expect(try harness.history() == ["1 running"])
        harness.store.fail(nil)
        try harness.crash()
        harness.advance(20)
        #expect(try harness.history() == ["1 lost(interrupted)", "1.2 succeeded"])
    }

    @Test("commands for one job take effect in the order of their calls")
    func order() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(30)))
        harness.store.fail(.hold)
        let commands = (0..<10).map { number in
            harness.time.start { [scheduler = harness.scheduler] in
                if number.isMultiple(of: 2) {
                    try await scheduler.suspend(JobID("job"))
                } else {
                    try await scheduler.resume(JobID("job"))
                }
            }
        }
        for _ in 0..<10 {
            harness.advance(1)
            #expect(harness.store.held == 1)
            harness.store.release()
        }
        harness.time.settle()
        let states = try commands.map { command in try harness.time.perform { try await command.value } }
        #expect(states.map(\.state) == (0..<10).map { $0.isMultiple(of: 2) ? .suspended : .scheduled })
        #expect(states.map(\.version) == (2...11).map(Int64.init))
    }

    @Test("the clock is set back an hour: elapsed time counts on, the wall clock's jobs wait for it")
    func clockBack() throws {
        let harness = try SchedulerHarness()
        try harness.submit("relative", .every(.seconds(10), count: 3))
        try harness.submit("at", .at(harness.at(15)))
        harness.advance(12)
        harness.time.moveWallClock(by: .seconds(-3_600))
        harness.advance(100)
        #expect(harness.calls.all.map(\.job) == ["relative", "relative", "relative"])
        #expect(harness.calls.seconds == [10, 20 - 3_600, 30 - 3_600])
        harness.advance(3_600)
        #expect(harness.calls.all.last?.job == "at")
        #expect(harness.calls.seconds.last == 15)
        #expect(harness.calls.all.allSatisfy { $0.lateness >= .zero })
    }

    @Test(
        "the clock is set back while an attempt runs: its retry counts elapsed time, and does not wait for the old hour"
    )
    func clockBackWhileRunning() throws {
        let harness = try SchedulerHarness()
        let retry = RetryPolicy.exponential(attempts: 2, from: .seconds(2), jitter: 0)
        try harness.submit(.after(.seconds(5)), kind: "slow", .init(retry: retry, timeLimit: .seconds(4)))
        harness.advance(6)
        harness.time.moveWallClock(by: .seconds(-3_600))
        harness.advance(60)
        #expect(harness.calls.seconds == [5, 11 - 3_600])
        #expect(harness.calls.all.allSatisfy { $0.lateness >= .zero })
        #expect(try harness.history() == ["1 failed(timedOut)", "1.2 failed(timedOut)"])
    }

    @Test("the clock is set forward a day: elapsed time counts on, the wall clock's jobs are due")
    func clockForward() throws {
        let harness = try SchedulerHarness()
        try harness.submit("relative", .every(.seconds(10), count: 3))
        try harness.submit("far", .after(.seconds(4_000)))
        try harness.submit("at", .at(harness.at(3_600)))
        harness.advance(12)
        harness.time.moveWallClock(by: .seconds(86_400))
        #expect(harness.calls.all.map(\.job) == ["relative", "at"])
        harness.advance(100)
        #expect(harness.calls.seconds == [10, 86_412, 86_420, 86_430])
        harness.advance(4_000)
        #expect(harness.calls.all.last?.job == "far")
        #expect(harness.calls.seconds.last == 90_400)
    }

    @Test("a clock that was set while no scheduler ran is noticed at the start")
    func clockWhileAway() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(100)))
        try harness.perform { await $0.stop(grace: nil) }
        harness.advance(10)
        harness.time.moveWallClock(by: .seconds(7_200))
        try harness.crash()
        harness.advance(89)
        #expect(harness.calls.all.isEmpty)
        harness.advance(1)
        #expect(harness.calls.seconds == [7_300])
    }
}

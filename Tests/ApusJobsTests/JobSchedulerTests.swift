import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("A scheduler")
struct JobSchedulerTests {
    @Test("a job after 3 s runs once, 3 s later, and finishes")
    func after() throws {
        let harness = try SchedulerHarness()
        let job = try harness.submit(.after(.seconds(3)))
        #expect(job.nextDue == harness.at(3))
        harness.advance(2.999)
        #expect(harness.calls.all.isEmpty)
        harness.advance(0.001)
        #expect(harness.calls.seconds == [3])
        #expect(try harness.history() == ["1 succeeded"])
        #expect(try harness.job().state == .finished)
        try harness.check()
    }

    @Test("a job every second with a count runs that often, and each run has its own instant")
    func every() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(1), count: 4))
        harness.advance(60)
        #expect(harness.calls.seconds == [1, 2, 3, 4])
        #expect(try harness.job().state == .finished)
        try harness.check()
    }

    @Test("a job that skips missed runs still runs at the end of its tolerance, even beyond the grace")
    func toleranceBeyondTheGrace() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(2)), .init(tolerance: .seconds(65), missedRuns: .skip))
        harness.advance(70)
        #expect(harness.calls.seconds == [67])
        #expect(try harness.history() == ["1 succeeded"])
        try harness.check()
    }

    @Test("an anchored job runs at the multiples after its anchor, even if the anchor is long past")
    func anchored() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(60), anchoredAt: harness.at(-3_590), count: 3))
        harness.advance(300)
        #expect(harness.calls.seconds == [10, 70, 130])
    }

    @Test("ten thousand occurrences do not drift by a nanosecond")
    func noDrift() throws {
        let harness = try SchedulerHarness(configuration: .init(historyRunsPerJob: 20_000, bootID: "boot"))
        let interval = Duration.nanoseconds(333_333_333)
        let job = try harness.submit(.every(interval, count: 10_000))
        harness.time.advance(by: interval * 10_000)
        #expect(harness.calls.all.count == 10_000)
        #expect(harness.calls.all.allSatisfy { $0.lateness == .zero })
        let last = try #require(try harness.runs().last)
        #expect(last.started == job.created.advanced(by: interval * 10_000))
        #expect(try harness.job().occurrenceCount == 10_000)
    }

    @Test("a job in the far future costs one timer and runs on time")
    func far() throws {
        let harness = try SchedulerHarness()
        let idle = harness.time.pendingTimerCount
        for number in 0..<100 { try harness.submit("job\(number)", .after(.seconds(3_600 + number))) }
        #expect(harness.time.pendingTimerCount == idle + 1)
        let before = harness.time.engine.statistics.wakeUps
        harness.advance(3_500)
        #expect(harness.time.engine.statistics.wakeUps == before)
        harness.advance(300)
        #expect(harness.calls.seconds == (0..<100).map { Double(3_600 + $0) })
        #expect(harness.time.pendingTimerCount == idle)
    }

    @Test("more jobs than fit into memory all run")
    func manyJobs() throws {
        let harness = try SchedulerHarness(configuration: .init(maximumLoaded: 10, bootID: "boot"))
        for number in 0..<100 { try harness.submit("job\(number)", .after(.seconds(20))) }
        try harness.crash()
        harness.advance(30)
        #expect(harness.calls.all.count == 100)
        #expect(harness.calls.seconds.allSatisfy { $0 >= 20 && $0 < 21.5 })
    }

    @Test("no more handlers run at once than the limit, and the earliest due goes first")
    func concurrency() throws {
        let harness = try SchedulerHarness(configuration: .init(maximumConcurrentRuns: 2, bootID: "boot"))
        for number in [5, 3, 1, 4, 2] { try harness.submit("job\(number)", .after(.seconds(number)), kind: "slow") }
        harness.advance(100)
        #expect(harness.calls.all.map(\.job) == ["job1", "job2", "job3", "job4", "job5"])
        #expect(harness.calls.seconds == [1, 2, 11, 12, 21])
        #expect(harness.calls.mostRunning == 2)
    }

    @Test("a job whose kind has no handler waits until one is registered, also by the next start")
    func noHandler() throws {
        let harness = try SchedulerHarness()
        try harness.submit("here", .after(.seconds(1)), kind: "strange")
        try harness.submit("next", .after(.seconds(1)), kind: "stranger")
        harness.advance(10)
        #expect(try harness.history("here") == ["1 waiting"])
        let (calls, time) = (harness.calls, harness.time)
        harness.scheduler.register("strange") { try await calls.run("strange", $0, time) }
        harness.advance(0)
        #expect(harness.calls.all.map(\.job) == ["here"])
        try harness.crash()
        harness.scheduler.register("stranger") { try await calls.run("stranger", $0, time) }
        harness.advance(0)
        #expect(harness.calls.all.map(\.job) == ["here", "next"])
        #expect(try harness.history("next") == ["1 succeeded"])
        try harness.check("next")
    }

    @Test("a failing run is retried with growing delays, and its outcome is the last failure")
    func retry() throws {
        let harness = try SchedulerHarness()
        harness.calls.failNext(3)
        let retry = RetryPolicy.exponential(attempts: 3, from: .seconds(2), jitter: 0)
        try harness.submit(.after(.seconds(1)), kind: "failing", .init(retry: retry))
        harness.advance(100)
        #expect(harness.calls.seconds == [1, 3, 7])
        #expect(try harness.history() == ["1 failed(no luck)", "1.2 failed(no luck)", "1.3 failed(no luck)"])
        #expect(try harness.runs().map(\.isFinal) == [false, false, true])
        #expect(try harness.runs().allSatisfy { $0.exitCode == 3 })
        try harness.check()
    }

    @Test("a handler that takes too long is cancelled, and has failed")
    func timeout() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow", .init(timeLimit: .seconds(4)))
        harness.advance(4.999)
        #expect(harness.calls.reasons.isEmpty)
        harness.advance(0.001)
        #expect(harness.calls.reasons == [.timedOut])
        #expect(try harness.history() == ["1 failed(timedOut)"])
    }

    @Test(
        "an occurrence that meets an open one follows the overlap policy",
        arguments: [
            (
                OverlapPolicy.skip, ["1 succeeded", "2-3 skipped(overlap)", "4 succeeded"],
                [4.0, 16]
            ),
            (.queue(limit: 1), ["1 succeeded", "2 succeeded", "3 skipped(queueFull)", "4 succeeded"], [4, 14, 24]),
            (.allow(limit: 2), ["1 succeeded", "2 succeeded", "3 skipped(overlap)", "4 succeeded"], [4, 8, 16]),
            (
                .replace, ["1 cancelled(replaced)", "2 cancelled(replaced)", "3 cancelled(replaced)", "4 succeeded"],
                [4, 8, 12, 16]
            ),
        ])
    func overlap(_ policy: OverlapPolicy, _ history: [String], _ seconds: [Double]) throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(4), count: 4), kind: "slow", .init(overlap: policy))
        harness.advance(100)
        #expect(try harness.history() == history)
        #expect(harness.calls.seconds == seconds)
        #expect(harness.calls.reasons.allSatisfy { $0 == .replaced })
        try harness.check()
    }

    @Test("cancelling notifies the running handler; its outcome is cancelled, and nothing follows")
    func cancel() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(4)), kind: "slow", .init(overlap: .queue()))
        harness.advance(9)
        let job = try harness.perform { try await $0.cancel(JobID("job")) }
        #expect(job.state == .cancelled)
        harness.advance(100)
        #expect(harness.calls.reasons == [.cancelled])
        #expect(try harness.history() == ["1 cancelled(cancelled)", "2 cancelled(cancelled)"])
        let again = try harness.perform { try await $0.cancel(JobID("job")) }
        #expect(again.state == .cancelled)
        try harness.check()
    }

    @Test("a suspended relative job keeps the remainder of its interval")
    func suspend() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(10)))
        harness.advance(13)
        let suspended = try harness.perform { try await $0.suspend(JobID("job")) }
        #expect(suspended.remainder == .seconds(7))
        harness.advance(1_000)
        let resumed = try harness.perform { try await $0.resume(JobID("job")) }
        #expect(resumed.nextDue == harness.at(1_020))
        harness.advance(20)
        #expect(harness.calls.seconds == [10, 1_020, 1_030])
        try harness.check()
    }

    @Test("a suspended job at an instant that passes runs late when it is resumed")
    func suspendAt() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.at(harness.at(10)))
        _ = try harness.perform { try await $0.suspend(JobID("job")) }
        harness.advance(500)
        #expect(harness.calls.all.isEmpty)
        _ = try harness.perform { try await $0.resume(JobID("job")) }
        harness.advance(0)
        #expect(harness.calls.seconds == [500])
    }

    @Test("a manual run begins at once in addition to the trigger's, also while the job is suspended")
    func runNow() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(10), count: 1))
        let run = try harness.perform { try await $0.runNow(JobID("job")) }
        #expect(run.occurrence == 0)
        harness.advance(1)
        _ = try harness.perform { try await $0.suspend(JobID("job")) }
        _ = try harness.perform { try await $0.runNow(JobID("job")) }
        harness.advance(1)
        #expect(harness.calls.seconds == [0, 1])
        #expect(harness.calls.occurrences.allSatisfy { $0 <= 0 })
        #expect(Set(harness.calls.occurrences).count == 2)
        #expect(try harness.job().occurrenceCount == 0)
        try harness.check()
    }

    @Test("submitting again replaces: the old job's handler is cancelled, the new one runs")
    func replaced() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        try harness.submit(.after(.seconds(1)))
        harness.advance(10)
        #expect(harness.calls.reasons == [.replaced])
        #expect(harness.calls.seconds == [1, 3])
        #expect(try harness.history() == ["1 succeeded"])
    }

    @Test("the request decides whether a job with a taken identifier is kept or the request refused")
    func conflicts() throws {
        let harness = try SchedulerHarness()
        let old = try harness.submit(.after(.seconds(1)))
        #expect(try harness.submit(.after(.seconds(9)), conflict: .keep) == old)
        let error = #expect(throws: JobError.self) { try harness.submit(.after(.seconds(9)), conflict: .refuse) }
        #expect(error?.code == .alreadyExists)
    }

    @Test("several requests are submitted in one commit, or none of them")
    func batch() throws {
        let harness = try SchedulerHarness()
        let requests = (0..<50).map { JobRequest(id: JobID("j\($0)"), kind: "work", trigger: .after(.seconds(5))) }
        let before = harness.store.commits
        let jobs = try harness.perform { try await $0.submit(requests) }
        #expect(jobs.map(\.id) == requests.map(\.id))
        #expect(harness.store.commits == before + 1)
        var bad = requests
        bad[7].conflict = .refuse
        bad[9].id = JobID("new")
        let refused = bad
        #expect(throws: JobError.self) { () throws in
            _ = try harness.perform { try await $0.submit(refused) }
        }
        let new = try harness.perform { try await $0.job(JobID("new")) }
        #expect(new == nil)
        harness.advance(5)
        #expect(harness.calls.all.count == 50)
    }

    @Test("events report what happens, in order")
    func events() throws {
        let harness = try SchedulerHarness()
        let stream = harness.scheduler.events()
        let names = harness.time.start {
            var names: [String] = []
            for await event in stream {
                names.append("\(event)".split(separator: "(").first.map(String.init) ?? "")
            }
            return names
        }
        try harness.submit(.after(.seconds(1)))
        harness.advance(2)
        try harness.perform { await $0.stop(grace: nil) }
        let found = try harness.time.perform { try await names.value }
        #expect(found.filter { $0 != "changed" } == ["submitted", "runStarted", "runEnded", "stopped"])
    }
}

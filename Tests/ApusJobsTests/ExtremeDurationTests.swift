import ApusBackground
import ApusJobs
import ApusJobsTesting
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Extreme durations of jobs")
struct ExtremeDurationTests {
    /// Submits `request`, and returns whether it was accepted; a refusal must have the code `invalid`.
    private func isTaken(_ request: JobRequest, _ harness: SchedulerHarness) throws -> Bool {
        do {
            _ = try harness.perform { try await $0.submit(request) }
            return true
        } catch let error as JobError {
            #expect(error.code == .invalid, "\(error)")
            return false
        }
    }

    private static let policies: [@Sendable (inout JobRequest, Duration) -> Void] = [
        { $0.policies.tolerance = $1 }, { $0.policies.grace = $1 }, { $0.policies.expiry = $1 },
        { $0.policies.timeLimit = $1 }, { $0.policies.retention = $1 },
        { $0.policies.retry = .exponential(attempts: 3, from: $1) },
        { $0.policies.retry = .exponential(attempts: 3, from: $1, to: $1) },
        { $0.policies.retry = .exponential(attempts: 3, to: $1) },
        { $0.policies.retry = .constant(attempts: 3, delay: $1) },
        { $0.uniqueness = .payload(within: $1) }, { $0.uniqueness = .key("key", within: $1) },
    ]

    @Test("a policy of any duration is refused, or its job runs", arguments: Duration.extremes)
    func policies(duration: Duration) throws {
        for change in Self.policies {
            for kind in ["work", "failing"] {
                let harness = try SchedulerHarness()
                harness.calls.failNext(2)
                var request = JobRequest(id: "job", kind: kind, trigger: .every(.seconds(60)))
                change(&request, duration)
                let isTaken = try isTaken(request, harness)
                #expect(isTaken || duration < .seconds(1) || duration >= .nanoseconds(Int64.max))
                harness.advance(61)
                if isTaken { _ = try harness.perform { try await $0.runNow("job") } }
                harness.advance(10)
                try harness.crash()
                harness.advance(200)
                if isTaken {
                    #expect(try !harness.runs().isEmpty, "\(duration)")
                    try harness.check()
                }
            }
        }
    }

    @Test("a trigger of any duration is refused, or has its occurrences", arguments: Duration.extremes)
    func triggers(duration: Duration) throws {
        for trigger in [.after(duration), .every(duration), .every(duration, anchoredAt: WallInstant(nanoseconds: 1))]
            as [Trigger]
        {
            let harness = try SchedulerHarness()
            var request = JobRequest(id: "job", kind: "work", trigger: trigger)
            request.policies.missedRuns = .skip
            let isTaken = try isTaken(request, harness)
            let upcoming = try? harness.scheduler.upcoming(of: trigger, limit: 3)
            #expect((upcoming != nil) == isTaken, "\(trigger)")
            if let upcoming { #expect(upcoming.map(\.due) == upcoming.map(\.due).sorted()) }
            // The steps are so short that few runs are made, and the history keeps all of them.
            harness.advance(duration < .milliseconds(1) ? 0.000_001 : duration < .seconds(1) ? 0.5 : 3)
            harness.time.moveWallClock(by: duration)
            harness.time.settle()
            if isTaken { try harness.check() }
        }
    }

    @Test("a queue's rate of any period is refused, or its jobs begin", arguments: Duration.extremes)
    func rates(duration: Duration) throws {
        let harness = try SchedulerHarness()
        let rate = QueueRate(runs: 1, per: duration)
        let isTaken = (try? harness.perform { try await $0.configure(queue: "disk", [.rate(rate)]) }) != nil
        #expect(isTaken == (duration >= .milliseconds(1) && duration < .nanoseconds(Int64.max)))
        for id in ["one", "two"] {
            let request = JobRequest(id: JobID(id), kind: "work", trigger: .after(.seconds(1)), queue: "disk")
            _ = try harness.perform { try await $0.submit(request) }
        }
        harness.advance(2)
        #expect(harness.calls.all.count == (isTaken && duration > .seconds(1) ? 1 : 2))
        _ = try harness.perform { try await $0.explain("two") }
    }

    private static let settings: [@Sendable (inout JobScheduler.Configuration, Duration) -> Void] = [
        { $0.horizon = $1 }, { $0.finishedJobsKept = $1 }, { $0.failedJobsKept = $1 }, { $0.cancellationGrace = $1 },
        { $0.abandonment = $1 }, { $0.storePatience = $1 },
    ]

    @Test("a scheduler with a setting of any duration runs jobs and stops", arguments: Duration.extremes)
    func settings(duration: Duration) throws {
        for change in Self.settings {
            var configuration = JobScheduler.Configuration(bootID: "boot")
            change(&configuration, duration)
            let harness = try SchedulerHarness(configuration: configuration)
            try harness.submit("one", .after(.seconds(1)))
            try harness.submit("two", .after(.seconds(1)), kind: "failing")
            try harness.submit("three", .after(.seconds(1)), kind: "stubborn")
            harness.advance(2)
            #expect(harness.calls.all.count == 3, "\(duration)")
            _ = try? harness.perform { try await $0.cancel("three") }
            harness.advance(1_000)
            try harness.submit("four", .every(.seconds(60)))
            harness.advance(100)
            #expect(harness.calls.all.contains { $0.job == "four" }, "\(duration)")
            try harness.crash()
            harness.advance(100)
        }
    }

    @Test("a stop with any grace ends the scheduler", arguments: Duration.extremes)
    func grace(duration: Duration) throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        let scheduler = harness.scheduler
        let stop = harness.time.start { await scheduler.stop(grace: duration) }
        // The handler takes ten seconds.
        harness.advance(20)
        #expect(throws: JobError.self) { try harness.submit("late", .after(.seconds(1))) }
        try harness.time.perform { try await stop.value }
    }

    @Test("a decision with any delay leads to another attempt", arguments: Duration.extremes)
    func decisions(duration: Duration) throws {
        for decision in [RunDecision.retry(after: duration, reason: "later"), .snooze(for: duration)] {
            let harness = try SchedulerHarness()
            let attempts = Log<Duration?>()
            harness.scheduler.register("deciding") { context in
                attempts.add(context.timeRemaining)
                throw decision
            }
            var policies = JobPolicies(retry: .exponential(attempts: 2))
            policies.timeLimit = .seconds(5)
            try harness.submit(.after(.seconds(1)), kind: "deciding", policies)
            harness.advance(10)
            #expect(attempts.all.count == 1 || duration <= .seconds(10), "\(duration)")
            #expect(attempts.all.count > 1 || duration > .seconds(1), "\(duration)")
            try harness.check()
        }
    }

    @Test("any duration has a text in each form", arguments: Duration.extremes)
    func texts(duration: Duration) throws {
        for text in [DurationText.format(duration), DurationText.iso8601(duration)] {
            #expect(text.hasPrefix("-") == (duration.clamped < .zero), "\(text)")
            guard duration.clamped > .zero, duration <= DurationText.longest else { continue }
            #expect(try DurationText.parse(text) == duration.clamped)
        }
    }

    @Test("a tester runs what is due within any duration", arguments: Duration.extremes)
    func tester(duration: Duration) throws {
        let tester = try JobTester { $0.register("work") { _ in } }
        try tester.time.perform { [scheduler = tester.scheduler] in
            _ = try await scheduler.submit(JobRequest(id: "job", kind: "work", trigger: .after(.seconds(1))))
        }
        #expect(tester.runAllDue(within: duration).count == (duration >= .seconds(1) ? 1 : 0))
    }
}

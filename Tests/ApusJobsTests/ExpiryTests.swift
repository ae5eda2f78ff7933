import ApusBackground
import ApusJobs
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Occurrences that expire")
struct ExpiryTests {
    /// Returns a scheduler with one job that waits in a paused queue.
    private func waiting(_ trigger: Trigger, kind: String = "work", _ policies: JobPolicies) throws -> SchedulerHarness
    {
        let harness = try SchedulerHarness()
        _ = try harness.perform { try await $0.configure(queue: .default, .paused(true)) }
        try harness.submit(trigger, kind: kind, policies)
        return harness
    }

    private func resume(_ harness: SchedulerHarness) throws {
        _ = try harness.perform { try await $0.configure(queue: .default, .paused(false)) }
        harness.advance(1)
    }

    @Test(
        "a waiting occurrence can begin until it expires, and never after that",
        arguments: [(70, ["1 succeeded"]), (72, ["1 skipped(expired)"])])
    func limit(_ second: Int, _ history: [String]) throws {
        let harness = try waiting(.after(.seconds(10)), .init(tolerance: .seconds(1), expiry: .seconds(60)))
        harness.advance(Double(second))
        try resume(harness)
        #expect(try harness.history() == history)
        #expect(harness.calls.all.count == (history == ["1 succeeded"] ? 1 : 0))
        #expect(try harness.job().state == .finished)
        try harness.check()
    }

    @Test("an occurrence expires under each policy that lets it wait, and the next occurrence has its turn")
    func overlaps() throws {
        for overlap: OverlapPolicy in [.queue(), .allow()] {
            let harness = try waiting(
                .every(.seconds(10), count: 4), .init(expiry: .seconds(15), overlap: overlap))
            harness.advance(42)
            try resume(harness)
            #expect(try harness.history().prefix(2) == ["1 skipped(expired)", "2 skipped(expired)"], "\(overlap.name)")
            #expect(harness.calls.occurrences == [3, 4], "\(overlap.name)")
            try harness.check()
        }
    }

    @Test(
        "an occurrence that no scheduler could run also expires, whatever the policy for missed runs",
        arguments: [MissedRunPolicy.runOnce, .skip, .runAll()])
    func missed(_ missed: MissedRunPolicy) throws {
        let harness = try SchedulerHarness()
        let policies = JobPolicies(missedRuns: missed, grace: .seconds(1_000), expiry: .seconds(5))
        try harness.submit(.every(.seconds(10), count: 3), policies)
        try harness.time.perform(advancingTime: true) { [scheduler = harness.scheduler] in
            await scheduler.stop(grace: .zero)
        }
        harness.advance(37)
        try harness.crash()
        harness.advance(1)
        #expect(try harness.history() == ["1-3 skipped(expired)"])
        #expect(try harness.job().missedCount == 0)
        try harness.check()
    }

    @Test("an attempted occurrence does not expire, and neither does a manual run")
    func attempted() throws {
        let harness = try SchedulerHarness()
        try harness.submit(
            .after(.seconds(1)), kind: "failing",
            .init(expiry: .seconds(2), retry: .exponential(attempts: 3, from: .seconds(100), jitter: 0)))
        harness.calls.failNext(2)
        harness.advance(400)
        #expect(harness.calls.all.count == 3)
        let byHand = try waiting(.after(.seconds(1_000)), .init(expiry: .seconds(2)))
        _ = try byHand.perform { try await $0.runNow("job") }
        byHand.advance(100)
        try resume(byHand)
        #expect(byHand.calls.all.count == 1)
        try harness.check()
    }

    @Test(
        "submitting a job of which only an expired occurrence is left is followed by a run",
        arguments: [ConflictPolicy.update, .keep, .replace, .refuse])
    func resubmission(_ conflict: ConflictPolicy) throws {
        for isExamined in [false, true] {
            let harness = try waiting(
                isExamined ? .every(.seconds(1), count: 1) : .after(.seconds(1)),
                .init(missedRuns: isExamined ? .skip : .runOnce, expiry: .seconds(10)))
            harness.advance(60)
            let request = JobRequest(
                id: "job", kind: "work", trigger: .after(.zero), policies: .init(expiry: .seconds(10)),
                conflict: conflict)
            let outcome = try harness.perform { try await $0.submit(request) }.outcome
            #expect(outcome == .inserted, "\(isExamined)")
            try resume(harness)
            #expect(try harness.history() == ["1 succeeded"], "\(isExamined)")
            try harness.check()
        }
    }

    @Test("an expired occurrence is not retried")
    func retry() throws {
        let harness = try waiting(.every(.seconds(10), count: 2), .init(expiry: .seconds(5)))
        harness.advance(12)
        #expect(try harness.history() == ["1 waiting"])
        harness.advance(20)
        try resume(harness)
        let error = #expect(throws: JobError.self) {
            try harness.perform { try await $0.retry("job", occurrence: 1) }
        }
        #expect(error?.code == .invalid && error?.message.contains("is skipped") == true, "\(error?.message ?? "")")
    }

    @Test("the explanation says when an occurrence expires, that it has expired, and why it was skipped")
    func explained() throws {
        let harness = try waiting(.after(.seconds(10)), .init(expiry: .seconds(60)))
        func why() throws -> String {
            try harness.perform { try await $0.explain("job") }.decisions.map(\.text).joined(separator: "; ")
        }
        harness.advance(20)
        #expect(try why().contains("it is skipped if it has not begun by then"))
        harness.advance(60)
        #expect(try why().contains("it has expired, and is skipped when its turn comes"))
        try resume(harness)
        #expect(try why().contains("it was skipped: it had not begun before it expired"))
    }

    @Test("an expired occurrence and the late ones after it form one range, also over a restart")
    func ranges() throws {
        let harness = try waiting(.every(.seconds(10), count: 4), .init(expiry: .seconds(5)))
        harness.advance(12)
        #expect(try harness.history() == ["1 waiting"])
        try harness.time.perform(advancingTime: true) { [scheduler = harness.scheduler] in
            await scheduler.stop(grace: .zero)
        }
        harness.advance(40)
        try harness.crash()
        harness.advance(1)
        #expect(try harness.history() == ["1-4 skipped(expired)"])
        #expect(try harness.job().state == .finished)
        try harness.check()
    }
}

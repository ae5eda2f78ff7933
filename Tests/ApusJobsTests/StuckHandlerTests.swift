import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import CoreMetrics
import MetricsTestKit
import Testing

/// The tests run in virtual time, with handlers that ignore cancellation and return only when the test lets them.
@Suite("Handlers that do not return")
struct StuckHandlerTests {
    /// Holds the continuations of handlers of the kind `stuck`, oldest first.
    private final class Waiting: Sendable {
        private let waiters = Locked<[CheckedContinuation<Void, Never>]>([])

        var count: Int { waiters.withLock(\.count) }
        func wait() async { await withCheckedContinuation { waiter in waiters.withLock { $0.append(waiter) } } }
        func endFirst() { waiters.withLock { $0.removeFirst() }.resume() }
    }

    private func harness(
        _ waiting: Waiting, abandonment: Duration? = .seconds(300)
    ) throws -> SchedulerHarness {
        let harness = try SchedulerHarness(
            configuration: .init(maximumConcurrentRuns: 1, bootID: "boot", abandonment: abandonment))
        harness.scheduler.register("stuck") { _ in await waiting.wait() }
        return harness
    }

    @Test(
        "a stuck handler is shown after 10 s and abandoned after 5 min: its place is freed, and its return has no effect"
    )
    func givenUp() throws {
        let waiting = Waiting()
        let harness = try harness(waiting)
        try harness.submit(.after(.seconds(1)), kind: "stuck", .init(timeLimit: .seconds(5)))
        try harness.submit("next", .after(.seconds(2)))
        harness.advance(15.9)
        #expect(harness.scheduler.stuckHandlers().isEmpty)
        harness.advance(0.2)
        let stuck = harness.scheduler.stuckHandlers()
        #expect(stuck.map(\.jobID) == ["job"] && stuck.map(\.reason) == [.timedOut])
        #expect(stuck.map(\.isAbandoned) == [false] && stuck.map(\.duration) == [.milliseconds(10_100)])
        let decisions = try harness.perform { try await $0.explain("job") }.decisions
        #expect(decisions.contains { $0.code == .stuck && $0.text.contains("timedOut") })
        harness.advance(289.8)
        #expect(try harness.history() == ["1 running"] && harness.calls.seconds.isEmpty)
        harness.advance(0.2)
        #expect(try harness.history() == ["1 lost(abandoned)"])
        #expect(harness.calls.seconds == [306])
        #expect(try harness.job().state == .finished)
        #expect(harness.scheduler.stuckHandlers().map(\.isAbandoned) == [true])
        let why = try harness.perform { try await $0.explain("job", occurrence: 1) }.decisions
        #expect(why.contains { $0.code == .lost && $0.text.contains("given up") })
        waiting.endFirst()
        harness.advance(10)
        #expect(try harness.history() == ["1 lost(abandoned)"])
        #expect(harness.scheduler.stuckHandlers().isEmpty)
        try harness.check()
    }

    @Test("an attempt abandoned after its time limit is retried, and its handler's late return does not end the retry")
    func triedAgain() throws {
        let waiting = Waiting()
        let harness = try harness(waiting)
        try harness.submit(
            .after(.seconds(1)), kind: "stuck",
            .init(retry: .exponential(attempts: 2, from: .seconds(10), jitter: 0), timeLimit: .seconds(5)))
        harness.advance(317)
        #expect(try harness.history() == ["1 lost(abandoned)", "1.2 running"])
        #expect(waiting.count == 2)
        waiting.endFirst()
        harness.advance(1)
        #expect(try harness.history() == ["1 lost(abandoned)", "1.2 running"])
        waiting.endFirst()
        harness.advance(1)
        #expect(try harness.history() == ["1 lost(abandoned)", "1.2 succeeded"])
        try harness.check()
    }

    @Test("the metric counts stuck handlers until they return, abandoned or not")
    func counted() throws {
        let (waiting, backend) = (Waiting(), TestMetrics())
        let harness = try harness(waiting)
        harness.scheduler.reportMetrics(to: backend)
        try harness.submit(.after(.seconds(1)), kind: "stuck", .init(timeLimit: .seconds(5)))
        var counts: [Double?] = []
        for seconds in [15.0, 2, 300] {
            harness.advance(seconds)
            counts.append((try? backend.expectMeter("apus.jobs.stuck", []))?.values.last)
        }
        waiting.endFirst()
        harness.advance(1)
        counts.append(try backend.expectMeter("apus.jobs.stuck", []).values.last)
        #expect(counts == [nil, 1, 1, 0])
    }

    @Test("a cancelled run ends as cancelled when its handler is abandoned")
    func cancelled() throws {
        let waiting = Waiting()
        let harness = try harness(waiting)
        try harness.submit(.every(.seconds(10)), kind: "stuck")
        harness.advance(11)
        try harness.perform { _ = try await $0.cancelRun("job", occurrence: 1) }
        harness.advance(299)
        #expect(try harness.history().first == "1 running(cancelled)")
        harness.advance(2)
        #expect(try harness.history().first == "1 cancelled(cancelled)")
        waiting.endFirst()
        harness.advance(20)
        // The abandoned handler no longer takes a place, so the handler of the next occurrence was called.
        #expect(waiting.count == 1)
        try harness.check()
    }

    @Test("a stuck handler that returns still has the outcome of its time limit")
    func returnsInTime() throws {
        let waiting = Waiting()
        let harness = try harness(waiting)
        try harness.submit(.after(.seconds(1)), kind: "stuck", .init(timeLimit: .seconds(5)))
        harness.advance(200)
        waiting.endFirst()
        harness.advance(200)
        #expect(try harness.history() == ["1 failed(timedOut)"])
        #expect(harness.scheduler.stuckHandlers().isEmpty)
        try harness.check()
    }

    @Test("without an abandonment limit, the scheduler waits for a stuck handler without end")
    func waitedFor() throws {
        let waiting = Waiting()
        let harness = try harness(waiting, abandonment: nil)
        try harness.submit(.after(.seconds(1)), kind: "stuck", .init(timeLimit: .seconds(5)))
        harness.advance(100_000)
        #expect(try harness.history() == ["1 running"])
        #expect(harness.scheduler.stuckHandlers().map(\.isAbandoned) == [false])
        waiting.endFirst()
        harness.advance(1)
        #expect(try harness.history() == ["1 failed(timedOut)"])
    }
}

import ApusJobs
import ApusTimers
import ApusVirtualTime
import CoreMetrics
import MetricsTestKit
import Testing

@Suite("Metrics of jobs")
struct JobMetricsTests {
    private let backend = TestMetrics()
    private let harness: SchedulerHarness

    init() throws {
        harness = try SchedulerHarness(
            configuration: .init(horizon: .seconds(1_000), maximumConcurrentRuns: 2, bootID: "boot"), start: false)
    }

    private func start() throws {
        harness.scheduler.reportMetrics(to: backend, dimensions: [("scheduler", "main")])
        try harness.start()
    }

    /// Returns the number of runs of the kind and queue that ended with the outcome.
    private func ended(_ outcome: String, kind: String = "work", queue: String = "default") -> Int64 {
        let dimensions = [("outcome", outcome), ("kind", kind), ("queue", queue), ("scheduler", "main")]
        return (try? backend.expectCounter("apus.jobs.runs", dimensions))?.totalValue ?? 0
    }

    private func times(_ name: String, kind: String) -> [Int64] {
        let dimensions = [("kind", kind), ("queue", "default"), ("scheduler", "main")]
        return (try? backend.expectTimer("apus.jobs.\(name)", dimensions))?.values ?? []
    }

    private func meter(_ name: String, queue: String = "default") -> Double? {
        (try? backend.expectMeter("apus.jobs.\(name)", [("queue", queue), ("scheduler", "main")]))?.values.last
    }

    @Test("each attempt that ends is counted by its outcome, its kind and its queue")
    func outcomes() throws {
        try start()
        harness.calls.failNext(2)
        try harness.submit("a", .after(.seconds(1)))
        try harness.submit("b", .after(.seconds(1)), kind: "failing", .init(retry: .exponential(attempts: 3)))
        let mail = JobRequest(id: JobID("c"), kind: "work", trigger: .after(.seconds(1)), queue: "mail")
        try harness.perform { _ = try await $0.submit(mail) }
        harness.advance(60)
        #expect(ended("succeeded") == 1)
        #expect(ended("succeeded", queue: "mail") == 1)
        #expect(ended("failed", kind: "failing") == 2)
        #expect(ended("succeeded", kind: "failing") == 1)
        #expect(backend.counters.count == 4)
    }

    @Test("of 3,000 queues, 100 have their own metrics, and the rest share one sum")
    func manyQueues() throws {
        try start()
        let requests = (0..<3_000).map {
            JobRequest(
                id: JobID("job\($0)"), kind: "work", trigger: .after(.seconds(1)), queue: QueueID("queue\($0)"))
        }
        try harness.perform { _ = try await $0.submit(requests) }
        harness.advance(60)
        #expect(harness.calls.all.count == 3_000)
        let total = backend.counters.map { $0.totalValue }.reduce(0, +)
        #expect(total == 3_000 && backend.counters.count == 101, "\(backend.counters.count)")
        #expect(ended("succeeded", kind: "other", queue: "other") == 2_900)
        #expect(backend.timers.count == 2 * 101 && backend.meters.count == 2 * 101)
        #expect(meter("waiting", queue: "other") == 0)
        // A turn reports only the queues that it has changed, so there are few reports.
        let reports = backend.meters.map(\.values.count).reduce(0, +)
        #expect(reports < 4 * 3_000, "\(reports)")
    }

    @Test("runs cancelled while waiting and runs interrupted by a crash are counted")
    func withoutHandlers() throws {
        try start()
        harness.calls.failNext(1)
        let patient = RetryPolicy.exponential(attempts: 2, from: .seconds(60))
        try harness.submit("c", .after(.seconds(1)), kind: "failing", .init(retry: patient))
        harness.advance(2)
        _ = try harness.perform { try await $0.cancel(JobID("c")) }
        #expect(ended("failed", kind: "failing") == 1 && ended("cancelled", kind: "failing") == 1)
        for name in ["a", "b"] { try harness.submit(name, .after(.seconds(1)), kind: "slow") }
        harness.advance(3)
        try harness.crash { $0.reportMetrics(to: backend, dimensions: [("scheduler", "main")]) }
        harness.advance(20)
        #expect(ended("lost", kind: "slow") == 2)
        #expect(ended("succeeded", kind: "slow") == 2)
    }

    @Test("skipped occurrences are counted one by one, also when their range grows")
    func skipped() throws {
        try start()
        try harness.submit(.every(.seconds(4)), kind: "slow")
        harness.advance(9)
        #expect(ended("skipped", kind: "slow") == 1)
        harness.advance(4)
        #expect(ended("skipped", kind: "slow") == 2)
        harness.advance(4 * 30)
        let job = try harness.job()
        #expect(Int64(job.occurrenceCount) == ended("skipped", kind: "slow") + ended("succeeded", kind: "slow"))
        #expect(ended("skipped", kind: "slow") > 15)
    }

    @Test("each occurrence of a skipped range is counted")
    func coalesced() throws {
        try start()
        try harness.submit(.every(.seconds(100)))
        harness.advance(1)
        try harness.perform { await $0.stop(grace: nil) }
        harness.advance(950)
        try harness.crash { $0.reportMetrics(to: backend, dimensions: [("scheduler", "main")]) }
        harness.advance(1)
        #expect(ended("succeeded") == 1 && ended("skipped") == 8)
    }

    @Test("a metric's name begins with the label, each queue has its own timers, and sleep does not count as duration")
    func labels() throws {
        harness.scheduler.reportMetrics(to: backend, label: "mine")
        let clock = TimerClock<UptimeInstant>(engine: harness.time.engine)
        harness.scheduler.register("sleepy") { _ in try await clock.sleep(for: .seconds(10)) }
        try harness.start()
        let request = JobRequest(id: JobID("job"), kind: "sleepy", trigger: .after(.seconds(1)), queue: "mail")
        try harness.perform { _ = try await $0.submit(request) }
        harness.advance(2)
        harness.time.sleepOnly(for: .seconds(60))
        harness.advance(20)
        let timer = try backend.expectTimer("mine.duration", [("kind", "sleepy"), ("queue", "mail")])
        #expect(timer.values == [10_000_000_000])
        let dimensions = [("outcome", "succeeded"), ("kind", "sleepy"), ("queue", "mail")]
        #expect(try backend.expectCounter("mine.runs", dimensions).totalValue == 1)
        let other = TestMetrics()
        harness.scheduler.reportMetrics(to: other, label: "mine")
        try harness.submit("next", .after(.seconds(1)))
        harness.advance(2)
        #expect(backend.counters.count == 1 && other.counters.count == 1, "a later backend replaces the earlier one")
    }

    @Test("an outcome whose write is retried is counted once")
    func triedAgain() throws {
        try start()
        harness.calls.failNext(1)
        let events = harness.scheduler.events()
        try harness.submit(.after(.seconds(1)), kind: "failing")
        harness.advance(2)
        _ = try harness.perform { try await $0.retry(JobID("job")) }
        harness.advance(2)
        #expect(ended("failed", kind: "failing") == 1)
        #expect(ended("succeeded", kind: "failing") == 1)
        let ends = try harness.perform { scheduler in
            await scheduler.stop(grace: .zero)
            var ends: [RunState] = []
            for await case .runEnded(let run) in events { ends.append(run.state) }
            return ends
        }
        #expect(ends == [.failed, .succeeded], "nor is it an event")
    }

    @Test("the duration of handlers and the lateness of first attempts are nanoseconds that are shown as milliseconds")
    func durations() throws {
        try start()
        for name in ["a", "b", "c"] { try harness.submit(name, .after(.seconds(1)), kind: "slow") }
        harness.calls.failNext(1)
        try harness.submit("d", .after(.seconds(30)), kind: "failing", .init(retry: .exponential(attempts: 2)))
        harness.advance(60)
        #expect(times("duration", kind: "slow") == [10_000_000_000, 10_000_000_000, 10_000_000_000])
        #expect(times("lateness", kind: "slow") == [0, 0, 10_000_000_000])
        #expect(times("duration", kind: "failing") == [0, 0])
        #expect(times("lateness", kind: "failing") == [0], "a retry has no lateness")
        #expect(backend.timers.allSatisfy { $0.displayUnit == .milliseconds })
    }

    @Test("a postponed run's duration is recorded once it has run")
    func postponed() throws {
        try start()
        harness.calls.postponeNext(1)
        try harness.submit(.after(.seconds(1)), kind: "scarce")
        harness.advance(5)
        #expect(times("duration", kind: "scarce") == [0])
        #expect(times("lateness", kind: "scarce") == [1_000_000_000])
        #expect(ended("succeeded", kind: "scarce") == 1)
    }

    @Test("the numbers of runs in progress and of waiting jobs are known for each queue, and are zero at the end")
    func running() throws {
        try start()
        for name in ["a", "b", "c"] { try harness.submit(name, .after(.seconds(1)), kind: "slow") }
        harness.advance(2)
        #expect(meter("running") == 2 && meter("waiting") == 1)
        harness.advance(10)
        #expect(meter("running") == 1 && meter("waiting") == 0)
        harness.advance(10)
        #expect(meter("running") == 0)
        try harness.submit("d", .after(.seconds(1)), kind: "stubborn")
        harness.advance(2)
        #expect(meter("running") == 1)
        let stop = harness.time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: .zero) }
        harness.advance(2)
        try harness.time.perform { try await stop.value }
        #expect(meter("running") == 0)
    }

    @Test("no metrics are reported unless they are enabled")
    func silent() throws {
        try harness.start()
        try harness.submit(.after(.seconds(1)))
        harness.advance(2)
        harness.scheduler.reportMetrics(to: backend)
        #expect(backend.counters.isEmpty && backend.timers.isEmpty && backend.meters.isEmpty)
        try harness.submit("other", .after(.seconds(1)))
        harness.advance(2)
        let dimensions = [("outcome", "succeeded"), ("kind", "work"), ("queue", "default")]
        #expect(try backend.expectCounter("apus.jobs.runs", dimensions).totalValue == 1)
    }
}

import ApusJobs
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("The history of a job")
struct HistoryTests {
    @Test("consecutive skips form one run, also when the job was reloaded in between")
    func skipsInARow() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(1), count: 30), kind: "slow")
        harness.advance(5.5)
        #expect(try harness.history() == ["1 running", "2-5 skipped(overlap)"])
        #expect(try harness.runs().map(\.skipReason) == [nil, .overlap])
        // The attempt in progress is lost and repeated. The occurrences that are skipped meanwhile extend the range of
        // those that were skipped before the crash.
        try harness.crash()
        harness.advance(4)
        #expect(try harness.history() == ["1 lost(interrupted)", "2-9 skipped(overlap)", "1.2 running"])
        harness.advance(60)
        let finals = try harness.runs().filter(\.isFinal)
        #expect(finals.count == 6 && finals.filter { $0.state == .skipped }.count == 3, "\(finals)")
        #expect(try harness.job().occurrenceCount == 30)
        try harness.check()
    }

    @Test("a skip for another reason, or after a run, begins a new range")
    func otherRanges() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(4), count: 6), kind: "slow", JobPolicies(missedRuns: .skip))
        harness.advance(13)
        let scheduler = harness.scheduler
        try harness.time.perform(advancingTime: true) { await scheduler.stop(grace: .zero) }
        harness.time.advance(by: .seconds(9))
        try harness.crash()
        harness.advance(100)
        let skipped = try harness.history().filter { $0.contains("skipped") }
        #expect(skipped == ["2-3 skipped(overlap)", "4 skipped(missed)", "5-6 skipped(overlap)"])
        #expect(try harness.job().occurrenceCount == 6)
        try harness.check()
    }

    @Test("a job that is skipped many times during each run keeps the history of its attempts")
    func skipsEvictNothing() throws {
        let harness = try SchedulerHarness(configuration: .init(historyRunsPerJob: 20, bootID: "boot"))
        try harness.submit(.every(.milliseconds(500)), kind: "slow")
        harness.advance(3_700)
        let runs = try harness.runs()
        // One of the twenty runs that are kept may be in progress.
        #expect(runs.count { $0.state == .succeeded } >= 19, "\(runs.count) runs")
        #expect(runs.count < 50)
    }

    @Test("the history of a job that never leaves memory stays bounded for a week")
    func prunedWhileNear() throws {
        let harness = try SchedulerHarness(configuration: .init(historyRunsPerJob: 10, bootID: "boot"))
        try harness.submit(.every(.seconds(30)))
        for _ in 0..<(24 * 7) {
            harness.advance(3_600)
            #expect(try harness.runs().count <= 12)
        }
        #expect(harness.calls.all.count == 24 * 7 * 120)
    }

    @Test("lateness is measured at the first attempt; a retry reports its lateness after its pause")
    func lateness() throws {
        let harness = try SchedulerHarness()
        harness.calls.failNext(2)
        try harness.submit(
            .after(.seconds(1)), kind: "failing",
            JobPolicies(retry: RetryPolicy.exponential(attempts: 3, from: .seconds(60), jitter: 0)))
        harness.advance(300)
        let runs = try harness.runs()
        #expect(runs.map(\.attempt) == [1, 2, 3] && runs.map(\.state) == [.failed, .failed, .succeeded])
        #expect(runs.map(\.lateness) == [.zero, nil, nil], "the pauses are not lateness")
        #expect(runs.map(\.retryLateness) == [nil, .zero, .zero])
        #expect(runs.map(\.started) == [harness.at(1), harness.at(61), harness.at(181)])
    }

    @Test("a run in progress says when it began and how late that was")
    func whileRunning() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(5)
        let run = try #require(try harness.runs().first)
        #expect(run.state == .running && run.begun == harness.at(1) && run.lateness == .zero)
    }
}

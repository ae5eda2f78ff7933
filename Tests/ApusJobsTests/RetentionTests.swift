import ApusJobs
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("How long ended jobs are kept")
struct RetentionTests {
    private let harness: SchedulerHarness

    init() throws {
        harness = try SchedulerHarness(
            configuration: .init(
                finishedJobsKept: .seconds(2 * 3_600), failedJobsKept: .seconds(20 * 3_600), bootID: "boot"))
    }

    /// Advances the time, and then writes something.
    ///
    /// Ended jobs are pruned once an hour, when something is written.
    private func pass(hours: Double) throws {
        harness.advance(hours * 3_600)
        _ = try harness.perform { try await $0.configure(queue: "q", .concurrency(2)) }
        harness.advance(1)
    }

    private func ids() throws -> Set<String> {
        try Set(harness.perform { try await $0.jobs(JobQuery()).jobs.map(\.id.rawValue) })
    }

    @Test("a failed job is kept longer than a succeeded one, and a cancelled job is not")
    func failed() throws {
        harness.calls.failNext(2)
        try harness.submit("failed", .after(.zero), kind: "failing")
        try harness.submit("succeeded", .after(.seconds(1)))
        try harness.submit("cancelled", .after(.seconds(60)))
        harness.advance(1)
        _ = try harness.perform { try await $0.cancel("cancelled") }
        for (id, hours) in [("failed", 20), ("succeeded", 2), ("cancelled", 2)] as [(String, Int)] {
            let job = try harness.job(id)
            #expect(job.keptUntil == job.updated.advanced(by: .seconds(hours * 3_600)), "\(id)")
        }
        try pass(hours: 3)
        #expect(try ids() == ["failed"])
        try pass(hours: 20)
        #expect(try ids() == [])
    }

    @Test("a reactivated job is kept until it ends again, and then as its new end decides")
    func continued() throws {
        harness.calls.failNext(1)
        try harness.submit(.after(.zero), kind: "failing")
        harness.advance(1)
        _ = try harness.perform { try await $0.retry("job") }
        harness.advance(1)
        let job = try harness.job()
        #expect(job.state == .finished && job.keptUntil == job.updated.advanced(by: .seconds(2 * 3_600)))
        try harness.submit("open", .after(.seconds(60)))
        #expect(try harness.job("open").keptUntil == nil)
    }

    @Test(
        "a job can set its own retention, but is kept while its idempotency key is in force")
    func own() throws {
        try harness.submit("short", .after(.zero), .init(retention: .zero))
        harness.calls.failNext(1)
        try harness.submit("long", .after(.zero), kind: "failing", .init(retention: .seconds(50 * 3_600)))
        let keyed = JobRequest(
            id: "keyed", kind: "work", trigger: .after(.zero), policies: .init(retention: .zero), idempotencyKey: "key")
        _ = try harness.perform { try await $0.submit(keyed) }
        harness.advance(1)
        try pass(hours: 2)
        #expect(try ids() == ["keyed", "long"])
        #expect(try harness.perform { try await $0.submit(keyed) }.outcome == .joined)
        try pass(hours: 23)
        #expect(try ids() == ["long"])
        try pass(hours: 26)
        #expect(try ids() == [])
    }
}

import ApusJobsTesting
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusJobs

@Suite("Changing all jobs that match a query")
struct QueryChangeTests {
    private let harness: SchedulerHarness

    init() throws { harness = try SchedulerHarness() }

    private func count(_ query: JobQuery) throws -> Int { try harness.perform { try await $0.count(query) } }

    private func submit(
        _ ids: ClosedRange<Int>, kind: String = "work", after seconds: Int, in queue: QueueID = .default
    ) throws {
        let requests = ids.map {
            JobRequest(id: JobID("job\($0)"), kind: kind, trigger: .after(.seconds(seconds)), queue: queue)
        }
        _ = try harness.perform { try await $0.submit(requests) }
    }

    @Test("open jobs that match are cancelled, on however many pages, and no others")
    func cancel() throws {
        try submit(1...2_100, after: 60, in: "mail")
        try submit(3_001...3_002, after: 60)
        try submit(4_001...4_001, after: 0, in: "mail")
        harness.advance(1)
        try harness.perform { _ = try await $0.suspend("job5") }
        let numbers = Log<Int>()
        // A page holds as many jobs as one commit may change, whatever the query's limit is.
        let query = JobQuery(queues: ["mail"], limit: 1, cursor: "7")
        #expect(try harness.perform { try await $0.cancel(all: query) { numbers.add($0) } } == 2_100)
        #expect(numbers.all == [1_000, 2_000, 2_100])
        #expect(try count(JobQuery(states: [.cancelled])) == 2_100)
        #expect(try count(JobQuery(states: [.scheduled])) == 2)
        #expect(try harness.perform { try await $0.cancel(all: query) } == 0)
    }

    @Test("failed jobs are retried; succeeded and cancelled ones are not")
    func retry() throws {
        harness.calls.failNext(1_100)
        try submit(1...1_100, kind: "failing", after: 0)
        try submit(2_001...2_002, after: 0)
        harness.advance(1)
        try harness.perform { _ = try await $0.runNow("job7") }
        harness.advance(1)
        try submit(3_001...3_001, kind: "failing", after: 3_600)
        harness.calls.failNext(1)
        try harness.perform { _ = try await $0.runNow("job3001") }
        harness.advance(1)
        try harness.perform { _ = try await $0.cancel("job3001") }
        let numbers = Log<Int>()
        #expect(try harness.perform { try await $0.retry(all: JobQuery()) { numbers.add($0) } } == 1_099)
        #expect(numbers.all == [1_000, 1_099])
        harness.advance(1)
        #expect(try count(JobQuery(states: [.finished], lastEnded: [.succeeded])) == 1_102)
        #expect(try harness.runs("job1").map(\.attempt) == [1, 2])
        #expect(try harness.history("job2001") == ["1 succeeded"])
        #expect(try harness.perform { try await $0.retry(all: JobQuery()) } == 0)
    }

    @Test(
        "a query for jobs in a state that the change does not apply to is refused, naming the states that it applies to"
    )
    func refused() throws {
        let calls: [(String, @Sendable (JobScheduler) async throws -> Int)] = [
            (
                "states: only jobs that are scheduled or suspended",
                { try await $0.cancel(all: JobQuery(states: [.finished])) }
            ),
            (
                "states: a cancelled job cannot be tried again",
                { try await $0.retry(all: JobQuery(states: [.cancelled])) }
            ),
            ("lastEnded: only runs that failed", { try await $0.retry(all: JobQuery(lastEnded: [.succeeded])) }),
            (
                "states: only jobs that are finished or cancelled",
                { try await $0.delete(all: JobQuery(states: [.suspended])) }
            ),
        ]
        for (beginning, call) in calls {
            let error = #expect(throws: JobError.self) { try harness.perform(call) }
            #expect(error?.code == .invalid)
            #expect(error?.message.hasPrefix(beginning) == true)
        }
    }

    @Test("the store's error ends a bulk change; finished pages stay, and repeating the call does the rest")
    func storeFails() throws {
        try submit(1...1_500, after: 60)
        let error = JobError(code: .full, message: "no room")
        let numbers = Log<Int>()
        let store = harness.store
        let failure = #expect(throws: JobError.self) {
            try harness.perform { scheduler in
                try await scheduler.cancel(all: JobQuery()) {
                    numbers.add($0)
                    store.fail(.before(error))
                }
            }
        }
        #expect(failure?.message == "no room")
        #expect(numbers.all == [1_000])
        store.fail(nil)
        #expect(try harness.perform { try await $0.cancel(all: JobQuery()) } == 500)
    }

    @Test("a replaced job is left alone, and so is its successor if it does not match the query")
    func reusedIdentifier() throws {
        harness.calls.failNext(2)
        for queue in ["mail", "other"] as [QueueID] {
            try harness.perform {
                _ = try await $0.submit(
                    JobRequest(id: "job", kind: "failing", trigger: .after(.zero), queue: queue))
            }
            harness.advance(1)
        }
        let jobs = try harness.perform { try await $0.jobs(JobQuery()).jobs }
        try #require(jobs.map(\.request.queue) == ["mail", "other"] && jobs[0].version == jobs[1].version)
        #expect(try harness.perform { try await $0.retry(all: JobQuery(queues: ["mail"])) } == 0)
        #expect(try harness.perform { try await $0.jobs(JobQuery()).jobs } == jobs)
        let commands = jobs.map { JobCommand.cancel("job", key: $0.key) }
        #expect(try harness.perform { try await $0.cancel(commands) }.map(\.key) == [jobs[1].key])
        #expect(try harness.perform { try await $0.retry(all: JobQuery()) } == 1)
    }

    @Test("an earlier failure is not retried while an attempt after a later failure waits")
    func waits() throws {
        harness.calls.failNext(1)
        try harness.submit(.every(.seconds(60)), kind: "failing")
        harness.advance(61)
        try harness.perform {
            _ = try await $0.update("job") { $0.policies.retry = .constant(attempts: 2, delay: .seconds(30)) }
        }
        harness.calls.failNext(1)
        harness.advance(60)
        #expect(try harness.history().count == 3)
        #expect(try harness.perform { try await $0.retry(all: JobQuery()) } == 0)
        harness.advance(30)
        #expect(try harness.perform { try await $0.retry(all: JobQuery()) } == 0, "its last attempt succeeded")
    }

    @Test("cancelling the task ends a bulk change before its next page")
    func cancelled() throws {
        try submit(1...1_500, after: 60)
        #expect(throws: CancellationError.self) {
            try harness.perform { scheduler in
                try await scheduler.cancel(all: JobQuery()) { _ in withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        #expect(try count(JobQuery(states: [.cancelled])) == 1_000)
    }
}

import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

/// Each test gives more commands at once than a turn has room for.
@Suite("Commands in bulk")
struct BulkTests {
    /// Submits all requests concurrently, each by its own call.
    private func submit(_ requests: [JobRequest], to harness: SchedulerHarness) throws -> Int {
        try harness.perform { scheduler in
            try await withThrowingTaskGroup(of: SubmissionResult.self) { group in
                for request in requests { group.addTask { try await scheduler.submit(request) } }
                return try await group.reduce(into: 0) { count, _ in count += 1 }
            }
        }
    }

    private func requests(_ count: Int, _ uniqueness: JobUniqueness = .identifier) -> [JobRequest] {
        (0..<count).map { number in
            JobRequest(
                id: JobID("job\(number)"), kind: "work", trigger: .after(.seconds(1_000)),
                payload: Array("\(number)".utf8), uniqueness: uniqueness, conflict: .keep)
        }
    }

    @Test("each job that a submission may conflict with is read once, however many submissions wait")
    func unique() throws {
        var store: RefusingStore?
        let harness = try SchedulerHarness(around: { base in
            let counting = RefusingStore(base)
            store = counting
            return counting
        })
        let requests = requests(2_100, .payload())
        let before = try #require(store).references
        #expect(try submit(requests, to: harness) == requests.count)
        // Each job is looked up by identifier and by payload.
        #expect(try #require(store).references - before <= 2 * requests.count)
    }

    @Test("every command is answered, although none changes anything")
    func unchanged() throws {
        let harness = try SchedulerHarness()
        let requests = requests(1_100)
        #expect(try submit(requests, to: harness) == 1_100)
        #expect(try submit(requests, to: harness) == 1_100)
    }

    @Test("two jobs with the same kind and payload in one submission are refused")
    func sameInOne() throws {
        let harness = try SchedulerHarness()
        var requests = requests(1_000, .payload())
        let submitted = try harness.perform { [requests] in try await $0.submit(requests) }
        #expect(submitted.count == 1_000)
        requests[999].payload = requests[0].payload
        let error = #expect(throws: JobError.self) {
            try harness.perform { [requests] in try await $0.submit(requests) }
        }
        #expect(error?.code == .invalid && error?.message.hasPrefix("payload: ") == true)
    }
}

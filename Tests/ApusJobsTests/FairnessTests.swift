import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Jobs with fairness keys")
struct FairnessTests {
    /// Returns a scheduler whose queue `mail` has these settings.
    private func harness(_ changes: JobQueue.Change...) throws -> SchedulerHarness {
        let harness = try SchedulerHarness()
        _ = try harness.perform { try await $0.configure(queue: "mail", changes) }
        return harness
    }

    private func request(_ id: String, _ key: String?, _ priority: JobPriority = .normal) -> JobRequest {
        JobRequest(
            id: JobID(id), kind: "slow", trigger: .after(.seconds(1)), queue: "mail", priority: priority,
            fairnessKey: key)
    }

    private func submit(_ harness: SchedulerHarness, _ requests: [JobRequest]) throws {
        _ = try harness.perform { try await $0.submit(requests) }
    }

    @Test("a job waits for one job of each other key, however many of theirs are due before it")
    func turns() throws {
        let harness = try harness(.concurrency(1))
        try submit(harness, (0..<200).map { request("a\($0)", "a") } + (0..<100).map { request("none\($0)", nil) })
        harness.advance(2)
        try submit(harness, [request("b0", "b"), request("b1", "b")])
        harness.advance(70)
        #expect(harness.calls.all.map(\.job) == ["a0", "none0", "a1", "b0", "none1", "a2", "b1", "none2"])
    }

    @Test("keys do not change what a priority means")
    func priorities() throws {
        let harness = try harness(.concurrency(1))
        try submit(
            harness,
            (0..<3).map { request("low\($0)", "a", .low) } + (0..<3).map { request("high\($0)", "b", .high) })
        harness.advance(70)
        // Every fourth place goes to the priority whose job has been due the longest, which is `low` here.
        #expect(harness.calls.all.map(\.job) == ["high0", "high1", "high2", "low0", "low1", "low2"])
    }

    @Test("a queue has no more runs of a key at once than its limit per key, and other keys are not held up")
    func limit() throws {
        let harness = try harness(.concurrencyPerKey(2))
        try submit(
            harness,
            (0..<5).map { request("a\($0)", "a") } + [request("b", "b")] + (0..<3).map { request("c\($0)", nil) })
        harness.advance(2)
        #expect(harness.calls.all.map(\.job).sorted() == ["a0", "a1", "b", "c0", "c1", "c2"])
        let why = try harness.perform { try await $0.explain("a2") }.decisions
        let full = try #require(why.first { $0.code == .keyFull })
        #expect(full.text == "the key \"a\" has reached the queue's limit of runs in progress for one key: 2")
        #expect(try harness.perform { try await $0.explain("b") }.decisions.allSatisfy { $0.code != .keyFull })
        harness.advance(40)
        #expect(harness.calls.all.filter { $0.job.hasPrefix("a") }.map(\.second) == [1, 1, 11, 11, 21])
        try harness.check("a0")
    }

    @Test("raising a limit per key begins waiting jobs, and lowering it ends no run")
    func changedLimit() throws {
        let harness = try harness(.concurrencyPerKey(1))
        try submit(harness, (0..<6).map { request("a\($0)", "a") })
        harness.advance(2)
        _ = try harness.perform { try await $0.configure(queue: "mail", .concurrencyPerKey(3)) }
        harness.advance(0)
        #expect(harness.calls.seconds == [1, 2, 2])
        _ = try harness.perform { try await $0.configure(queue: "mail", .concurrencyPerKey(1)) }
        harness.advance(11)
        #expect(harness.calls.seconds == [1, 2, 2, 12])
        _ = try harness.perform { try await $0.configure(queue: "mail", .concurrencyPerKey(nil)) }
        harness.advance(0)
        #expect(harness.calls.seconds == [1, 2, 2, 12, 13, 13])
        try harness.check("a0")
    }

    @Test(
        "a waiting job whose key changes waits under the new key, and a run counts under the key it began with")
    func changedKey() throws {
        let harness = try harness(.concurrencyPerKey(1))
        try submit(harness, [request("a0", "a"), request("a1", "a"), request("a2", "a")])
        harness.advance(2)
        try submit(harness, [request("a1", "b")])
        harness.advance(1)
        #expect(harness.calls.all.map(\.job) == ["a0", "a1"])
        try submit(harness, [request("b0", "b"), request("a0", "c")])
        harness.advance(6)
        #expect(harness.calls.all.map(\.job) == ["a0", "a1"])
        harness.advance(8)
        #expect(harness.calls.all.map(\.job) == ["a0", "a1", "a0", "a2", "b0"])
        #expect(harness.calls.seconds == [1, 2, 11, 11, 12])
        try harness.check("a0")
    }

    @Test("the limit per key, and the keys of jobs, outlive the scheduler")
    func restart() throws {
        let harness = try harness(.concurrencyPerKey(1))
        try submit(harness, [request("a0", "a"), request("a1", "a"), request("b0", "b")])
        try harness.crash()
        harness.advance(3)
        #expect(harness.calls.all.map(\.job).sorted() == ["a0", "b0"])
        #expect(try harness.perform { try await $0.job("a1") }?.request.fairnessKey == "a")
    }

    @Test("a submission's fairness key comes from its payload unless the submission sets one")
    func typed() throws {
        struct Invoice: JobPayload {
            static let kind = "invoice"
            var customer: Int
            var fairnessKey: String? { "customer \(customer)" }
        }
        #expect(try JobRequest(Invoice(customer: 7)).fairnessKey == "customer 7")
        #expect(try JobRequest(Invoice(customer: 7), fairnessKey: "other").fairnessKey == "other")
    }

    @Test("an invalid key or limit is refused by name")
    func refused() throws {
        let harness = try harness(.concurrencyPerKey(1))
        for key in ["", "\0", String(repeating: "x", count: 1_021)] {
            let error = #expect(throws: JobError.self) { try submit(harness, [request("a", key)]) }
            #expect(error?.code == .invalid && error?.message.hasPrefix("fairnessKey") == true, "\(error as Any)")
        }
        for limit in [0, 100_001] {
            let error = #expect(throws: JobError.self) {
                _ = try harness.perform { try await $0.configure(queue: "mail", .concurrencyPerKey(limit)) }
            }
            #expect(error?.message.hasPrefix("concurrencyPerKey: must be 1 to 100000") == true, "\(error as Any)")
        }
    }
}

import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Submissions that are repeated")
struct IdempotencyTests {
    private func request(_ id: String, key: String?, payload: [UInt8] = [1]) -> JobRequest {
        JobRequest(
            id: JobID(id), kind: "work", trigger: .after(.seconds(5)), payload: payload, conflict: .refuse,
            idempotencyKey: key)
    }

    @Test("a submission repeated with its key returns the first one's job, also after a crash")
    func repeated() throws {
        let harness = try SchedulerHarness()
        let first = try harness.perform { try await $0.submit(request("a", key: "k")) }
        let second = try harness.perform { try await $0.submit(request("b", key: "k")) }
        #expect(second.job == first.job && first.outcome == .inserted && second.outcome == .joined)
        try harness.crash()
        let third = try harness.perform { try await $0.submit([request("c", key: "k"), request("d", key: nil)]) }
        #expect(third.map(\.id.rawValue) == ["a", "d"])
        harness.advance(60)
        #expect(harness.calls.all.map(\.job) == ["a", "d"])
        let later = try harness.perform { try await $0.submit(request("e", key: "k")) }
        #expect(later.id == first.id && later.state == .finished && later.outcome == .joined)
    }

    @Test("a submission repeated after a lost answer creates one job")
    func lostAnswer() throws {
        let harness = try SchedulerHarness()
        harness.store.fail(.after(JobError(code: .unavailable, message: "no answer")))
        #expect(throws: JobError.self) { try harness.perform { try await $0.submit(request("a", key: "k")) } }
        harness.store.fail(nil)
        let job = try harness.perform { try await $0.submit(request("b", key: "k")) }
        #expect(job.id == JobID("a"))
        harness.advance(60)
        #expect(harness.calls.all.map(\.job) == ["a"])
    }

    @Test("an idempotency key used for another request is refused, and the message names the job")
    func otherContents() throws {
        let harness = try SchedulerHarness()
        _ = try harness.perform { try await $0.submit(request("a", key: "k")) }
        for other in [request("b", key: "k", payload: [2]), request("a", key: "k", payload: [2])] {
            let error = #expect(throws: JobError.self) { try harness.perform { try await $0.submit(other) } }
            #expect(error?.code == .invalid && error?.message.contains("job a") == true, "\(String(describing: error))")
        }
        for key in ["", String(repeating: "k", count: 256)] {
            let error = #expect(throws: JobError.self) {
                try harness.perform { try await $0.submit(request("c", key: key)) }
            }
            #expect(error?.message.hasPrefix("idempotencyKey: ") == true)
        }
    }
}

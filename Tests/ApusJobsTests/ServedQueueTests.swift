import ApusTimers
import Testing

@testable import ApusJobs

/// The store has only one scheduler, which does not serve all queues.
@Suite("Queues that are served")
struct ServedQueueTests {
    @Test("a scheduler that serves no queue can submit and claims no run")
    func nothing() throws {
        let harness = try SchedulerHarness(configuration: .init(bootID: "boot", serves: .nothing))
        try harness.submit(.after(.seconds(1)))
        harness.advance(5)
        #expect(try harness.history() == ["1 waiting"])
        #expect(harness.scheduler.isParked("job"))
        let decisions = try harness.perform { try await $0.explain("job") }.decisions
        #expect(decisions.contains { $0.code == .parked && $0.text.contains("does not serve the queue \"default\"") })
        #expect(try harness.perform { try await $0.cancel("job") }.state == .cancelled)
    }

    @Test("of the queues of one store, only those that are served run")
    func some() throws {
        let harness = try SchedulerHarness(configuration: .init(bootID: "boot", serves: .only(["mail"])))
        for queue in ["mail", "build"] as [QueueID] {
            let request = JobRequest(id: JobID(queue.rawValue), kind: "work", trigger: .after(.zero), queue: queue)
            _ = try harness.perform { try await $0.submit(request) }
        }
        harness.advance(5)
        #expect(try harness.history("mail") == ["1 succeeded"])
        #expect(try harness.history("build") == ["1 waiting"])
        // The job runs once it is moved to a served queue.
        _ = try harness.perform { try await $0.update("build") { $0.queue = "mail" } }
        harness.advance(5)
        #expect(try harness.history("build") == ["1 succeeded"])
    }
}

import ApusJobs
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

private struct Stamp: JobMiddleware {
    let name: String
    let log: Log<String>
    var refusal: JobError?

    func onSubmit(_ request: inout JobRequest) throws {
        if let refusal { throw refusal }
        request.metadata["by", default: ""] += name
    }

    func handle(_ run: RunContext, next: () async throws -> Void) async throws {
        log.add("\(name) begins \(run.attempt)")
        do { try await next() } catch {
            log.add("\(name): \(error)")
            throw error
        }
        log.add("\(name) ends")
    }
}

/// Middleware with the protocol's defaults only.
private struct Nothing: JobMiddleware {}

@Suite("Middleware")
struct MiddlewareTests {
    private let log = Log<String>()

    private func harness(_ middleware: [any JobMiddleware]) throws -> SchedulerHarness {
        try SchedulerHarness(configuration: .init(bootID: "boot", middleware: middleware))
    }

    @Test("the first middleware is the outermost, for submissions and for handlers")
    func order() throws {
        let harness = try harness([Stamp(name: "a", log: log), Nothing(), Stamp(name: "b", log: log)])
        harness.calls.failNext(1)
        let job = try harness.submit(
            .after(.seconds(1)), kind: "failing", .init(retry: .exponential(attempts: 2)))
        #expect(job.request.metadata == ["by": "ab"])
        harness.advance(10)
        #expect(
            log.all == [
                "a begins 1", "b begins 1", "b: no luck", "a: no luck", "a begins 2", "b begins 2", "b ends", "a ends",
            ])
        #expect(try harness.history() == ["1 failed(no luck)", "1.2 succeeded"])
    }

    @Test("an error thrown by middleware refuses the whole submission")
    func refusal() throws {
        let harness = try harness([Stamp(name: "a", log: log, refusal: JobError(code: .invalid, message: "not today"))])
        let error = #expect(throws: JobError.self) { try harness.submit(.after(.seconds(1))) }
        #expect(error?.message == "not today")
        let job = try harness.perform { try await $0.job(JobID("job")) }
        #expect(job == nil)
    }

    @Test("a request is checked as middleware has left it")
    func checked() throws {
        let harness = try harness([Stamp(name: String(repeating: "a", count: 9_000), log: log)])
        let error = #expect(throws: JobError.self) { try harness.submit(.after(.seconds(1))) }
        #expect(error?.message.hasPrefix("metadata: ") == true)
    }
}

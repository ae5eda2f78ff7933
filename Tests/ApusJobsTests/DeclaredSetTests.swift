import ApusCalendar
import ApusJobs
import ApusTimers
import Testing

@Suite("A declared set of repeating jobs")
struct DeclaredSetTests {
    private let harness: SchedulerHarness

    init() throws { harness = try SchedulerHarness() }

    private func request(_ id: String, every seconds: Int = 60) -> JobRequest {
        JobRequest(id: JobID(id), kind: "work", trigger: .every(.seconds(seconds)))
    }

    private func declare(_ requests: [JobRequest], as set: String = "app") throws -> DeclaredJobs {
        try harness.perform { try await $0.declare(requests, as: set) }
    }

    @Test(
        "new jobs are created, unchanged ones keep their schedule, changed ones follow the new one, the rest end"
    )
    func changes() throws {
        #expect(
            try declare(["a", "b", "c"].map { request($0) }).submitted.map(\.outcome) == [
                .inserted, .inserted, .inserted,
            ])
        harness.advance(90)
        let answer = try declare([request("a"), request("c", every: 7), request("d")])
        #expect(answer.submitted.map(\.job.id) == ["a", "c", "d"])
        #expect(answer.cancelled.map(\.id) == ["b"])
        harness.advance(31)
        #expect(try harness.runs("a").compactMap(\.started).map(secondsSinceBeginning) == [60, 120])
        #expect(try harness.runs("c").compactMap(\.started).map(secondsSinceBeginning) == [60, 97, 104, 111, 118])
        #expect(try harness.runs("b").count == 1)
        #expect(try harness.job("b").state == .cancelled)
        #expect(try harness.job("a").request.labels == [JobScheduler.setLabel: "app"])
    }

    @Test(
        "other sets and jobs without a set stay; an empty set ends all its jobs, over pages; repeating it does nothing")
    func others() throws {
        _ = try declare([request("other")], as: "reports")
        try harness.submit("alone", .every(.seconds(60)))
        _ = try declare((0..<1_100).map { request("job-\($0)", every: 3_600) })
        let cancelled = try declare([]).cancelled
        #expect(cancelled.count == 1_100 && cancelled.allSatisfy { $0.state == .cancelled })
        #expect(try harness.job("other").state == .scheduled && harness.job("alone").state == .scheduled)
        let nothing = try declare([])
        #expect(nothing.submitted.isEmpty && nothing.cancelled.isEmpty)
    }

    @Test("a job that is unique by its payload stays in the set under its own identifier, and follows the definition")
    func uniqueByPayload() throws {
        var cleanup = request("old")
        cleanup.uniqueness = .payload()
        let first = cleanup
        try harness.perform { _ = try await $0.submit(first) }
        cleanup.id = "cleanup"
        cleanup.trigger = .every(.seconds(10))
        cleanup.conflict = .keep
        let answer = try declare([cleanup])
        #expect(answer.submitted.map(\.job.id) == ["old"] && answer.submitted.map(\.outcome) == [.updated])
        #expect(answer.cancelled.isEmpty)
        harness.advance(11)
        #expect(harness.calls.seconds == [10])
        #expect(try declare([]).cancelled.map(\.id) == ["old"])
    }

    @Test("each start may declare the same set")
    func restart() throws {
        _ = try declare([request("a")])
        harness.advance(30)
        try harness.crash()
        let again = try declare([request("a")])
        #expect(again.cancelled.isEmpty)
        harness.advance(31)
        #expect(harness.calls.seconds == [60])
    }

    @Test(
        "an invalid set is refused by its argument's name, and nothing changes",
        arguments: [
            ([], "", "as: must be 1 to 255 bytes"),
            (["a", "b", "a"], "app", "id: two jobs of the set app have the identifier a"),
            (["a", ""], "app", "id: "),
        ] as [([String], String, String)])
    func refused(_ ids: [String], _ set: String, _ message: String) throws {
        _ = try declare([request("kept")])
        let requests = ids.map { request($0) }
        let error = #expect(throws: JobError.self) { try declare(requests, as: set) }
        #expect(error?.code == .invalid)
        #expect(error?.message.hasPrefix(message) == true, "\(String(describing: error))")
        #expect(try harness.job("kept").state == .scheduled)
        #expect(try harness.perform { try await $0.count(JobQuery()) } == 1)
    }
}

import ApusJobs
import ApusVirtualTime
import Testing

@Suite("A submission's terms for the job that it changes or replaces")
struct SubmissionTermsTests {
    @Test(
        "a submission neither changes nor replaces a job that no longer meets its terms",
        arguments: [ConflictPolicy.update, .replace])
    func replaces(conflict: ConflictPolicy) throws {
        let harness = try SchedulerHarness()
        var request = JobRequest(id: "job", kind: "work", trigger: .every(.seconds(60)), payload: [1])
        let read = try harness.perform { [request] in try await $0.submit(request) }
        request.payload = [2]
        let other = try harness.perform { [request] in try await $0.submit(request) }
        request.payload = [3]
        request.conflict = conflict
        request.terms.replaces = JobContent(read.request)
        let error = #expect(throws: JobError.self) {
            try harness.perform { [request] in try await $0.submit(request) }
        }
        #expect(error?.code == .conflict)
        #expect(try harness.job().request.payload == [2])
        request.terms.replaces = JobContent(other.request)
        let changed = try harness.perform { [request] in try await $0.submit(request) }
        #expect(changed.request.payload == [3] && changed.request.terms == SubmissionTerms())
        try harness.check()
    }

    @Test("a submission's terms reach another node with it, and an encoded submission without terms omits them")
    func coded() throws {
        var request = JobRequest(id: "job", kind: "work", trigger: .every(.seconds(60)), payload: [1])
        #expect(!String(decoding: try JobJSON.encode(request), as: UTF8.self).contains("terms"))
        request.terms.requiresFreeName = true
        request.terms.replaces = JobContent(request)
        let command = JobCommand.submit([request])
        #expect(try JobJSON.decode(JobCommand.self, from: try JobJSON.encode(command)) == command)
    }
}

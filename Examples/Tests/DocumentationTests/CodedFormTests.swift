import ApusJobs
import Foundation
import Testing

@Suite("The documentation of the coded form")
struct CodedFormTests {
    @Test("the request in the documentation of jobs is read as what it says")
    func request() throws {
        let block = try #require(
            Documents.blocks(in: Documents.read("docs/jobs-in-swift.md")).first { $0.language == "json" })
        let request = try JSONDecoder().decode(JobRequest.self, from: Data(block.text.utf8))
        #expect(
            request
                == JobRequest(
                    id: JobID("com.example.refresh"), kind: "refresh", trigger: .every(.seconds(3_600), count: 12),
                    policies: JobPolicies(
                        tolerance: .milliseconds(1_500), missedRuns: .runAll(limit: 7), overlap: .queue(limit: 3),
                        retry: .exponential(
                            attempts: 9, maximumLost: 2, from: .milliseconds(250), to: .seconds(8), jitter: 0.125),
                        conditions: [.network, .idle]),
                    labels: ["team": "a"], payload: [0, 255, 7], conflict: .keep))
    }

    @Test("the table of an explanation's codes has each code once")
    func codes() throws {
        let rows = try Documents.read("docs/jobs.md").split(separator: "\n").drop { $0 != "| code | meaning |" }
            .prefix { $0.hasPrefix("|") }.dropFirst(2)
        let codes = rows.flatMap { $0.dropFirst().prefix { $0 != "|" }.matches(of: #/`(\w+)`/#).map { String($0.1) } }
        #expect(codes.sorted() == JobExplanation.Code.allCases.map(\.rawValue).sorted())
    }
}

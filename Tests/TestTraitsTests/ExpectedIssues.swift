import ApusTimers
import Foundation
import Testing

/// Expects the issues that a test must have.
///
/// These issues do not make the test fail, but another issue or a missing one does.
///
/// The trait must be before `.virtualClock`, so that it sees the issues that `.virtualClock` records in the process of
/// the test run.
struct ExpectedIssues: TestTrait, TestScoping {
    struct Expected: Sendable {
        /// The texts that the issue must contain.
        var texts: [String]
        var isFailure = true
        var severity = Issue.Severity.error
        /// The line of the source; `nil` if it does not matter.
        var line: Int?
    }

    var issues: [Expected]

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? self : nil }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard ProcessInfo.processInfo.environment["APUS_VIRTUAL_CLOCK_PROCESS"] != "1" else {
            return try await function()
        }
        let recorded = Locked<[Issue]>([])
        let collector = IssueHandlingTrait.compactMapIssues { issue in
            recorded.withLock { $0.append(issue) }
            return nil
        }
        try await collector.provideScope(for: test, testCase: testCase, performing: function)
        let found = recorded.withLock { $0 }
        #expect(found.count == issues.count, "\(found.map(\.description))")
        for (issue, expected) in zip(found, issues) {
            let text = issue.comments.map(\.rawValue).joined(separator: "\n")
            for part in expected.texts { #expect(text.contains(part), "\(text) has no \(part)") }
            #expect(issue.isFailure == expected.isFailure, "\(text)")
            #expect(issue.severity == expected.severity, "\(text)")
            #expect(issue.sourceLocation?.fileID == test.sourceLocation.fileID)
            if let line = expected.line { #expect(issue.sourceLocation?.line == line) }
        }
    }
}

extension Trait where Self == ExpectedIssues {
    static func expecting(_ issues: ExpectedIssues.Expected...) -> Self { ExpectedIssues(issues: issues) }
    /// Expects one failure whose text contains these words.
    static func expecting(_ texts: String..., line: Int? = nil) -> Self {
        ExpectedIssues(issues: [.init(texts: texts, line: line)])
    }
}

public import ApusTimers
public import ApusVirtualTime
import Foundation
public import Testing

/// A trait that runs a test in a process of its own, in which time is virtual.
///
/// Sleeps, timers and time-outs take no real time there, in any code.
///
///     @Test(.virtualClock) func retriesForHours() async throws { … }
///
/// The trait of a suite applies to every test in it; the trait of a test or of an inner suite takes precedence. All
/// cases of a parameterized test run in one process, one after another. `ApusVirtualTime.ProcessClock` describes what
/// is virtual.
///
/// Issues of that process are recorded as issues of the test, with their place in the source. Its standard output and
/// error output appear among those of the test run. Attachments are saved only if the test run was started with the
/// option `--attachments-path`; otherwise a warning lists them. A crash, a process that hangs, and a machine on which
/// time cannot be virtual are issues of the test, which is never skipped.
///
/// Swift Testing's `.timeLimit` counts virtual time in that process.
public struct VirtualClockTrait: TestTrait, SuiteTrait, Equatable {
    /// The rule by which time advances.
    public var mode: ProcessClock.Mode
    /// The instant on the wall clock at which the test begins.
    public var wall: WallInstant
    /// The time limit of the test in real time, without the loading of the program.
    public var limit: Duration

    /// Whether the trait of a suite applies to all tests of the suite and of the suites in it; always true.
    public var isRecursive: Bool { true }
}

extension Trait where Self == VirtualClockTrait {
    /// Runs the test in a process of its own, in which time advances to the next deadline whenever nothing can run.
    ///
    /// The test begins at 2026-01-01T00:00:00Z, and may take a minute of real time.
    public static var virtualClock: Self { virtualClock() }

    /// Runs the test in a process of its own, in which time is virtual.
    ///
    /// - Parameters:
    ///   - mode: The rule by which time advances.
    ///   - wall: The instant on the wall clock at which the test begins. `ApusVirtualTime.ProcessClock` describes where
    ///     the other clocks begin.
    ///   - limit: The time limit of the test in real time, from the beginning of virtual time. At the limit, the
    ///     process is ended, with an issue that lists what runs in it and what waits. Loading the program may take
    ///     another minute.
    /// - Returns: The trait, for a test or a suite.
    public static func virtualClock(
        _ mode: ProcessClock.Mode = .automatic, wall: WallInstant = WallInstant(secondsSince1970: 1_767_225_600),
        limit: Duration = .seconds(60)
    ) -> Self {
        VirtualClockTrait(mode: mode, wall: wall, limit: limit)
    }
}

extension VirtualClockTrait: TestScoping {
    /// Returns the scope of a test function with all of its cases; called by Swift Testing.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        guard testCase == nil, !test.isSuite else { return nil }
        return test.traits.lazy.compactMap { $0 as? Self }.last
    }

    /// Runs the test in a process of its own, or begins virtual time if this is that process; called by Swift Testing.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard ProcessClock.isAvailable else {
            Issue.record(
                """
                Time cannot be virtual in this process: that needs Linux with glibc, a program without a sanitizer, and a \
                kernel that counts how threads run. The test was not run.
                """, sourceLocation: test.sourceLocation)
            return
        }
        switch TestProcess.role {
        case .runner: try await runInProcessOfItsOwn(test)
        case .virtual(let control): try await runHere(test, control: control, performing: function)
        }
    }

    private func runInProcessOfItsOwn(_ test: Test) async throws {
        let command = TestProcess.command(forTest: String(describing: test.id))
        let outcome = await TestProcess.turns.pass { await ChildProcess.run(command, limit: limit) }
        let verdict = ChildVerdict(outcome, test: String(describing: test.id), wall: wall)
        for finding in verdict.findings { finding.record(defaultLocation: test.sourceLocation) }
        if let reason = verdict.cancellation { try Test.cancel(Comment(rawValue: reason)) }
    }

    private func runHere(
        _ test: Test, control: Int32?, performing function: @Sendable () async throws -> Void
    ) async throws {
        switch TestProcess.claim(test.id) {
        case .first: break
        // The test has two traits of this type, and the outer one has begun virtual time.
        case .again: return try await function()
        case .taken(let other):
            Issue.record(
                """
                The virtual time of this process belongs to \(other). With \(TestProcess.variable)=1 in the environment, \
                choose one test with --filter. The test was not run.
                """, sourceLocation: test.sourceLocation)
            return
        }
        let controller = control.map(RunnerConnection.init(descriptor:))
        controller?.answerRequests()
        try ProcessClock.begin(mode, wall: wall)
        if let controller {
            controller.sayBegun()
            return try await function()
        }
        // The process was started by hand, so no test run adds the virtual time to the issues.
        FileHandle.standardError.write(
            Data("Time is virtual in this process from here on: \(wall.iso8601), \(mode).\n".utf8))
        let remark = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            let now = SystemTime().wall().iso8601
            issue.comments.append(Comment(rawValue: "(In a process under a virtual clock, at \(now).)"))
            return issue
        }
        try await remark.provideScope(for: test, testCase: nil, performing: function)
    }
}

extension Finding {
    fileprivate func record(defaultLocation: SourceLocation) {
        let comment = Comment(rawValue: text)
        let location =
            place.map {
                SourceLocation(fileID: $0.fileID, filePath: $0.filePath, line: $0.line, column: $0.column)
            } ?? defaultLocation
        if isKnown {
            withKnownIssue(sourceLocation: location) { Issue.record(comment, sourceLocation: location) }
        } else {
            Issue.record(comment, severity: isWarning ? .warning : .error, sourceLocation: location)
        }
    }
}

import ApusTestTraits
import ApusVirtualTime
import Foundation
import Testing

private struct Failure: Error {}

/// Tests whose processes fail with the issues that the trait ``ExpectedIssues`` states.
@Suite("Failures under the trait .virtualClock")
struct FailureTests {
    @Test(
        "a failed expectation is recorded at its place, with the virtual time",
        .expecting(
            "1 + 1 → 2", "why", "under a virtual clock, at 2026-01-01T02:00:00", "7200", line: #line + 2),
        .virtualClock)
    func expectation() async throws {
        try await Task.sleep(for: .seconds(7200))
        #expect(1 + 1 == 3, "why")
    }

    @Test("a thrown error is recorded", .expecting("Caught error: Failure()", "virtual clock"), .virtualClock)
    func thrown() throws { throw Failure() }

    @Test(
        "known issues are known, and warnings are warnings",
        .expecting(
            .init(texts: ["Caught error: Failure()", "known why"], isFailure: false),
            .init(texts: ["only a warning"], isFailure: false, severity: .warning)), .virtualClock)
    func others() {
        withKnownIssue("known why") { throw Failure() }
        Issue.record("only a warning", severity: .warning)
    }

    @Test(
        "an issue says in which case of a parameterized test it was recorded",
        .expecting(.init(texts: ["number → 2"]), .init(texts: ["number → 3"])), .virtualClock, arguments: 1...3)
    func cases(number: Int) { #expect(number < 2) }

    @Test(
        "a crash names the signal and the end of the error output",
        .expecting("SIGABRT", "last words", "virtual clock"), .virtualClock)
    func crash() {
        FileHandle.standardError.write(Data("last words of a process that aborts on purpose\n".utf8))
        abort()
    }

    @Test(
        "an issue before a crash is kept", .expecting(.init(texts: ["before"]), .init(texts: ["SIGKILL"])),
        .virtualClock)
    func issueBeforeCrash() {
        Issue.record("before")
        kill(getpid(), SIGKILL)
    }

    @Test("an early exit is an issue", .expecting("exit status 0 before the test had ended"), .virtualClock)
    func earlyExit() { exit(0) }

    @Test(
        "at the limit the issue has the report of the clock",
        .expecting("longer than 0.05 seconds", "this process runs under a virtual clock"),
        .virtualClock(.stepped, limit: .milliseconds(50)))
    func limit() { Thread.sleep(forTimeInterval: 3600) }

    @Test(
        "a program that the test has started is ended at the limit",
        .expecting("longer than 0.05 seconds", "this process runs under a virtual clock"),
        .virtualClock(.stepped, limit: .milliseconds(50)))
    func leftover() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "echo started >&2; exec sleep 600"]
        try process.run()
        Thread.sleep(forTimeInterval: 3600)
    }

    @Test(
        "a loop that never sleeps is ended at the limit",
        .expecting("longer than 0.05 seconds", "this process runs under a virtual clock"),
        .virtualClock(limit: .milliseconds(50)))
    func loop() {
        var turns: UInt = 0
        while Date().timeIntervalSince1970 < 4e9 { turns &+= 1 }
    }

    @Test(
        "a time limit counts virtual time", .expecting("Time limit was exceeded", "virtual clock"), .virtualClock,
        .timeLimit(.minutes(1)))
    func timeLimit() async throws { try? await Task.sleep(for: .seconds(3600)) }
}

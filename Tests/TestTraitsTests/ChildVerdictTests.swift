import ApusTimers
import Testing

@testable import ApusTestTraits

@Suite("ChildVerdict")
struct ChildVerdictTests {
    private let test = "M.f()/F.swift:1:2"
    private let wall = WallInstant(secondsSince1970: 1_767_225_600)

    private func verdict(
        _ ending: ChildOutcome.Ending, events: [String] = [], errors: String = "", limit: Duration? = nil,
        report: String = "", hasBegun: Bool = true
    ) -> ChildVerdict {
        let lines = events.map { #"{"kind":"event","payload":{\#($0)},"version":"6.3.0"}"# + "\n" }
        let outcome = ChildOutcome(
            ending: ending, events: Array(lines.joined().utf8), errorOutput: Array(errors.utf8), hasBegun: hasBegun,
            exceededLimit: limit, clockReport: report)
        return ChildVerdict(outcome, test: test, wall: wall)
    }

    private var passed: [String] { [#""kind":"testEnded","testID":"\#(test)""#, #""kind":"runEnded""#] }
    private let issue =
        #""kind":"issueRecorded","messages":[{"text":"x"}],"issue":{},"instant":{"since1970":1767229200.25}"#

    @Test("a test that ran to its end without an issue has none")
    func success() {
        #expect(verdict(.exited(0), events: passed) == verdict(.unknown, events: passed))
        #expect(verdict(.exited(0), events: passed).findings == [])
        #expect(verdict(.exited(0), events: passed).cancellation == nil)
    }

    @Test("an issue says when it was recorded, in virtual time")
    func instant() {
        let findings = verdict(.exited(1), events: [issue] + passed).findings
        #expect(
            findings.map(\.text) == [
                "x\n(In a process under a virtual clock, at 2026-01-01T01:00:00.250Z, 3600.25 seconds after its "
                    + "beginning.)"
            ])
    }

    @Test(
        "an end that is not that of a test run is one issue",
        arguments: [
            (ChildOutcome.Ending.signalled(11), "SIGSEGV"), (.signalled(63), "signal 63"), (.exited(3), "status 3"),
            (.exited(1), "status 1"), (.notStarted("no memory"), "no memory"),
        ])
    func endings(ending: ChildOutcome.Ending, text: String) {
        let findings = verdict(ending, events: passed, errors: "the last line\n").findings
        #expect(findings.count == 1)
        #expect(findings.first?.text.contains(text) == true)
        #expect(findings.first?.text.contains("the last line") == true)
    }

    @Test(
        "a run that stopped before its end is one issue",
        arguments: [ChildOutcome.Ending.exited(0), .exited(1), .exited(69), .unknown])
    func unfinished(ending: ChildOutcome.Ending) {
        #expect(verdict(ending, events: Array(passed.dropLast())).findings.count == 1)
    }

    @Test("a run without the test is an issue, and a skipped test is one")
    func absent() {
        let nothing = verdict(.exited(69), events: [#""kind":"runEnded""#]).findings
        #expect(nothing.count == 1 && nothing[0].text.contains("found no test \(test)"))
        let skip = #""kind":"testSkipped","testID":"\#(test)","messages":[{"text":"not here"}]"#
        let skipped = verdict(.exited(0), events: [skip, #""kind":"runEnded""#]).findings
        #expect(skipped.count == 1 && skipped[0].text.contains("skipped the test: not here"))
    }

    @Test("events that cannot be read are an issue")
    func unreadable() {
        let outcome = ChildOutcome(
            ending: .exited(0), events: Array("rubbish\n".utf8) + Array(passedStream.utf8), hasBegun: true)
        let findings = ChildVerdict(outcome, test: test, wall: wall).findings
        #expect(findings.map(\.text) == ["1 events of the test's process cannot be read: rubbish"])
    }

    @Test("attachments that are lost are a warning")
    func attachments() {
        let attached = #""kind":"valueAttached","messages":[{"text":"Attached 'x' to f()."}],"attachment":{}"#
        let findings = verdict(.exited(0), events: [attached] + passed).findings
        #expect(findings.count == 1 && findings[0].isWarning && findings[0].text.contains("Attached 'x' to f()."))
    }

    private var passedStream: String {
        passed.map { #"{"kind":"event","payload":{\#($0)},"version":"6.3.0"}"# + "\n" }.joined()
    }

    @Test("at the limit the report of the clock is in the issue, or that there is none")
    func limit() {
        let answered = verdict(.exited(113), limit: .seconds(60), report: "thread 7 was running").findings
        #expect(answered.count == 1)
        #expect(answered[0].text.contains("60.0 seconds") && answered[0].text.contains("thread 7 was running"))
        let silent = verdict(.signalled(9), limit: .seconds(60)).findings
        #expect(silent.count == 1 && silent[0].text.contains("did not answer"))
        let early = verdict(.signalled(9), limit: .seconds(60), hasBegun: false).findings
        #expect(early.count == 1 && early[0].text.contains("did not begin"))
        #expect(early[0].text.contains("before its virtual time began"))
    }

    @Test("the cancellation of the test is passed on")
    func cancellation() {
        let cancel = #""kind":"testCancelled","testID":"\#(test)","_comments":["enough"]"#
        #expect(verdict(.exited(0), events: [cancel] + passed).cancellation == "enough")
        #expect(verdict(.exited(0), events: [cancel] + passed).findings == [])
    }
}

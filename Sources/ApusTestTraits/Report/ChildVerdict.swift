import ApusTimers
import Foundation

/// An issue that is recorded for a test.
struct Finding: Equatable {
    var text: String
    var isKnown = false
    var isWarning = false
    var place: EventReport.Place?
}

/// The issues of a test, which follow from the end of the test's process and from the events that it wrote.
struct ChildVerdict: Equatable {
    private(set) var findings: [Finding] = []
    /// The reason for which the test was cancelled; `nil` if it was not.
    private(set) var cancellation: String?

    init(_ outcome: ChildOutcome, test: String, wall: WallInstant) {
        let report = EventReport(outcome.events)
        let note = Note(wall: wall, hasBegun: outcome.hasBegun)
        for issue in report.issues {
            let testCase = issue.testCase.map { "\nTest case \($0)" } ?? ""
            findings.append(
                Finding(
                    text: "\(issue.text)\(testCase)\n\(note.text(at: issue.instant))", isKnown: issue.isKnown,
                    isWarning: issue.isWarning, place: issue.place))
        }
        if !report.unreadable.isEmpty {
            add("\(report.unreadable.count) events of the test's process cannot be read: \(report.unreadable[0])")
        }
        if !report.lostAttachments.isEmpty {
            let list = report.lostAttachments.joined(separator: "\n")
            findings.append(
                Finding(
                    text: "Attachments of the test's process are saved only with --attachments-path:\n\(list)",
                    isWarning: true))
        }
        let last = note.text(at: report.lastInstant)
        if let limit = outcome.exceededLimit {
            add(Self.limitText(outcome, limit: limit) + "\n" + last)
        } else if let fault = Self.fault(in: outcome, report: report) {
            add(fault + Self.errorText(outcome) + "\n" + last)
        } else if let reason = report.skipped[test] {
            add("The test's process skipped the test: \(reason)")
        } else if !report.ended.contains(test) {
            add("The test's process found no test \(test).\(Self.errorText(outcome))")
        }
        cancellation = report.cancelled[test]
    }

    private mutating func add(_ text: String) {
        findings.append(Finding(text: text))
    }

    private static func limitText(_ outcome: ChildOutcome, limit: Duration) -> String {
        guard outcome.hasBegun else {
            return "The test's process did not begin the test in time, and was ended.\(errorText(outcome))"
        }
        let report =
            outcome.clockReport.isEmpty
            ? "The process did not answer the request to report what runs and what waits." : outcome.clockReport
        return "The test took longer than \(limit) of the machine's time, and was ended.\n\(report)"
    }

    /// Returns a message if the process did not end as a test run normally does; `nil` if it did.
    private static func fault(in outcome: ChildOutcome, report: EventReport) -> String? {
        switch outcome.ending {
        case .notStarted(let reason): "No process could be started for the test: \(reason)."
        case .signalled(let number): "The test's process was ended by \(Signals.text(of: number))."
        // Swift Testing exits with 69 if no test matches the filter.
        case .exited(69) where report.hasEnded: nil
        case .exited(let status) where !report.hasEnded:
            "The test's process ended with exit status \(status) before the test had ended."
        case .exited(0): nil
        case .exited(1) where report.issues.contains { !$0.isKnown && !$0.isWarning }: nil
        case .exited(let status): "The test's process ended with exit status \(status)."
        case .unknown where report.hasEnded: nil
        case .unknown:
            "The test's process ended before the test had; other code in this process collected its exit status."
        }
    }

    private static func errorText(_ outcome: ChildOutcome) -> String {
        let lines = String(decoding: outcome.errorOutput, as: UTF8.self).split(separator: "\n").suffix(20)
        return lines.isEmpty ? "" : "\nThe end of its error output:\n\(lines.joined(separator: "\n"))"
    }
}

/// The line that ends the text of each issue, and that states the virtual time.
private struct Note {
    var wall: WallInstant
    var hasBegun: Bool

    func text(at seconds: Double?) -> String {
        guard hasBegun else { return "(In a process of its own, before its virtual time began.)" }
        guard let seconds, seconds >= 0, seconds < 9e9 else { return "(In a process under a virtual clock.)" }
        let milliseconds = UInt64((seconds * 1000).rounded())
        let began = wall.nanoseconds / 1_000_000
        let now = WallInstant(nanoseconds: milliseconds * 1_000_000).iso8601
        // An event can be earlier than the beginning of virtual time, because the clock was still real or the wall
        // clock was set back.
        guard milliseconds >= began else { return "(In a process under a virtual clock, at \(now).)" }
        let passed = Duration.milliseconds(Int64(milliseconds - began))
        return "(In a process under a virtual clock, at \(now), \(passed) after its beginning.)"
    }
}

enum Signals {
    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
        SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV",
        SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGUSR1: "SIGUSR1", SIGUSR2: "SIGUSR2",
        SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGSYS: "SIGSYS",
    ]

    /// Returns the signal in words, such as "signal SIGSEGV".
    static func text(of number: Int32) -> String { "signal \(names[number] ?? String(number))" }
}

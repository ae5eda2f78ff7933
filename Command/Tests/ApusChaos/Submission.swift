import ApusClient
import ApusJobs
import ApusTimers

/// What jobs' commands do (ChaosEffect).
enum JobKind: String, CaseIterable, Sendable {
    case quick
    /// Takes longer than most nodes live.
    case slow
    /// Fails at the first attempt of each second occurrence.
    case flaky
}

/// A job that a node is asked to submit. Its name is known here; the identifier is the daemon's choice.
struct Submission: Sendable {
    enum When: Sendable {
        /// Whole milliseconds since 1970, on the machine's clock.
        case at(milliseconds: Int)
        case after(milliseconds: Int)
        case every(milliseconds: Int, count: Int)
    }

    var number: Int
    var kind: JobKind
    var when: When
    /// By how many bytes the payload is longer than it has to be.
    var padding: Int

    var name: String { "job-\(number)" }

    var occurrences: Int {
        switch when {
        case .at, .after: 1
        case .every(_, let count): count
        }
    }

    /// When an occurrence is due at the earliest, if the job was submitted at `sent` or later: nanoseconds since 1970.
    func due(_ occurrence: Int, sent: UInt64) -> UInt64 {
        switch when {
        case .at(let instant): UInt64(instant) * 1_000_000
        case .after(let milliseconds): sent + UInt64(milliseconds) * 1_000_000
        case .every(let milliseconds, _): sent + UInt64(occurrence * milliseconds) * 1_000_000
        }
    }

    /// The job as a daemon takes it; it starts the program `effect`, which writes to `file`.
    func wire(effect: String, file: String) -> WireSubmission {
        let trigger: WireTrigger =
            switch when {
            case .at(let instant):
                WireTrigger(at: WallInstant(nanoseconds: UInt64(instant) * 1_000_000).iso8601)
            case .after(let milliseconds):
                WireTrigger(after: DurationText.iso8601(.milliseconds(milliseconds)))
            case .every(let milliseconds, let count):
                WireTrigger(every: DurationText.iso8601(.milliseconds(milliseconds)), count: count)
            }
        let more = padding > 0 ? [String(repeating: "x", count: padding)] : []
        return WireSubmission(
            name: name, trigger: trigger,
            action: Action(command: .init(argv: [effect, file, kind.rawValue] + more, cwd: "/")),
            policies: WirePolicies(retry: 5))
    }
}

/// What became of a submission.
struct SubmissionRecord: Sendable {
    var submission: Submission
    var node: String
    /// Before it was sent, in nanoseconds since 1970.
    var sent: UInt64
    var answered: UInt64?
    var refusal: String?
}

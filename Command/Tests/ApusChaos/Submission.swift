import ApusClient
import ApusJobs
import ApusTimers

/// The behaviour of a job's command (ChaosEffect).
enum JobKind: String, CaseIterable, Sendable {
    case quick
    /// The command takes longer than most nodes live.
    case slow
    /// The command fails at the first attempt of every second occurrence.
    case flaky
}

/// A job to be submitted through a node, with a known name; the daemon chooses the identifier.
struct Submission: Sendable {
    enum When: Sendable {
        /// The trigger is an instant in whole milliseconds since 1970, on the machine's clock.
        case at(milliseconds: Int)
        case after(milliseconds: Int)
        case every(milliseconds: Int, count: Int)
    }

    var number: Int
    var kind: JobKind
    var when: When
    /// The number of bytes added to the payload.
    var padding: Int

    var name: String { "job-\(number)" }

    var occurrences: Int {
        switch when {
        case .at, .after: 1
        case .every(_, let count): count
        }
    }

    /// Returns the earliest due instant of an occurrence in nanoseconds since 1970, if the job was submitted at `sent`
    /// or later.
    func due(_ occurrence: Int, sent: UInt64) -> UInt64 {
        switch when {
        case .at(let instant): UInt64(instant) * 1_000_000
        case .after(let milliseconds): sent + UInt64(milliseconds) * 1_000_000
        case .every(let milliseconds, _): sent + UInt64(occurrence * milliseconds) * 1_000_000
        }
    }

    /// Returns the submission for a daemon; the job runs the program `effect`, which writes to `file`.
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

/// The record of a submission and its answer.
struct SubmissionRecord: Sendable {
    var submission: Submission
    var node: String
    /// An instant before the submission was sent, in nanoseconds since 1970.
    var sent: UInt64
    var answered: UInt64?
    var refusal: String?
}

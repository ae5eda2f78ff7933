/// What a handler throws to decide about its run. Any other error fails the attempt with the error's description, and the
/// job's ``RetryPolicy`` decides whether there is another one.
public struct RunDecision: Error, Hashable, Sendable, CustomStringConvertible {
    /// What becomes of the attempt.
    public enum Kind: Hashable, Sendable {
        /// It failed, and another one follows if the retry policy has one.
        case retry
        /// It counts as not begun, and the run waits again.
        case snooze
        /// It failed, and that is the occurrence's outcome.
        case discard
    }

    /// What becomes of the attempt.
    public let kind: Kind
    /// Why, in the handler's own words; kept in the run's history.
    public let reason: String
    /// How long the run waits, counted as elapsed time; `nil` for what the retry policy says. A negative one counts as
    /// zero.
    public let delay: Duration?
    /// An exit code to keep in the history.
    public let exitCode: Int?

    /// Ends the attempt as `failed`. The next one, if the retry policy has one, begins after `delay`, counted as elapsed
    /// time; `nil`: after the policy's delay.
    public static func retry(after delay: Duration? = nil, reason: String, exitCode: Int? = nil) -> RunDecision {
        RunDecision(kind: .retry, reason: reason, delay: delay, exitCode: exitCode)
    }

    /// Calls the handler again after `delay`, counted as elapsed time: something that it needs is not there for now
    /// (descriptors, processes, memory, a service).
    ///
    /// The run waits again under the same attempt number, with the reason. No retry is used up, and lateness is still
    /// counted from the due instant. The attempt counts as not begun: what the handler set on its ``RunContext`` is
    /// discarded, but for its last report of progress.
    public static func snooze(for delay: Duration, reason: String = "snoozed") -> RunDecision {
        RunDecision(kind: .snooze, reason: reason, delay: delay, exitCode: nil)
    }

    /// Ends the occurrence as `failed`, whatever the retry policy says: trying again is pointless.
    public static func discard(reason: String, exitCode: Int? = nil) -> RunDecision {
        RunDecision(kind: .discard, reason: reason, delay: nil, exitCode: exitCode)
    }

    /// The reason.
    public var description: String { reason }
}

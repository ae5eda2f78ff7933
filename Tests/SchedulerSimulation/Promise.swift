/// The promises that the simulation tries to break, in words.
///
/// A broken promise is reported with its words, and a history is shrunk for as long as it breaks the same promise.
package enum Promise: String, Sendable, CaseIterable {
    case neverEarly = "a run starts at or after its due instant, by the clock that its trigger counts"
    case oneOutcome = "every occurrence has exactly one outcome"
    case recordedOnce = "an attempt is made at most once, after its claim is stored, and a stored outcome never changes"
    case trueOutcome = "the stored outcome is what happened"
    case durable = "what was acknowledged is in the store"
    case begun = "after an acknowledged submission a run of the job begins, also if one was in progress"
    case obeyed = "after an acknowledged cancel, suspend or replacement nothing of the job starts"
    case recovery = "what is due begins soon once a scheduler runs and its store works"
    case ownership = "a scheduler that lost its store starts nothing, and its successor is not disturbed"
    case stopped = "stop returns within its grace, and nothing starts after that"
    case overlap = "a job has no more handlers at once than its overlap policy allows"
    case limit = "no more handlers run at once than the configuration allows"
    case queues =
        "nothing of a paused queue begins, no more at once than its limit and that of a key, no more in a time than its rate"
    case unique = "of unique jobs of one payload only one is open, and a submission that meets it does what it says"
    case snooze = "who asks to be called later is called in the same attempt, and leaves nothing but its progress"
    case progress = "a run's progress is what its handler has reported, and at its end the last of it"
    case conditions = "an attempt begins only while the job's conditions hold"
    case answered = "every command is answered, and fails only for a reason"
    case tidy = "nothing is left: no timer, no task, no scheduler"
}

/// A promise that was broken, with the observation that shows it.
package struct Violation: Sendable, CustomStringConvertible {
    package var promise: Promise
    package var detail: String
    /// The elapsed time since the beginning of the history, in milliseconds.
    package var millisecond: Int64

    package var description: String { "\(promise.rawValue)\n  at \(seconds(millisecond)): \(detail)" }
}

/// Returns a duration in seconds, such as "12.345 s".
func seconds(_ milliseconds: Int64) -> String {
    let rest = String((milliseconds % 1_000).magnitude + 1_000).dropFirst()
    return "\(milliseconds < 0 ? "-" : "")\(milliseconds.magnitude / 1_000).\(rest) s"
}

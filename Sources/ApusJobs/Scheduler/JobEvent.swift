/// Something that happened in a ``JobScheduler``; see ``JobScheduler/events()``. What an event reports is already
/// committed.
public enum JobEvent: Sendable {
    /// A job was submitted.
    case submitted(Job)
    /// A job's state, next due instant or count changed.
    case changed(Job)
    /// The handler of a run is about to be called.
    case runStarted(Run)
    /// An attempt ended; `isFinal` says whether it is the occurrence's outcome.
    case runEnded(Run)
    /// A handler asked to be called later (``RunDecision/snooze(for:reason:)``): the run waits again, with the reason.
    case runPostponed(Run)
    /// A handler printed something (``RunContext/emit(output:)``). The attempt had printed `offset` bytes before: where
    /// output was left out, that says how much.
    case output(jobID: JobID, occurrence: Int, attempt: Int, offset: Int, bytes: [UInt8])
    /// A handler reported how far it is, 0 to 1 (``RunContext/report(progress:message:)``).
    case progress(jobID: JobID, occurrence: Int, attempt: Int, fraction: Double, message: String?)
    /// A range of occurrences was skipped. A range that grows is reported again, from its first occurrence on.
    case skipped(Run)
    /// The wall clock was set, by this much; jobs that count elapsed time were moved with it.
    case clockChanged(by: Duration)
    /// This subscriber did not keep up, and here events of jobs and runs, or bytes of output, were left out. What the
    /// subscriber knows of jobs is to be read again if `events` is not 0.
    case dropped(events: Int, outputBytes: Int)
    /// The scheduler stopped; with an error if it lost its store to another owner. Nothing follows.
    case stopped(JobError?)
}

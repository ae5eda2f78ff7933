public import ApusTimers

/// Why the handler of a run was told to end.
public enum CancellationReason: String, Hashable, Sendable {
    /// Somebody cancelled the job. The outcome is `cancelled`.
    case cancelled
    /// A later occurrence, or a new job with the same identifier, takes its place. The outcome is `cancelled`.
    case replaced
    /// The attempt took longer than the job's time limit. The attempt failed; the retry policy decides what follows.
    case timedOut
    /// The scheduler is stopping. Unless the handler returns normally, the attempt is lost, and made again at the next
    /// start.
    case shutdown
}

/// What a handler is told about its run, and how it reports back. Usable from any thread, for as long as the handler
/// runs; later calls have no effect.
public struct RunContext: Sendable {
    /// The job, as it was when the run was claimed.
    public let job: Job
    /// The number of the occurrence; 0 and below for runs by hand.
    public let occurrence: Int
    /// The attempt, from 1.
    public let attempt: Int
    /// How many occurrences the run stands for: more than 1 when missed ones were coalesced into it.
    public let standsFor: Int
    /// When the occurrence was due.
    public let due: WallInstant
    /// When the handler was started; never before `due`.
    public let started: WallInstant
    /// Whether the retry policy has no attempt after this one: its failure is the occurrence's outcome. An attempt that
    /// is lost to a crash is repeated all the same.
    public let isLastAttempt: Bool
    let control: RunControl

    /// How late the handler was started, on the wall clock; never negative.
    public var lateness: Duration { due.duration(to: started) }

    /// What is left of the job's time limit, on the uptime clock (it does not run down while the machine sleeps); zero
    /// when it has passed; `nil` without a limit.
    public var timeRemaining: Duration? { control.timeRemaining }

    /// Whether the handler was told to end. Its task is cancelled at the same moment.
    public var isCancelled: Bool { control.cancellationReason != nil }

    /// Why it was told to end; `nil` while it was not.
    public var cancellationReason: CancellationReason? { control.cancellationReason }

    /// Keeps an exit code in the run's history.
    public func setExitCode(_ code: Int) { control.set(exitCode: code) }

    /// What is kept as printed so far: at most 64 KiB.
    public var output: [UInt8] { control.output }

    /// Keeps what was printed in the run's history: its last 64 KiB. Replaces what was set before.
    public func setOutput(_ bytes: [UInt8]) { control.set(output: bytes) }

    /// Tells the scheduler's subscribers how far the handler is, from 0 to 1. Not stored.
    public func progress(_ fraction: Double, _ message: String? = nil) {
        control.emit(
            .progress(job: job.id, occurrence: occurrence, attempt: attempt, fraction: fraction, message: message))
    }

    /// Tells the scheduler's subscribers what was printed just now. Not stored; see ``setOutput(_:)``.
    public func emit(output chunk: [UInt8]) {
        control.emit(.output(job: job.id, occurrence: occurrence, attempt: attempt, bytes: chunk))
    }
}

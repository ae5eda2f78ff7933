public import ApusTimers

/// Why the handler of a run was cancelled.
public enum CancellationReason: String, Hashable, Sendable {
    /// The run or its job was cancelled. The outcome is `cancelled`.
    case cancelled
    /// A later occurrence, or a new job with the same identifier, takes its place. The outcome is `cancelled`.
    case replaced
    /// The attempt took longer than the job's time limit. The attempt failed; the retry policy decides what follows.
    case timedOut
    /// The scheduler is stopping. Unless the handler returns normally, the attempt is lost, and made again at the next
    /// start.
    case shutdown
}

/// A handler's view of its run, and its reports to the scheduler. Usable from any thread, for as long as the handler
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
    /// ``StoreSession/schema``, for a completion in the handler's own transaction.
    package let schema: String?
    let control: RunControl

    /// How late the handler was started, on the wall clock; never negative.
    public var lateness: Duration { due.duration(to: started) }

    /// What is left of the job's time limit, on the uptime clock (it does not run down while the machine sleeps); zero
    /// when it has passed; `nil` without a limit.
    public var timeRemaining: Duration? { control.timeRemaining }

    /// Whether the handler was cancelled. Its task is cancelled at the same moment.
    public var isCancelled: Bool { control.cancellationReason != nil }

    /// Why the handler was cancelled; `nil` while it was not.
    public var cancellationReason: CancellationReason? { control.cancellationReason }

    /// Keeps an exit code in the run's history.
    public func setExitCode(_ code: Int) { control.set(exitCode: code) }

    /// What is kept as printed so far: at most 64 KiB.
    public var output: [UInt8] { control.output }

    /// Keeps what was printed in the run's history: its last 64 KiB. Replaces what was set before.
    public func setOutput(_ bytes: [UInt8]) { control.set(output: bytes) }

    /// Keeps what the handler returns, if the attempt succeeds: at most 64 KiB. Replaces what was set before.
    /// - Throws: ``JobError`` with `invalid` for more.
    public func setResult(_ bytes: [UInt8]) throws {
        guard bytes.count <= RunControl.maximumResult else {
            throw JobError(code: .invalid, message: "result: must be at most 65536 bytes (64 KiB), not \(bytes.count)")
        }
        control.set(result: bytes)
    }

    /// What ``setResult(_:)`` has set.
    package var result: [UInt8]? { control.result }

    /// Reports to the scheduler's subscribers how far the handler is, from 0 to 1, and keeps it with the run: the first
    /// report, then at most one a second, and the last one with the attempt's end. The message has at most 1,000 bytes;
    /// of a longer one, the beginning is reported.
    public func report(progress fraction: Double, message: String? = nil) {
        let progress = RunProgress(fraction: fraction, message: message?.prefix(utf8: JobLimits.progressBytes))
        control.emit(
            .progress(
                jobID: job.id, occurrence: occurrence, attempt: attempt, fraction: progress.fraction,
                message: progress.message))
        control.set(progress: progress)
    }

    /// Sends the scheduler's subscribers what was printed just now. Not stored; see ``setOutput(_:)``.
    public func emit(output chunk: [UInt8]) {
        control.emit(bytes: chunk.count) { offset in
            .output(jobID: job.id, occurrence: occurrence, attempt: attempt, offset: offset, bytes: chunk)
        }
    }
}

/// Work that a handler does after its own, because of how that ended: hooks and notifications.
extension RunContext {
    /// Ends the attempt's work: from now on, neither the time limit nor a cancellation changes what the handler's return
    /// or error makes of the attempt. (A job that is cancelled meanwhile still has the outcome `cancelled`.)
    ///
    /// - Returns: why the handler was cancelled, if it was.
    package func endWork() -> CancellationReason? { control.endWork() }

    /// Runs work that follows the attempt's, after ``endWork()``. It runs even if the handler's task is cancelled, which is
    /// so after a time-out; it has a time limit of its own, and is cancelled when the scheduler stops or the job is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - timeLimit: on the uptime clock.
    ///   - body: gets a context like this one. The exit code and the output that it sets there are not kept.
    /// - Returns: why `body` was cancelled, if it was; it did not begin if the scheduler was stopping already.
    package func followUp(
        timeLimit: Duration, _ body: @escaping @Sendable (RunContext) async -> Void
    ) async -> CancellationReason? {
        let (job, occurrence, attempt, standsFor) = (job, occurrence, attempt, standsFor)
        let (due, started, isLastAttempt, schema) = (due, started, isLastAttempt, schema)
        return await control.followUp(timeLimit: timeLimit) { control in
            await body(
                RunContext(
                    job: job, occurrence: occurrence, attempt: attempt, standsFor: standsFor, due: due,
                    started: started, isLastAttempt: isLastAttempt, schema: schema, control: control))
        }
    }
}

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
    /// Why, in the handler's own words; kept in the run's history. Of more than 8,192 bytes, the beginning and a mark
    /// with the length are kept.
    public let reason: String
    /// How long the run waits, counted as elapsed time; `nil` for what the retry policy says. Less than 100 ms count as
    /// 100 ms.
    public let delay: Duration?
    /// An exit code to keep in the history.
    public let exitCode: Int?

    /// Ends the attempt as `failed`. The next one, if the retry policy has one, begins after `delay`, counted as elapsed
    /// time, and at least 100 ms; `nil`: after the policy's delay.
    public static func retry(after delay: Duration? = nil, reason: String, exitCode: Int? = nil) -> RunDecision {
        RunDecision(kind: .retry, reason: reason, delay: delay, exitCode: exitCode)
    }

    /// Calls the handler again after `delay`, counted as elapsed time: something that it needs is not there for now
    /// (descriptors, processes, memory, a service). A delay of less than 100 ms counts as 100 ms, and jobs of the queue
    /// that have waited longer begin before it.
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

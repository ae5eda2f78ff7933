public import ApusTimers

/// The reason why the handler of a run was cancelled.
public enum CancellationReason: String, Hashable, Sendable {
    /// The run or its job was cancelled; the outcome is `cancelled`.
    case cancelled
    /// A later occurrence, or a new job with the same identifier, takes the place of the run; the outcome is
    /// `cancelled`.
    case replaced
    /// The attempt took longer than the job's time limit and failed; the retry policy determines what follows.
    case timedOut
    /// The scheduler is stopping.
    ///
    /// Unless the handler returns normally, the attempt is lost, and made again after the next start.
    case shutdown
}

/// A handler's view of its run, through which it reports to the scheduler.
///
/// It can be used from any thread while the handler runs; later calls have no effect.
public struct RunContext: Sendable {
    /// The job at the time when the run was claimed.
    public let job: Job
    /// The number of the occurrence; 0 and below for runs by hand.
    public let occurrence: Int
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The number of occurrences that the run stands for: more than 1 if missed ones were coalesced into it.
    public let standsFor: Int
    /// The due instant of the occurrence.
    public let due: WallInstant
    /// The instant at which the handler was started; never before `due`.
    public let started: WallInstant
    /// Whether the retry policy has no further attempt; a failure of this attempt is then the occurrence's outcome.
    ///
    /// An attempt that is lost to a crash is made again all the same.
    public let isLastAttempt: Bool
    /// The ``StoreSession/schema``, for a completion in the handler's own transaction.
    package let schema: String?
    let control: RunControl

    /// The time from the due instant to the start of the handler, on the wall clock; never negative.
    public var lateness: Duration { due.duration(to: started) }

    /// The rest of the job's time limit; zero when it has passed, `nil` without a limit.
    ///
    /// It is on the uptime clock, which stops while the machine sleeps.
    public var timeRemaining: Duration? { control.timeRemaining }

    /// Whether the handler was cancelled; its task is cancelled at the same time.
    public var isCancelled: Bool { control.cancellationReason != nil }

    /// The reason why the handler was cancelled; `nil` if it was not.
    public var cancellationReason: CancellationReason? { control.cancellationReason }

    /// Sets the exit code that is stored in the run's history.
    public func setExitCode(_ code: Int) { control.set(exitCode: code) }

    /// The output that is stored so far; at most 64 KiB.
    public var output: [UInt8] { control.output }

    /// Sets the output that is stored in the run's history, in place of earlier output.
    ///
    /// Only the last 64 KiB are stored.
    public func setOutput(_ bytes: [UInt8]) { control.set(output: bytes) }

    /// Sets the result that is stored if the attempt succeeds; replaces an earlier result.
    ///
    /// - Throws: ``JobError`` with `invalid` for more than 64 KiB.
    public func setResult(_ bytes: [UInt8]) throws {
        guard bytes.count <= RunControl.maximumResult else {
            throw JobError(code: .invalid, message: "result: must be at most 65536 bytes (64 KiB), not \(bytes.count)")
        }
        control.set(result: bytes)
    }

    /// The result that ``setResult(_:)`` has set.
    package var result: [UInt8]? { control.result }

    /// Reports the progress, from 0 to 1, to the scheduler's subscribers, and stores it with the run.
    ///
    /// The first report is stored at once, further reports at most once a second, and the last report with the
    /// attempt's end. A message is cut to 1,000 bytes.
    public func report(progress fraction: Double, message: String? = nil) {
        let progress = RunProgress(fraction: fraction, message: message?.prefix(utf8: JobLimits.progressBytes))
        control.emit(
            .progress(
                jobID: job.id, occurrence: occurrence, attempt: attempt, fraction: progress.fraction,
                message: progress.message))
        control.set(progress: progress)
    }

    /// Sends output to the scheduler's subscribers without storing it; see ``setOutput(_:)``.
    public func emit(output chunk: [UInt8]) {
        control.emit(bytes: chunk.count) { offset in
            .output(jobID: job.id, occurrence: occurrence, attempt: attempt, offset: offset, bytes: chunk)
        }
    }
}

// Work that follows a handler's own work and depends on its result: hooks and notifications.
extension RunContext {
    /// Ends the attempt's work: from now on, neither the time limit nor a stop of the scheduler changes how the
    /// handler's return or error is recorded.
    ///
    /// If the run or its job is cancelled later, the outcome is still `cancelled`.
    ///
    /// - Returns: The reason why the handler was cancelled, if it was.
    package func endWork() -> CancellationReason? { control.endWork() }

    /// Runs further work after the attempt's own work has ended (``endWork()``).
    ///
    /// It runs even if the handler's task is cancelled, as after a time-out. It has its own time limit, and is
    /// cancelled when the scheduler stops or the job is cancelled.
    ///
    /// - Parameters:
    ///   - timeLimit: The time limit, on the uptime clock.
    ///   - body: A closure that gets a context like this one; the exit code and the output that it sets there are not
    ///     stored.
    /// - Returns: The reason why `body` was cancelled, if it was. If the handler was cancelled between ``endWork()``
    ///   and this call, it is that reason, and `body` is not called.
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

/// An error that a handler throws to decide about its own run.
///
/// Any other error fails the attempt with the error's description, and the job's ``RetryPolicy`` determines whether
/// another one follows.
public struct RunDecision: Error, Hashable, Sendable, CustomStringConvertible {
    /// The consequence for the attempt.
    public enum Kind: Hashable, Sendable {
        /// The attempt failed, and another one follows if the retry policy has one.
        case retry
        /// The attempt counts as not begun, and the run waits again.
        case snooze
        /// The attempt failed, and that is the occurrence's outcome.
        case discard
    }

    /// The consequence for the attempt.
    public let kind: Kind
    /// The reason in the handler's own words, which is stored in the run's history.
    ///
    /// A reason of more than 8,192 bytes is cut, and ends with its original length.
    public let reason: String
    /// The time for which the run waits, counted as elapsed time; `nil` for the delay of the retry policy.
    ///
    /// Less than 100 ms count as 100 ms.
    public let delay: Duration?
    /// The exit code to store in the history.
    public let exitCode: Int?

    /// Ends the attempt as `failed`; the next one, if the retry policy has one, begins after `delay`.
    ///
    /// The delay is counted as elapsed time; less than 100 ms count as 100 ms. With `nil`, it is the policy's delay.
    public static func retry(after delay: Duration? = nil, reason: String, exitCode: Int? = nil) -> RunDecision {
        RunDecision(kind: .retry, reason: reason, delay: delay, exitCode: exitCode)
    }

    /// Puts the run back into its queue because something that it needs is missing for now (descriptors, processes,
    /// memory, a service), and calls the handler again after `delay`.
    ///
    /// The delay is counted as elapsed time; less than 100 ms count as 100 ms. Jobs of the queue that have waited
    /// longer begin before the run.
    ///
    /// The run waits again under the same attempt number, with the reason. No retry is used up, and lateness is still
    /// counted from the due instant. The attempt counts as not begun: what the handler set on its ``RunContext`` is
    /// discarded, except for its last report of progress.
    public static func snooze(for delay: Duration, reason: String = "snoozed") -> RunDecision {
        RunDecision(kind: .snooze, reason: reason, delay: delay, exitCode: nil)
    }

    /// Ends the occurrence as `failed` regardless of the retry policy, because retrying it is pointless.
    public static func discard(reason: String, exitCode: Int? = nil) -> RunDecision {
        RunDecision(kind: .discard, reason: reason, delay: nil, exitCode: exitCode)
    }

    /// The reason in the handler's own words.
    public var description: String { reason }
}

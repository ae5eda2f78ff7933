public import ApusTimers

/// The state of one attempt at an occurrence, or of a range of skipped occurrences.
public enum RunState: String, Hashable, Sendable, CaseIterable {
    /// The attempt is open: it starts when its turn comes, not before `notBefore`.
    case waiting
    /// The attempt is open: its claim is committed, and its handler is about to run, or runs.
    ///
    /// The stored name is `claimed`.
    case running = "claimed"
    /// The handler returned.
    case succeeded
    /// The handler threw an error, or exceeded its time limit.
    case failed
    /// The occurrence was never attempted; `reason` says why.
    case skipped
    /// The process ended during the attempt, or the handler was given up (``JobScheduler/Configuration/abandonment``).
    case lost
    /// The run, or its job, was cancelled.
    case cancelled

    /// Whether the attempt waits or runs.
    public var isOpen: Bool { self == .waiting || self == .running }
}

/// One attempt at an occurrence, or a range of skipped occurrences.
///
/// When an occurrence has an outcome, exactly one of its runs is `isFinal`, and the state of that run is the outcome.
public struct Run: Hashable, Sendable {
    /// The number that the store gave the job.
    public var jobKey: Int64
    /// The identifier of the job.
    public var jobID: JobID
    /// The number of the occurrence, or of the first one of a skipped range.
    ///
    /// Runs by hand (``JobScheduler/runNow(_:)``), which are not occurrences of the trigger, have 0 and below.
    public var occurrence: Int
    /// The number of the last occurrence of a skipped range; equal to `occurrence` for all other runs.
    public var through: Int
    /// The number of the attempt, from 1; 0 for occurrences that were skipped when they were due.
    ///
    /// An attempt has a number even if it was cancelled while it waited; its ``started`` is then `nil`.
    public var attempt: Int
    /// The number of earlier attempts that were lost.
    public var lostBefore: Int
    /// The due instant of the occurrence, or of the first one of a skipped range.
    public var due: WallInstant
    /// The effect of a change of the clock, or of the zone's rules, on the due instant; `nil` if there is none.
    ///
    /// Only occurrences of calendar triggers have a note.
    public var dueNote: DueNote?
    /// The number of occurrences that the run stands for: 1, or more if missed ones were coalesced into it.
    public var standsFor: Int
    /// The state of the attempt.
    public var state: RunState
    /// Whether the run is the outcome of its occurrence.
    public var isFinal: Bool
    /// The reason for the state, in a word or in the handler's own words.
    ///
    /// - A `skipped` run has the word of its ``skipReason``.
    /// - A `cancelled`, `failed` or `lost` run has `replaced`, `cancelled`, `timedOut`, `interrupted`, `abandoned`, or
    ///   the handler's own words; a text of more than 8,192 bytes is cut, and ends with its original length.
    /// - An open run has `missed` if it makes up for a missed occurrence, `cancelled` or `replaced` if its handler was
    ///   cancelled, and, while it waits again, the words with which its handler postponed it
    ///   (``RunDecision/snooze(for:reason:)``).
    public var reason: String?
    /// The earliest instant at which the attempt may start, if that is later than `due`.
    ///
    /// It is the end of the delay before a retry, or of the delay for which the handler has snoozed the attempt.
    public var notBefore: WallInstant?
    /// The instant of the claim.
    public var claimed: WallInstant?
    /// The instant at which the handler was started; never before `due`.
    public var started: WallInstant?
    /// The instant at which the attempt ended.
    public var finished: WallInstant?
    /// The exit code of a command, or the code that the handler set.
    public var exitCode: Int?
    /// The last part of the output that the handler has set; at most 64 KiB.
    public var output: [UInt8]
    /// The bytes that the handler returned; at most 64 KiB.
    ///
    /// It is `nil` for a handler that returns nothing, and for attempts that did not succeed.
    public var result: [UInt8]?
    /// The handler's last report of its progress (``RunContext/report(progress:message:)``).
    public var progress: RunProgress?
    /// Whether the handler has committed its effects together with the completion of this claimed run.
    ///
    /// Such an attempt has succeeded, whatever its handler does afterwards. Only stores that let applications use
    /// transactions set this property.
    package var isCompleted = false

    /// The reason why the occurrences were skipped; `nil` for any other run.
    public var skipReason: SkipReason? { state == .skipped ? reason.map(SkipReason.init) : nil }

    /// Whether the run is the outcome of an occurrence that can have another attempt.
    var canBeTriedAgain: Bool { isFinal && attempt > 0 && [.failed, .lost, .cancelled].contains(state) }

    /// The lateness of the occurrence's first attempt: the time from `due` to the start of the attempt.
    ///
    /// Until the start of a running attempt is stored, it is the time from `due` to the claim. It is `nil` for later
    /// attempts, which have a ``retryLateness``, and for runs that were never started.
    public var lateness: Duration? { attempt == 1 ? begun.map { due.duration(to: $0) } : nil }

    /// The time from the end of a retry's delay to the retry's start.
    ///
    /// It is `nil` for a first attempt, and for an attempt that follows a lost attempt, because there is no delay
    /// before it.
    public var retryLateness: Duration? {
        guard attempt > 1, let notBefore, let begun else { return nil }
        return max(.zero, notBefore.duration(to: begun))
    }

    /// The instant at which the handler was started.
    ///
    /// If the start of a running attempt is not stored yet, it is the instant of the claim, which is committed just
    /// before the handler is called.
    public var begun: WallInstant? { started ?? (state == .running ? claimed : nil) }

    /// Creates a run from stored values; `through` is `occurrence` unless given.
    public init(
        jobKey: Int64, jobID: JobID, occurrence: Int, through: Int? = nil, attempt: Int, lostBefore: Int = 0,
        due: WallInstant, dueNote: DueNote? = nil,
        standsFor: Int = 1, state: RunState, isFinal: Bool = false, reason: String? = nil,
        notBefore: WallInstant? = nil,
        claimed: WallInstant? = nil, started: WallInstant? = nil, finished: WallInstant? = nil, exitCode: Int? = nil,
        output: [UInt8] = [], result: [UInt8]? = nil, progress: RunProgress? = nil
    ) {
        self.jobKey = jobKey
        self.jobID = jobID
        self.occurrence = occurrence
        self.through = through ?? occurrence
        self.attempt = attempt
        self.lostBefore = lostBefore
        self.due = due
        self.dueNote = dueNote
        self.standsFor = standsFor
        self.state = state
        self.isFinal = isFinal
        self.reason = reason
        self.notBefore = notBefore
        self.claimed = claimed
        self.started = started
        self.finished = finished
        self.exitCode = exitCode
        self.output = output
        self.result = result
        self.progress = progress
    }
}

/// The reason why occurrences were skipped.
///
/// ``rawValue`` is stored; a value that this version does not know is kept unchanged.
public struct SkipReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored word.
    public let rawValue: String

    /// Creates a reason with this stored word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No scheduler examined the occurrence in time, and ``JobPolicies/missedRuns`` does not make up for it.
    public static let missed = SkipReason(rawValue: "missed")
    /// No scheduler examined the occurrence in time, and a later run stands for it.
    public static let coalesced = SkipReason(rawValue: "coalesced")
    /// An earlier occurrence was still open, and ``JobPolicies/overlap`` allows no second one.
    public static let overlap = SkipReason(rawValue: "overlap")
    /// The number of waiting occurrences had reached the limit of ``JobPolicies/overlap``.
    public static let queueFull = SkipReason(rawValue: "queueFull")
    /// The occurrence did not begin within ``JobPolicies/expiry``.
    public static let expired = SkipReason(rawValue: "expired")

    /// The stored word.
    public var description: String { rawValue }
}

/// The progress of a handler.
public struct RunProgress: Hashable, Sendable, Codable {
    /// The fraction of the work that is done, 0 to 1.
    public var fraction: Double
    /// A message in the handler's own words, of which at most 1,000 bytes are kept.
    public var message: String?
    /// Creates a progress; the fraction is clamped to 0 to 1, and NaN becomes 0.
    public init(fraction: Double, message: String? = nil) {
        self.fraction = fraction.isNaN ? 0 : min(max(fraction, 0), 1)
        self.message = message
    }
}

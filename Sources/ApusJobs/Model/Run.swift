public import ApusTimers

/// The state of one attempt at an occurrence (or, for skipped ones, of a range of occurrences that were never
/// attempted).
public enum RunState: String, Hashable, Sendable, CaseIterable {
    /// Open: it starts when its turn comes, not before `notBefore`.
    case waiting
    /// Open: the claim is committed; the handler is about to run, or runs. Stores keep it as `claimed`.
    case running = "claimed"
    /// The handler returned.
    case succeeded
    /// The handler threw, or took too long.
    case failed
    /// Never attempted; the reason says why.
    case skipped
    /// The process ended while it ran, or its handler was given up (``JobScheduler/Configuration/abandonment``).
    case lost
    /// The run, or its job, was cancelled.
    case cancelled

    /// Whether the attempt is still to run or running.
    public var isOpen: Bool { self == .waiting || self == .running }
}

/// One attempt at an occurrence, or a range of occurrences that were skipped.
///
/// Exactly one run of each occurrence is `isFinal`: its state is the occurrence's outcome.
public struct Run: Hashable, Sendable {
    /// The store's number of the job.
    public var jobKey: Int64
    /// The job's identifier.
    public var jobID: JobID
    /// The number of the occurrence; the first of the range for skipped ones. 0 and below: runs asked for by hand
    /// (``JobScheduler/runNow(_:)``), which are not occurrences of the trigger.
    public var occurrence: Int
    /// The last number of the range; equal to `occurrence` for anything that is not skipped.
    public var through: Int
    /// The attempt, from 1; 0 for those that were skipped when they arrived. One that was cancelled while it waited has
    /// `started` = `nil`.
    public var attempt: Int
    /// How many of the earlier attempts were lost rather than failed.
    public var lostBefore: Int
    /// When the occurrence was due (the first of a range).
    public var due: WallInstant
    /// What a change of the clock, or of the zone's rules, did to that; only calendar triggers have it.
    public var dueNote: DueNote?
    /// How many occurrences the run stands for: 1, or more when missed ones were coalesced into it.
    public var standsFor: Int
    /// The state.
    public var state: RunState
    /// Whether it is the outcome of its occurrence.
    public var isFinal: Bool
    /// Why, in a word, for `skipped` (see ``skipReason``), `cancelled`, `failed` and `lost`: `replaced`, `cancelled`,
    /// `timedOut`, `interrupted`, `abandoned`, or the handler's own words: of more than 8,192 bytes, the beginning and a
    /// mark with the length. While open: `missed` if it makes up for a missed occurrence, `cancelled` or `replaced` if
    /// its handler was cancelled, and while it waits again the words with which its handler was postponed
    /// (``RunDecision/snooze(for:reason:)``).
    public var reason: String?
    /// The earliest instant at which the attempt may start, where that is later than `due`: the end of the delay before a
    /// retry.
    public var notBefore: WallInstant?
    /// When the claim was made.
    public var claimed: WallInstant?
    /// When the handler was started. Never before `due`.
    public var started: WallInstant?
    /// When it ended.
    public var finished: WallInstant?
    /// A command's exit code, or what the handler set.
    public var exitCode: Int?
    /// The end of what it printed, as the handler set it; at most 64 KiB.
    public var output: [UInt8]
    /// What the handler returned, as bytes; at most 64 KiB. `nil` for a handler that returns nothing, and for attempts
    /// that did not succeed.
    public var result: [UInt8]?
    /// How far the handler was when it reported that last (``RunContext/report(progress:message:)``).
    public var progress: RunProgress?
    /// The handler's effects are committed together with the completion of this claimed run: whatever happens to the
    /// handler from here on, the attempt has succeeded. Only a store with transactions of applications knows of it.
    package var isCompleted = false

    /// Why the occurrences were skipped; `nil` for any other run.
    public var skipReason: SkipReason? { state == .skipped ? reason.map(SkipReason.init) : nil }

    /// Whether it is the outcome of an occurrence that can have another attempt.
    var canBeTriedAgain: Bool { isFinal && attempt > 0 && [.failed, .lost, .cancelled].contains(state) }

    /// How late the occurrence's first attempt started; `nil` for later attempts, which have a ``retryLateness``, and for
    /// what was never started. While the attempt runs, counted to its claim.
    public var lateness: Duration? { attempt == 1 ? begun.map { due.duration(to: $0) } : nil }

    /// How much later than at the end of its delay a retry started; `nil` for first attempts, and for an attempt without
    /// a delay before it (one that follows a lost one).
    public var retryLateness: Duration? {
        guard attempt > 1, let notBefore, let begun else { return nil }
        return max(.zero, notBefore.duration(to: begun))
    }

    /// When the handler was started; while it runs, when the attempt was claimed, which is committed just before.
    public var begun: WallInstant? { started ?? (state == .running ? claimed : nil) }

    /// A run as a store keeps it. `through` is `occurrence` unless given.
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

/// Why occurrences were skipped. ``rawValue`` is what a store keeps; one that this version does not know is kept as it is.
public struct SkipReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored word.
    public let rawValue: String

    /// The reason with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No scheduler examined it in time, and ``JobPolicies/missedRuns`` leaves it out.
    public static let missed = SkipReason(rawValue: "missed")
    /// No scheduler examined it in time, and a later run stands for it.
    public static let coalesced = SkipReason(rawValue: "coalesced")
    /// An earlier occurrence was still open, and ``JobPolicies/overlap`` leaves it out.
    public static let overlap = SkipReason(rawValue: "overlap")
    /// As many occurrences waited already as ``JobPolicies/overlap`` lets wait.
    public static let queueFull = SkipReason(rawValue: "queueFull")
    /// It has not begun within its ``JobPolicies/expiry``.
    public static let expired = SkipReason(rawValue: "expired")

    /// The stored word.
    public var description: String { rawValue }
}

/// How far a handler is.
public struct RunProgress: Hashable, Sendable, Codable {
    /// 0 to 1.
    public var fraction: Double
    /// In the handler's own words; at most 1,000 bytes are kept.
    public var message: String?
    /// A fraction outside of 0 to 1 is brought to the nearer end; one that is no number is 0.
    public init(fraction: Double, message: String? = nil) {
        self.fraction = fraction.isNaN ? 0 : min(max(fraction, 0), 1)
        self.message = message
    }
}

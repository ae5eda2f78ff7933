public import ApusBackground

/// The rules for runs of a job that are late, overlap, fail or are missed.
///
/// Every value has a default that suits most jobs.
public struct JobPolicies: Hashable, Sendable {
    /// The time that may pass between a due instant and the start of the run, so that several jobs can share a wake-up;
    /// zero by default.
    public var tolerance: Duration
    /// The rule for occurrences that were due while no scheduler could run them.
    public var missedRuns: MissedRunPolicy
    /// How long after the due instant plus ``tolerance`` an occurrence still counts as on time.
    ///
    /// With `nil` it is 60 s, or the interval if that is shorter.
    public var grace: Duration?
    /// The longest time that an occurrence may wait after its due instant plus ``tolerance``; `nil`, the default, for
    /// no limit.
    ///
    /// An occurrence that has not begun within this time is skipped as ``SkipReason/expired``. It is skipped when its
    /// turn comes or when the next occurrence is due, and is shown as waiting until that happens. Runs by hand do not
    /// expire, and neither does an occurrence that was attempted: its retries and snoozes may begin later.
    public var expiry: Duration?
    /// The rule for an occurrence that is due while an earlier one is still open.
    public var overlap: OverlapPolicy
    /// The policy for retries after an attempt that did not succeed.
    public var retry: RetryPolicy
    /// The time limit of an attempt, after which its handler is cancelled and its outcome is `failed`; `nil` for no
    /// limit.
    public var timeLimit: Duration?
    /// The conditions of the device under which an attempt begins; none by default.
    ///
    /// An attempt that has begun continues even if the conditions cease to hold.
    public var conditions: JobConditions
    /// The time for which the job is kept after it has ended (``Job/keptUntil``).
    ///
    /// With `nil`, the default, it is the time for which the scheduler keeps ended jobs
    /// (``JobScheduler/Configuration/finishedJobsKept`` and `failedJobsKept`). The job is kept at least until
    /// ``Job/uniqueUntil``, which is 24 hours or more after the submission of a job with an idempotency key.
    public var retention: Duration?

    /// Creates policies; an omitted argument has its default.
    public init(
        tolerance: Duration = .zero,
        missedRuns: MissedRunPolicy = .runOnce,
        grace: Duration? = nil,
        expiry: Duration? = nil,
        overlap: OverlapPolicy = .skip,
        retry: RetryPolicy = .never,
        timeLimit: Duration? = nil,
        conditions: JobConditions = [],
        retention: Duration? = nil
    ) {
        self.tolerance = tolerance
        self.missedRuns = missedRuns
        self.grace = grace
        self.expiry = expiry
        self.overlap = overlap
        self.retry = retry
        self.timeLimit = timeLimit
        self.conditions = conditions
        self.retention = retention
    }
}

/// The rule for occurrences that were due while no scheduler ran, or while the job was suspended.
///
/// ``name`` and ``limit`` describe a policy completely: a store keeps them, and reads them with ``init(name:limit:)``.
public struct MissedRunPolicy: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case runOnce
        case skip
        case runAll(limit: Int)
    }
    package var kind: Kind
    package init(kind: Kind) { self.kind = kind }

    /// Makes one run for the latest missed occurrence, and skips the others as ``SkipReason/coalesced``; the default.
    ///
    /// ``RunContext`` has the number of missed occurrences.
    public static let runOnce = MissedRunPolicy(kind: .runOnce)
    /// Skips each missed occurrence as ``SkipReason/missed``, except one that is still within the grace period.
    public static let skip = MissedRunPolicy(kind: .skip)
    /// Makes a run for each of the latest `limit` missed occurrences, one after another, oldest first, and skips older
    /// ones as ``SkipReason/missed``.
    ///
    /// Occurrences that are still open count towards `limit`, so that at most `limit` occurrences wait and run. The
    /// first occurrence of a new definition of the job gets a run even at the limit, unless another run already waits.
    /// It begins after the runs in progress.
    public static func runAll(limit: Int = 100) -> MissedRunPolicy { MissedRunPolicy(kind: .runAll(limit: limit)) }

    static let names = ["runOnce", "skip", "runAll"]

    /// Returns the policy with this name and limit; `nil` for a name that this version does not know.
    ///
    /// - Parameters:
    ///   - name: One of the names that ``name`` can have.
    ///   - limit: The limit; `nil` for the default. Policies without a limit ignore it.
    public init?(name: String, limit: Int? = nil) {
        switch name {
        case "runOnce": self = .runOnce
        case "skip": self = .skip
        case "runAll": self = limit.map { .runAll(limit: $0) } ?? .runAll()
        default: return nil
        }
    }

    /// The name of the policy: `runOnce`, `skip` or `runAll`.
    ///
    /// Later versions may have more.
    public var name: String {
        switch kind {
        case .runOnce: "runOnce"
        case .skip: "skip"
        case .runAll: "runAll"
        }
    }

    /// The largest number of occurrences that `runAll` makes up for; `nil` for the other policies.
    public var limit: Int? {
        switch kind {
        case .runOnce, .skip: nil
        case .runAll(let limit): limit
        }
    }
}

/// The rule for an occurrence that is due while an earlier one of the same job is open: waiting, running, or between
/// attempts.
///
/// ``name`` and ``limit`` describe a policy completely: a store keeps them, and reads them with ``init(name:limit:)``.
public struct OverlapPolicy: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case skip
        case queue(limit: Int)
        case allow(limit: Int)
        case replace
    }
    package var kind: Kind
    package init(kind: Kind) { self.kind = kind }

    /// Skips the occurrence as ``SkipReason/overlap``; the default.
    public static let skip = OverlapPolicy(kind: .skip)
    /// Lets the occurrence wait for its turn, or skips it as ``SkipReason/queueFull`` if `limit` occurrences wait
    /// already.
    public static func queue(limit: Int = 16) -> OverlapPolicy { OverlapPolicy(kind: .queue(limit: limit)) }
    /// Runs the occurrence beside the others, or skips it as ``SkipReason/overlap`` if `limit` occurrences are open
    /// already.
    public static func allow(limit: Int = 16) -> OverlapPolicy { OverlapPolicy(kind: .allow(limit: limit)) }
    /// Cancels the open runs with the reason `replaced`, and runs the occurrence when they have ended.
    public static let replace = OverlapPolicy(kind: .replace)

    static let names = ["skip", "queue", "allow", "replace"]

    /// Returns the policy with this name and limit; `nil` for a name that this version does not know.
    ///
    /// - Parameters:
    ///   - name: One of the names that ``name`` can have.
    ///   - limit: The limit; `nil` for the default. Policies without a limit ignore it.
    public init?(name: String, limit: Int? = nil) {
        switch name {
        case "skip": self = .skip
        case "queue": self = limit.map { .queue(limit: $0) } ?? .queue()
        case "allow": self = limit.map { .allow(limit: $0) } ?? .allow()
        case "replace": self = .replace
        default: return nil
        }
    }

    /// The name of the policy: `skip`, `queue`, `allow` or `replace`.
    ///
    /// Later versions may have more.
    public var name: String {
        switch kind {
        case .skip: "skip"
        case .queue: "queue"
        case .allow: "allow"
        case .replace: "replace"
        }
    }

    /// The largest number of occurrences that wait with `queue`, or are open with `allow`; `nil` for the other
    /// policies.
    public var limit: Int? {
        switch kind {
        case .skip, .replace: nil
        case .queue(let limit), .allow(let limit): limit
        }
    }
}

/// The policy for retries after an attempt that did not succeed.
public struct RetryPolicy: Hashable, Sendable {
    /// The number of failed attempts after which the occurrence's outcome is `failed`; at least 1, which means no
    /// retry.
    public var maximumAttempts: Int
    /// The number of attempts interrupted by a crash or a stop after which the occurrence's outcome is `lost`; at least
    /// 1, which means no retry.
    ///
    /// Below this number, an interrupted attempt is made again at once, without a delay.
    public var maximumLost: Int
    /// The delay before the second attempt; it doubles before each further attempt, and less than 100 ms counts as 100
    /// ms.
    public var initialDelay: Duration
    /// The longest delay between two attempts.
    public var maximumDelay: Duration
    /// The share of the delay that is random, 0 to 1: a delay of 10 s with 0.2 is 8 to 10 s.
    public var jitter: Double

    /// Makes the first failure the outcome; the default.
    ///
    /// An attempt that a crash or a stop interrupts is still made again, as ``maximumLost`` allows.
    public static let never = exponential(attempts: 1)

    /// Makes further attempts after a delay that doubles with each failure.
    ///
    /// - Parameters:
    ///   - attempts: The value of ``maximumAttempts``.
    ///   - maximumLost: The value of ``maximumLost``.
    ///   - from: The value of ``initialDelay``, counted as elapsed time.
    ///   - to: The value of ``maximumDelay``.
    ///   - jitter: The value of ``jitter``.
    /// - Returns: The policy.
    public static func exponential(
        attempts: Int, maximumLost: Int = 10, from: Duration = .seconds(1), to: Duration = .seconds(3_600),
        jitter: Double = 0.2
    ) -> RetryPolicy {
        RetryPolicy(
            maximumAttempts: attempts, maximumLost: maximumLost, initialDelay: from, maximumDelay: to, jitter: jitter)
    }

    /// Makes further attempts, each after the same delay, counted as elapsed time; less than 100 ms counts as 100 ms.
    public static func constant(attempts: Int, delay: Duration) -> RetryPolicy {
        exponential(attempts: attempts, from: delay, to: delay, jitter: 0)
    }
}

/// The effect of a submission if the store has a job that counts as the same (``JobUniqueness``) and has not ended.
public enum ConflictPolicy: String, Hashable, Sendable, CaseIterable {
    /// Gives the existing job the new definition, and keeps its number and its history; the default.
    ///
    /// If the new trigger is equal, the due instant of the next occurrence does not change, so an app may submit its
    /// jobs at every launch. If it differs, the occurrences follow the new trigger from now on. Open runs stay.
    ///
    /// If only runs in progress are left of the job, its trigger counts from this submission, and the next run begins
    /// when the runs in progress have ended (``SubmissionOutcome/rescheduled``). A run therefore begins after each
    /// submission, and one run is enough for all submissions that arrive before it begins. A trigger ``Trigger/at(_:)``
    /// with an equal instant is the exception: the run in progress is the one for that instant.
    case update
    /// Cancels the existing job with its open runs, and makes a new one in its place.
    case replace
    /// Returns the existing job, which stays unchanged.
    ///
    /// If only runs in progress are left of the job, nothing runs because of this submission
    /// (``SubmissionOutcome/kept``).
    case keep
    /// Throws ``JobError/Code/alreadyExists``.
    case refuse
}

/// The conditions of the device that a due occurrence waits for, all of which must hold at once.
///
/// Only a condition that the host knows can hold a job back: an unknown condition counts as met, and without a host all
/// conditions do. A machine without a battery counts as connected to external power. On Linux, the host does not know
/// whether the machine is idle, so jobs do not wait for this condition there.
public struct JobConditions: OptionSet, Hashable, Sendable {
    /// The bits, one for each condition; their meaning never changes, because stores keep them.
    public let rawValue: Int

    /// Creates conditions from bits.
    ///
    /// ``JobScheduler/submit(_:)->SubmissionResult`` refuses bits without a condition.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The device is connected to a network, which may be an expensive one.
    public static let network = JobConditions(rawValue: 1)
    /// The device is plugged in.
    public static let externalPower = JobConditions(rawValue: 2)
    /// The device is not in use.
    public static let idle = JobConditions(rawValue: 4)

    static let all: JobConditions = [.network, .externalPower, .idle]

    /// Returns the conditions that do not hold on a device; an unknown condition counts as met.
    public static func unmet(on device: DeviceConditions) -> JobConditions {
        var unmet: JobConditions = []
        if device.isOnline == false { unmet.insert(.network) }
        if device.isOnExternalPower == false { unmet.insert(.externalPower) }
        if device.isIdle == false { unmet.insert(.idle) }
        return unmet
    }

    /// The obstacles that hold a background job back while these conditions do not hold.
    public var obstacles: [BackgroundJobObstacle] {
        var obstacles: [BackgroundJobObstacle] = []
        if contains(.network) { obstacles.append(.noNetwork) }
        if contains(.externalPower) { obstacles.append(.noExternalPower) }
        if contains(.idle) { obstacles.append(.deviceInUse) }
        return obstacles
    }
}

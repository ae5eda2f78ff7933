public import ApusBackground

/// How a job behaves when runs are late, overlap, fail or are missed. Every value has a default that suits most jobs.
public struct JobPolicies: Hashable, Sendable {
    /// How much later than its due instant a run may start, so that wake-ups can be shared. Zero by default.
    public var tolerance: Duration
    /// What happens to occurrences that were due while no scheduler could run them.
    public var missedRuns: MissedRunPolicy
    /// How late an occurrence may be and still count as on time. `nil`: 60 s, or the interval when that is shorter.
    /// Counted from the due instant + ``tolerance``.
    public var grace: Duration?
    /// How long an occurrence may wait, from its due instant + ``tolerance`` on: one that has not begun by then never
    /// does, and is ``SkipReason/expired``. `nil`, the default: it waits as long as it takes.
    ///
    /// It is skipped when its turn comes, or when the next occurrence arrives; until then it is shown as waiting. Runs
    /// by hand do not expire, and neither does an occurrence that has been attempted: retries and snoozes may begin later.
    public var expiry: Duration?
    /// What happens to an occurrence that is due while an earlier one is still open.
    public var overlap: OverlapPolicy
    /// What happens after an attempt that did not succeed.
    public var retry: RetryPolicy
    /// How long an attempt may take; its handler is then cancelled, and its outcome is `failed`. `nil` for no limit.
    public var timeLimit: Duration?
    /// What an occurrence that is due waits for. Each attempt begins only while all of it holds; one that has begun
    /// continues when they cease to hold. None by default.
    public var conditions: JobConditions
    /// How long the job is kept after it has ended (``Job/keptUntil``). `nil`, the default: as long as the scheduler keeps
    /// ended jobs (``JobScheduler/Configuration/finishedJobsKept`` and `failedJobsKept`). At least until
    /// ``Job/uniqueUntil``: with an idempotency key, 24 hours from its submission.
    public var retention: Duration?

    /// Policies; each argument left out has its default.
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

/// What happens to occurrences that were due while the scheduler was not there (or the job was suspended).
///
/// ``name`` and ``limit`` are all there is to a policy: a store keeps them, and reads them with ``init(name:limit:)``.
public struct MissedRunPolicy: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case runOnce
        case skip
        case runAll(limit: Int)
    }
    package var kind: Kind
    package init(kind: Kind) { self.kind = kind }

    /// One run, for the latest of them; ``RunContext`` has their number. The others are `skipped(coalesced)`. The
    /// default.
    public static let runOnce = MissedRunPolicy(kind: .runOnce)
    /// None: each is `skipped(missed)`, except one that is still within the grace period.
    public static let skip = MissedRunPolicy(kind: .skip)
    /// Each of the latest `limit` of them, one after another, oldest first; older ones are `skipped(missed)`.
    /// Occurrences that are still open count, so that no more than `limit` of them wait and run.
    public static func runAll(limit: Int = 100) -> MissedRunPolicy { MissedRunPolicy(kind: .runAll(limit: limit)) }

    static let names = ["runOnce", "skip", "runAll"]

    /// The policy of that name, with that limit; `nil` for a name that this version does not know.
    ///
    /// - Parameters:
    ///   - name: One of the names that ``name`` has.
    ///   - limit: The limit; `nil` for the default one. Policies without a limit ignore it.
    public init?(name: String, limit: Int? = nil) {
        switch name {
        case "runOnce": self = .runOnce
        case "skip": self = .skip
        case "runAll": self = limit.map { .runAll(limit: $0) } ?? .runAll()
        default: return nil
        }
    }

    /// `runOnce`, `skip` or `runAll`. Later versions may have more.
    public var name: String {
        switch kind {
        case .runOnce: "runOnce"
        case .skip: "skip"
        case .runAll: "runAll"
        }
    }

    /// How many occurrences `runAll` makes up for; `nil` for the others.
    public var limit: Int? {
        switch kind {
        case .runOnce, .skip: nil
        case .runAll(let limit): limit
        }
    }
}

/// What happens to an occurrence that is due while an earlier one of the same job is open: waiting, running, or between
/// attempts.
///
/// ``name`` and ``limit`` are all there is to a policy: a store keeps them, and reads them with ``init(name:limit:)``.
public struct OverlapPolicy: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case skip
        case queue(limit: Int)
        case allow(limit: Int)
        case replace
    }
    package var kind: Kind
    package init(kind: Kind) { self.kind = kind }

    /// It is `skipped(overlap)`. The default.
    public static let skip = OverlapPolicy(kind: .skip)
    /// It waits for its turn; with `limit` waiting already, it is `skipped(queueFull)`.
    public static func queue(limit: Int = 16) -> OverlapPolicy { OverlapPolicy(kind: .queue(limit: limit)) }
    /// It runs beside the others; with `limit` open already, it is `skipped(overlap)`.
    public static func allow(limit: Int = 16) -> OverlapPolicy { OverlapPolicy(kind: .allow(limit: limit)) }
    /// The open ones are `cancelled(replaced)`, and it runs when they have ended.
    public static let replace = OverlapPolicy(kind: .replace)

    static let names = ["skip", "queue", "allow", "replace"]

    /// The policy of that name, with that limit; `nil` for a name that this version does not know.
    ///
    /// - Parameters:
    ///   - name: One of the names that ``name`` has.
    ///   - limit: The limit; `nil` for the default one. Policies without a limit ignore it.
    public init?(name: String, limit: Int? = nil) {
        switch name {
        case "skip": self = .skip
        case "queue": self = limit.map { .queue(limit: $0) } ?? .queue()
        case "allow": self = limit.map { .allow(limit: $0) } ?? .allow()
        case "replace": self = .replace
        default: return nil
        }
    }

    /// `skip`, `queue`, `allow` or `replace`. Later versions may have more.
    public var name: String {
        switch kind {
        case .skip: "skip"
        case .queue: "queue"
        case .allow: "allow"
        case .replace: "replace"
        }
    }

    /// How many occurrences wait for `queue`, or are open for `allow`, before one is skipped; `nil` for the others.
    public var limit: Int? {
        switch kind {
        case .skip, .replace: nil
        case .queue(let limit), .allow(let limit): limit
        }
    }
}

/// What happens after an attempt that did not succeed.
public struct RetryPolicy: Hashable, Sendable {
    /// How many attempts may fail before the occurrence's outcome is `failed`; at least 1, which means no retry.
    public var maximumAttempts: Int
    /// How many attempts may be lost to a crash before the occurrence's outcome is `lost`. A lost attempt is tried
    /// again at once; at least 1, which means never.
    public var maximumLost: Int
    /// The delay before the second attempt. It doubles each time. Less than 100 ms count as 100 ms.
    public var initialDelay: Duration
    /// The longest delay.
    public var maximumDelay: Duration
    /// The share of the delay that is random, 0 to 1: a delay of 10 s with 0.2 is 8 to 10 s.
    public var jitter: Double

    /// The first failure is the outcome. The default. Attempts that a crash interrupts are made again all the same.
    public static let never = exponential(attempts: 1)

    /// Tries again after a delay that doubles with each failure.
    /// - Parameters:
    ///   - attempts: ``maximumAttempts``.
    ///   - maximumLost: ``maximumLost``.
    ///   - from: ``initialDelay``, counted as elapsed time.
    ///   - to: ``maximumDelay``.
    ///   - jitter: ``jitter``.
    /// - Returns: the policy.
    public static func exponential(
        attempts: Int, maximumLost: Int = 10, from: Duration = .seconds(1), to: Duration = .seconds(3_600),
        jitter: Double = 0.2
    ) -> RetryPolicy {
        RetryPolicy(
            maximumAttempts: attempts, maximumLost: maximumLost, initialDelay: from, maximumDelay: to, jitter: jitter)
    }

    /// Tries again after the same delay, counted as elapsed time, each time; less than 100 ms count as 100 ms.
    public static func constant(attempts: Int, delay: Duration) -> RetryPolicy {
        exponential(attempts: attempts, from: delay, to: delay, jitter: 0)
    }
}

/// What `submit` does when a job that counts as the same (``JobUniqueness``) is there and has not ended.
public enum ConflictPolicy: String, Hashable, Sendable, CaseIterable {
    /// The old job gets the new definition, and keeps its number, its history and its phase: with an equal trigger, what
    /// is due stays due when it was, so that an app may submit its jobs at every launch. With another trigger, the
    /// occurrences follow that from now on. Open runs stay. If only runs in progress are left of the job, it runs once
    /// more: its trigger counts from now on, and the run begins when they have ended
    /// (``SubmissionOutcome/rescheduled``); an equal instant of ``Trigger/at(_:)`` is that of the run in progress. So a run begins after each submission, one for all that arrive before it.
    /// The default.
    case update
    /// The old one is cancelled, with its open runs, and a new one takes its place.
    case replace
    /// The old one stays as it is until it has ended, and is returned, also if only a run in progress is left of it:
    /// then nothing runs because of this submission (``SubmissionOutcome/kept``).
    case keep
    /// ``JobError/Code/alreadyExists``.
    case refuse
}

/// What a job's occurrences wait for, beside their instant: all of these at once.
///
/// Only what a host knows can hold a job back. A condition of which the host knows nothing counts as met, and without a
/// host all do. So a server without a battery is on external power, and on Linux the host does not know so far whether
/// the machine is idle, so that jobs do not wait for that there.
public struct JobConditions: OptionSet, Hashable, Sendable {
    /// One bit for each condition. Stores keep it, so a bit never changes its meaning.
    public let rawValue: Int

    /// The conditions of these bits. Bits without a condition are refused by
    /// ``JobScheduler/submit(_:)->SubmissionResult``.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// There is a connection to the network, also one that costs.
    public static let network = JobConditions(rawValue: 1)
    /// The device is plugged in.
    public static let externalPower = JobConditions(rawValue: 2)
    /// The device is not in use.
    public static let idle = JobConditions(rawValue: 4)

    static let all: JobConditions = [.network, .externalPower, .idle]

    /// The conditions that do not hold on a device. One of which nothing is known counts as met.
    public static func unmet(on device: DeviceConditions) -> JobConditions {
        var unmet: JobConditions = []
        if device.isOnline == false { unmet.insert(.network) }
        if device.isOnExternalPower == false { unmet.insert(.externalPower) }
        if device.isIdle == false { unmet.insert(.idle) }
        return unmet
    }

    /// What is in the way of a job while these conditions do not hold, as of a background job.
    public var obstacles: [BackgroundJobObstacle] {
        var obstacles: [BackgroundJobObstacle] = []
        if contains(.network) { obstacles.append(.noNetwork) }
        if contains(.externalPower) { obstacles.append(.noExternalPower) }
        if contains(.idle) { obstacles.append(.deviceInUse) }
        return obstacles
    }
}

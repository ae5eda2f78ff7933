public import ApusTimers

/// The name of a queue.
public struct QueueID: RawRepresentable, Hashable, Sendable, Comparable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name: 1 to 64 bytes of ASCII letters, digits, `.`, `-` and `_`.
    public var rawValue: String
    /// Creates the identifier of the queue with this name.
    ///
    /// ``JobScheduler/submit(_:)->SubmissionResult`` refuses names of another form.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates the identifier of the queue with this name.
    public init(_ name: String) { rawValue = name }
    /// Creates the identifier of the queue with this name.
    public init(stringLiteral name: String) { rawValue = name }
    /// The name of the queue.
    public var description: String { rawValue }
    /// Orders queues by their names.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    /// The queue of jobs that name no other.
    public static let `default` = QueueID("default")
}

/// A queue of jobs, with limits that the runs of all its jobs share.
///
/// A queue exists as soon as a job names it; a queue without settings is not stored. The limits are stored and can be
/// changed while jobs run (``JobScheduler/configure(queue:_:)-(_,JobQueue.Change...)``). A changed limit applies to
/// runs that begin after the change.
public struct JobQueue: Hashable, Sendable, Identifiable {
    /// The name of the queue.
    public var id: QueueID
    /// The largest number of the queue's runs in progress at once; `nil` if only the scheduler's places limit it.
    public var concurrency: Int?
    /// The largest number of runs in progress at once whose jobs have the same ``JobRequest/fairnessKey``; `nil` for no
    /// limit.
    ///
    /// It does not limit the runs of jobs without a key.
    ///
    /// Schedulers that share a store give all new jobs of a key to the same scheduler, which counts their runs.
    /// Existing jobs do not move when their key changes, or when a scheduler can run other jobs than before. Several
    /// schedulers may then own jobs of one key. Each of them counts only its own runs, so more runs of the key than
    /// this limit may be in progress at once.
    public var concurrencyPerKey: Int?
    /// The largest rate at which runs of the queue begin; `nil` for no limit.
    public var rate: QueueRate?
    /// Whether the queue is paused: no run begins, and runs in progress continue.
    public var isPaused: Bool
    /// How many runs, including the last one, had begun within the rate's period when the last run began.
    ///
    /// Stores keep this number, so that the rate holds across restarts.
    public var recentStarts: Int
    /// The instant at which the last of the recent runs began, in elapsed time (see ``JobStore``).
    public var lastStart: WallInstant?

    /// Creates a queue, without limits unless some are given.
    public init(
        id: QueueID, concurrency: Int? = nil, concurrencyPerKey: Int? = nil, rate: QueueRate? = nil,
        isPaused: Bool = false, recentStarts: Int = 0, lastStart: WallInstant? = nil
    ) {
        self.id = id
        self.concurrency = concurrency
        self.concurrencyPerKey = concurrencyPerKey
        self.rate = rate
        self.isPaused = isPaused
        self.recentStarts = recentStarts
        self.lastStart = lastStart
    }
}

/// The largest number of runs that may begin in any interval of a given length.
public struct QueueRate: Hashable, Sendable {
    /// The number of runs, 1 to 100,000.
    public var runs: Int
    /// The duration, 1 ms or more, counted as elapsed time.
    public var period: Duration
    /// Creates a rate with a number of runs and a duration.
    public init(runs: Int, per period: Duration) {
        self.runs = runs
        self.period = period
    }
}

/// The priority of a job among the waiting jobs of its queue.
///
/// Of every four places that a queue gets, three go to the highest priority among its waiting jobs. The fourth goes to
/// the priority of the waiting job that was due first, so no job waits for ever. Within a priority the fairness keys
/// take turns (``JobRequest/fairnessKey``). Among the jobs of one key, and among the jobs without a key, the job with
/// the oldest due instant is first.
public enum JobPriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// The lowest priority.
    case low = 1
    /// The default.
    case normal = 2
    /// The priority above `normal`.
    case high = 3
    /// The highest priority.
    case urgent = 4

    /// Orders priorities: a higher one is greater.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// Returns the priority with this name: `low`, `normal`, `high` or `urgent`; `nil` for another name.
    public init?(name: String) {
        guard let priority = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = priority
    }

    /// The name: `low`, `normal`, `high` or `urgent`.
    public var name: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        case .urgent: "urgent"
        }
    }
}

/// The rule that decides which jobs count as the same, for ``JobRequest/conflict``.
public struct JobUniqueness: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case identifier
        case payload(within: Duration?)
        case key(String, within: Duration?)
    }
    package var kind: Kind

    /// Two jobs count as the same if they have the same identifier; the default.
    public static let identifier = JobUniqueness(kind: .identifier)

    /// Two jobs count as the same if they have the same identifier, or the same kind and the same bytes of the payload.
    ///
    /// Two jobs with this rule that have not ended never have both the same kind and the same bytes.
    ///
    /// - Parameter period: The time after its submission during which a job counts even after it has ended; a job is
    ///   kept for at least that time (``Job/uniqueUntil``). A job that has ended, or that has only runs in progress
    ///   left, cannot be updated: `update` and `keep` return such a job unchanged (``SubmissionOutcome/joined``).
    /// - Returns: The rule.
    public static func payload(within period: Duration? = nil) -> JobUniqueness {
        JobUniqueness(kind: .payload(within: period))
    }

    /// Two jobs count as the same if they have the same identifier, or the same kind and the same key.
    ///
    /// It is like ``payload(within:)``, with a key in place of the payload's bytes, and is meant for jobs that are
    /// identified by some fields of the payload.
    ///
    /// - Parameters:
    ///   - key: The key, 1 to 1,020 bytes. A job that is unique by its payload is never the same as one that is unique
    ///     by a key.
    ///   - period: See ``payload(within:)``.
    /// - Returns: The rule.
    public static func key(_ key: String, within period: Duration? = nil) -> JobUniqueness {
        JobUniqueness(kind: .key(key, within: period))
    }

    /// The content that must be equal in addition to the kind.
    public enum Content: Hashable, Sendable {
        /// The bytes of the payload.
        case payload([UInt8])
        /// The key that identifies the job.
        case key(String)

        /// The word for the content in messages.
        package var word: String {
            switch self {
            case .payload: "payload"
            case .key: "uniqueness key"
            }
        }

        /// Returns whether the contents are equal byte by byte, as stores compare them.
        public static func == (first: Self, second: Self) -> Bool {
            switch (first, second) {
            case (.payload(let first), .payload(let second)): first == second
            case (.key(let first), .key(let second)): first.utf8.elementsEqual(second.utf8)
            case (.payload, .key), (.key, .payload): false
            }
        }

        /// Hashes the bytes of the content.
        public func hash(into hasher: inout Hasher) {
            switch self {
            case .payload(let bytes): hasher.combine(bytes)
            case .key(let key): hasher.combine(Array(key.utf8))
            }
        }
    }

    /// Whether the rule compares more than the identifiers (``JobRequest/uniqueContent``).
    public var countsContent: Bool { kind != .identifier }

    /// The key that is compared; `nil` for a rule without a key.
    public var key: String? { if case .key(let key, _) = kind { key } else { nil } }

    /// How long after its submission an ended job still counts; `nil` if ended jobs do not count.
    public var period: Duration? {
        switch kind {
        case .identifier: nil
        case .payload(let period), .key(_, let period): period
        }
    }
}

extension JobUniqueness {
    /// Creates the rule from the parts that a store keeps.
    package init(countsContent: Bool, period: Duration?, key: String?) {
        self = !countsContent ? .identifier : key.map { .key($0, within: period) } ?? .payload(within: period)
    }
}

extension JobQueue {
    /// A change of one setting of a queue; the other settings stay.
    public enum Change: Hashable, Sendable {
        /// Sets the largest number of runs in progress at once; `nil` for no limit.
        case concurrency(Int?)
        /// Sets the largest number of runs of one key in progress at once; `nil` for no limit.
        case concurrencyPerKey(Int?)
        /// Sets the rate at which runs begin; `nil` for no limit.
        case rate(QueueRate?)
        /// Pauses the queue, so that no run begins, or resumes it.
        case paused(Bool)
    }

    /// Whether schedulers that share a store must count the queue's runs together.
    var hasLimits: Bool { concurrency != nil || rate != nil }

    /// Whether the queue has any settings besides its name.
    package var hasSettings: Bool { hasLimits || concurrencyPerKey != nil || isPaused }

    mutating func apply(_ change: Change) {
        switch change {
        case .concurrency(let limit): concurrency = limit
        case .concurrencyPerKey(let limit): concurrencyPerKey = limit
        case .rate(let rate): self.rate = rate
        case .paused(let isPaused): self.isPaused = isPaused
        }
    }
}

/// A queue, with the numbers of its runs in progress and of its waiting jobs.
public struct QueueStatus: Hashable, Sendable {
    /// The queue.
    public var queue: JobQueue
    /// The number of the queue's runs in progress.
    public var runningCount: Int
    /// The number of the queue's jobs in the scheduler's memory that wait for a place.
    public var waitingCount: Int
    /// Creates a status.
    public init(queue: JobQueue, runningCount: Int, waitingCount: Int) {
        self.queue = queue
        self.runningCount = runningCount
        self.waitingCount = waitingCount
    }
}

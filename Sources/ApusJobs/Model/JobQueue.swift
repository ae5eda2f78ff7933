public import ApusTimers

/// The name of a queue.
public struct QueueID: RawRepresentable, Hashable, Sendable, Comparable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name: 1 to 64 bytes of ASCII letters, digits, `.`, `-` and `_`.
    public var rawValue: String
    /// The queue with that name. ``JobScheduler/submit(_:)->SubmissionResult`` refuses names of another form.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The queue with that name.
    public init(_ name: String) { rawValue = name }
    /// The queue with that name.
    public init(stringLiteral name: String) { rawValue = name }
    /// The name.
    public var description: String { rawValue }
    /// Orders queues by their names.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    /// Where jobs run that name no queue.
    public static let `default` = QueueID("default")
}

/// A queue: the runs of its jobs share its limits. Queues need not be made; a job names one, and one without limits is
/// kept nowhere.
///
/// The limits are kept in the store and can be changed while jobs run (``JobScheduler/configure(queue:_:)-(_,JobQueue.Change...)``). They concern
/// runs that begin from then on.
public struct JobQueue: Hashable, Sendable, Identifiable {
    /// Its name.
    public var id: QueueID
    /// How many of its runs are in progress at once, at most. `nil`: as many as the scheduler has places for.
    public var concurrency: Int?
    /// How many runs of jobs with the same ``JobRequest/fairnessKey`` are in progress at once, at most. `nil`: no limit.
    /// Runs of jobs without a key are not limited by it.
    ///
    /// Schedulers that share a store put the new jobs of a key under one of them, which counts their runs. Jobs do not
    /// move for their keys later, so several may own jobs of one key after a change of what schedulers can run, or of
    /// the key; each counts its own.
    public var concurrencyPerKey: Int?
    /// How many of its runs begin in a time. `nil`: no limit.
    public var rate: QueueRate?
    /// Whether no run of it begins. Runs in progress continue.
    public var isPaused: Bool
    /// How many runs had begun within the rate's period when the last one did. For stores: it makes the rate hold over
    /// restarts.
    public var recentStarts: Int
    /// When the last of them began, as an instant of elapsed time (see ``JobStore``).
    public var lastStart: WallInstant?

    /// A queue; without limits unless some are given.
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

/// How many runs may begin in a time: in each interval of that length, wherever it begins, not more.
public struct QueueRate: Hashable, Sendable {
    /// How many; 1 to 100,000.
    public var runs: Int
    /// In which time; 1 ms or more, counted as elapsed time.
    public var period: Duration
    /// So many runs in that time.
    public init(runs: Int, per period: Duration) {
        self.runs = runs
        self.period = period
    }
}

/// Which of the jobs of a queue that wait for a place gets it.
///
/// Of four places of a queue that become free, three go to the highest priority that waits, and the fourth to the
/// priority of the job that was due first: nothing waits for ever. Within a priority the keys of jobs take turns
/// (``JobRequest/fairnessKey``); of one key, or without keys, the oldest due is first.
public enum JobPriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// After the others.
    case low = 1
    /// The default.
    case normal = 2
    /// Before the others.
    case high = 3
    /// Before all others.
    case urgent = 4

    /// Orders priorities: a higher one is greater.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The priority of that name: `low`, `normal`, `high` or `urgent`; `nil` for another.
    public init?(name: String) {
        guard let priority = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = priority
    }

    /// `low`, `normal`, `high` or `urgent`.
    public var name: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        case .urgent: "urgent"
        }
    }
}

/// What makes two jobs the same, for ``JobRequest/conflict``.
public struct JobUniqueness: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case identifier
        case payload(within: Duration?)
        case key(String, within: Duration?)
    }
    package var kind: Kind

    /// The identifier. The default.
    public static let identifier = JobUniqueness(kind: .identifier)

    /// The identifier, or kind and payload: of jobs that ask for this, no two that have not ended have the same kind and
    /// the same bytes.
    ///
    /// - Parameter period: Jobs count, too, that have ended by now and were submitted at most so long ago; a job is
    ///   kept at least that long (``Job/uniqueUntil``). They cannot be updated any more, and neither can one of which only runs in
    ///   progress are left: `update` and `keep` answer with such a job (``SubmissionOutcome/joined``).
    /// - Returns: what makes two jobs the same.
    public static func payload(within period: Duration? = nil) -> JobUniqueness {
        JobUniqueness(kind: .payload(within: period))
    }

    /// The identifier, or kind and key: the same as ``payload(within:)``, with a key in place of the payload's bytes. For
    /// jobs of which only some fields of the payload say which they are.
    ///
    /// - Parameters:
    ///   - key: 1 to 1,020 bytes. Jobs that are unique by a payload have no key, and are never the same as those that have
    ///     one.
    ///   - period: see ``payload(within:)``.
    /// - Returns: what makes two jobs the same.
    public static func key(_ key: String, within period: Duration? = nil) -> JobUniqueness {
        JobUniqueness(kind: .key(key, within: period))
    }

    /// What must be equal beside the kind.
    public enum Content: Hashable, Sendable {
        /// The bytes of the payload.
        case payload([UInt8])
        /// The key.
        case key(String)

        /// For messages.
        package var word: String {
            switch self {
            case .payload: "payload"
            case .key: "uniqueness key"
            }
        }

        /// Byte for byte, as stores compare.
        public static func == (first: Self, second: Self) -> Bool {
            switch (first, second) {
            case (.payload(let first), .payload(let second)): first == second
            case (.key(let first), .key(let second)): first.utf8.elementsEqual(second.utf8)
            case (.payload, .key), (.key, .payload): false
            }
        }

        /// Hashes the bytes.
        public func hash(into hasher: inout Hasher) {
            switch self {
            case .payload(let bytes): hasher.combine(bytes)
            case .key(let key): hasher.combine(Array(key.utf8))
            }
        }
    }

    /// Whether more than the identifier counts (``JobRequest/uniqueContent``).
    public var countsContent: Bool { kind != .identifier }

    /// The key that counts, if one does.
    public var key: String? { if case .key(let key, _) = kind { key } else { nil } }

    /// For how long after its submission a job that has ended counts; `nil`: it does not.
    public var period: Duration? {
        switch kind {
        case .identifier: nil
        case .payload(let period), .key(_, let period): period
        }
    }
}

extension JobUniqueness {
    /// That of its parts, as a store keeps them.
    package init(countsContent: Bool, period: Duration?, key: String?) {
        self = !countsContent ? .identifier : key.map { .key($0, within: period) } ?? .payload(within: period)
    }
}

extension JobQueue {
    /// What is changed of a queue; the rest stays.
    public enum Change: Hashable, Sendable {
        /// How many runs are in progress at once; `nil` for no limit.
        case concurrency(Int?)
        /// How many runs of one key are in progress at once; `nil` for no limit.
        case concurrencyPerKey(Int?)
        /// How many begin in a time; `nil` for no limit.
        case rate(QueueRate?)
        /// Whether none begins.
        case paused(Bool)
    }

    /// Whether schedulers that share a store must count its runs together.
    var hasLimits: Bool { concurrency != nil || rate != nil }

    /// Whether it is more than a name.
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

/// How a queue stands.
public struct QueueStatus: Hashable, Sendable {
    /// The queue.
    public var queue: JobQueue
    /// How many of its runs are in progress.
    public var runningCount: Int
    /// How many jobs wait for a place, as far as they are in memory.
    public var waitingCount: Int
    /// A status.
    public init(queue: JobQueue, runningCount: Int, waitingCount: Int) {
        self.queue = queue
        self.runningCount = runningCount
        self.waitingCount = waitingCount
    }
}

package import ApusJobs
import ApusTimers

/// Of a job that is unique by what it does, or by a key: open jobs that do the same, or have the key, count as the same
/// job.
public struct WireUniqueness: Codable, Hashable, Sendable {
    /// For how long after its submission a job counts that has ended by now: a duration, ISO 8601.
    public var within: String?
    /// The key that counts in place of what a job does. Countdowns have keys of their own.
    public var key: String?
    /// Uniqueness by what a job does or, with a key, by that.
    public init(within: String? = nil, key: String? = nil) { (self.within, self.key) = (within, key) }

    /// `nil` for jobs that are distinguished by their identifiers only.
    package init?(_ uniqueness: JobUniqueness) {
        guard uniqueness.countsContent else { return nil }
        self.init(within: uniqueness.period.map(DurationText.iso8601), key: uniqueness.key)
    }

    func parsed() throws -> JobUniqueness {
        JobUniqueness(
            countsContent: true, period: try within.map { try DurationText.parse($0, argument: "unique.within") },
            key: key)
    }
}

/// A queue as the API and `--json` show it.
public struct WireQueue: Codable, Hashable, Sendable {
    /// Its name.
    public var name: String
    /// How many of its runs are in progress at once, at most.
    @Nullable public var concurrency: Int?
    /// How many of its runs with one fairness key are in progress at once, at most.
    @Nullable public var concurrencyPerKey: Int?
    /// How many of its runs begin in a time, at most.
    @Nullable public var rate: WireRate?
    /// Whether no run of it begins.
    public var paused: Bool
    /// How many of its runs are in progress, over all daemons that share the store.
    public var running: Int
    /// How many jobs wait for a place: as far as they are in the daemon's memory; of a store that is shared, all that are
    /// due, over all daemons, also for other reasons.
    public var waiting: Int

    package init(_ status: QueueStatus) {
        name = status.queue.id.rawValue
        concurrency = status.queue.concurrency
        concurrencyPerKey = status.queue.concurrencyPerKey
        rate = status.queue.rate.map { WireRate(runs: $0.runs, per: DurationText.iso8601($0.period)) }
        paused = status.queue.isPaused
        running = status.runningCount
        waiting = status.waitingCount
    }
}

/// How many runs may begin in a time.
public struct WireRate: Codable, Hashable, Sendable {
    /// How many.
    public var runs: Int
    /// In which time: a duration, ISO 8601.
    public var per: String
    /// A rate.
    public init(runs: Int, per: String) {
        self.runs = runs
        self.per = per
    }

    func parsed() throws -> QueueRate { QueueRate(runs: runs, per: try DurationText.parse(per, argument: "rate.per")) }
}

/// What `GET /v1/queues` answers.
public struct WireQueues: Codable, Hashable, Sendable {
    /// The queues that have limits, or jobs that run or wait, by name.
    public var queues: [WireQueue]

    package init(queues: [WireQueue]) {
        self.queues = queues
    }
}

/// What `PATCH /v1/queues/{name}` takes: what is left out stays.
public struct WireQueueChange: Codable, Hashable, Sendable {
    /// How many runs are in progress at once.
    public var concurrency: FieldChange<Int>
    /// How many runs with one fairness key are in progress at once.
    public var concurrencyPerKey: FieldChange<Int>
    /// How many runs begin in a time.
    public var rate: FieldChange<WireRate>
    /// Whether no run begins.
    public var paused: Bool?
    /// A change.
    public init(
        concurrency: FieldChange<Int> = .unchanged, concurrencyPerKey: FieldChange<Int> = .unchanged,
        rate: FieldChange<WireRate> = .unchanged, paused: Bool? = nil
    ) {
        self.concurrency = concurrency
        self.concurrencyPerKey = concurrencyPerKey
        self.rate = rate
        self.paused = paused
    }

    package func parsed() throws -> [JobQueue.Change] {
        var changes: [JobQueue.Change] = []
        concurrency.apply { changes.append(.concurrency($0)) }
        concurrencyPerKey.apply { changes.append(.concurrencyPerKey($0)) }
        try rate.apply { changes.append(.rate(try $0?.parsed())) }
        if let paused { changes.append(.paused(paused)) }
        guard !changes.isEmpty else {
            throw DaemonError(
                .invalid, "there is nothing to change; give concurrency, concurrencyPerKey, rate or paused")
        }
        return changes
    }
}

/// A node of a cluster as the API and `--json` show it.
public struct WireNode: Codable, Hashable, Sendable {
    /// Its number, which no other node ever has.
    public var id: Int64
    /// What it is called.
    public var name: String
    /// The version of Apus that it runs.
    public var version: String
    /// How many shards it owns.
    public var shards: Int
    /// How long ago its last beat was, in milliseconds of the database's clock.
    public var beatAgeMs: Int64
    /// How long ago the oldest of its jobs that is to be looked at was due, in milliseconds of the database's clock; 0 if
    /// none is late.
    public var lagMs: Int64
    /// `alive`, `silent` or `leaving`.
    public var state: String
    /// The kinds that have a handler; `nil` if the node has not said. Without one, it owns no shards.
    public var kinds: [String]?
    /// The queues that it serves; `nil` for all.
    public var queues: [String]?

    package init(
        id: Int64, name: String, version: String, shards: Int, beatAgeMs: Int64, lagMs: Int64, state: String,
        kinds: [String]?, queues: [String]?
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.shards = shards
        self.beatAgeMs = beatAgeMs
        self.lagMs = lagMs
        self.state = state
        self.kinds = kinds
        self.queues = queues
    }
}

/// What `GET /v1/nodes` answers.
public struct WireNodes: Codable, Hashable, Sendable {
    /// Whether several daemons can share the daemon's store.
    public var shared: Bool
    /// The nodes that have not ended, by their numbers; none if the store is for one machine.
    public var nodes: [WireNode]
    /// An answer.
    public init(shared: Bool, nodes: [WireNode]) {
        self.shared = shared
        self.nodes = nodes
    }
}

package import ApusJobs
import ApusTimers

/// The rule by which open jobs with the same action, or with the same key, count as the same job.
public struct WireUniqueness: Codable, Hashable, Sendable {
    /// The time after a job's submission for which the job counts even if it has ended (a duration, ISO 8601).
    public var within: String?
    /// The key that counts in place of the action.
    ///
    /// A countdown and a job with an action never count as the same job, even if their keys are equal.
    public var key: String?
    /// Creates a rule by which jobs with the same key count as the same job or, without a key, jobs with the same
    /// action.
    public init(within: String? = nil, key: String? = nil) { (self.within, self.key) = (within, key) }

    /// Creates the uniqueness of a job; `nil` if jobs are distinguished by their identifiers only.
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
    /// The name of the queue.
    public var name: String
    /// The maximum number of active runs.
    @Nullable public var concurrency: Int?
    /// The maximum number of active runs with one fairness key.
    @Nullable public var concurrencyPerKey: Int?
    /// The maximum number of runs that begin in a period.
    @Nullable public var rate: WireRate?
    /// Whether the queue is paused, so that none of its runs begins.
    public var paused: Bool
    /// The number of active runs in all daemons that share the store.
    public var running: Int
    /// The number of jobs that wait for a place.
    ///
    /// In a store for one machine, these are the waiting jobs in the daemon's memory. In a shared store, they are all
    /// due jobs of all daemons, including those that wait for other reasons.
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

/// The maximum number of runs that may begin in a period.
public struct WireRate: Codable, Hashable, Sendable {
    /// The number of runs.
    public var runs: Int
    /// The period (a duration, ISO 8601).
    public var per: String
    /// Creates a rate.
    public init(runs: Int, per: String) {
        self.runs = runs
        self.per = per
    }

    func parsed() throws -> QueueRate { QueueRate(runs: runs, per: try DurationText.parse(per, argument: "rate.per")) }
}

/// The answer of `GET /v1/queues`.
public struct WireQueues: Codable, Hashable, Sendable {
    /// The queues that have limits, or jobs that run or wait, in the order of their names.
    public var queues: [WireQueue]

    package init(queues: [WireQueue]) {
        self.queues = queues
    }
}

/// The body of `PATCH /v1/queues/{name}`; absent fields stay as they are.
public struct WireQueueChange: Codable, Hashable, Sendable {
    /// The new maximum number of active runs.
    public var concurrency: FieldChange<Int>
    /// The new maximum number of active runs with one fairness key.
    public var concurrencyPerKey: FieldChange<Int>
    /// The new maximum number of runs that begin in a period.
    public var rate: FieldChange<WireRate>
    /// Whether the queue is to be paused, so that none of its runs begins.
    public var paused: Bool?
    /// Creates a change.
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
    /// The number of the node, which no other node ever has.
    public var id: Int64
    /// The name of the node.
    public var name: String
    /// The version of Apus that the node runs.
    public var version: String
    /// The number of shards that the node owns.
    public var shards: Int
    /// The time since the last beat, in milliseconds of the database's clock.
    public var beatAgeMs: Int64
    /// The time since the earliest overdue job of the node was due, in milliseconds of the database's clock; 0 if none
    /// is overdue.
    ///
    /// This includes jobs that wait for a place in a queue, for a handler or for their conditions.
    public var lagMs: Int64
    /// The state: `alive`, `silent` or `leaving`.
    public var state: String
    /// The kinds for which the node has handlers; `nil` if it has not reported them.
    ///
    /// A node without handlers owns no shards.
    public var kinds: [String]?
    /// The queues that the node serves; `nil` for all.
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

/// The answer of `GET /v1/nodes`.
public struct WireNodes: Codable, Hashable, Sendable {
    /// Whether several daemons can share the daemon's store.
    public var shared: Bool
    /// The nodes that have not ended, in the order of their numbers; empty if the store is for one machine.
    public var nodes: [WireNode]
    /// Creates an answer.
    public init(shared: Bool, nodes: [WireNode]) {
        self.shared = shared
        self.nodes = nodes
    }
}

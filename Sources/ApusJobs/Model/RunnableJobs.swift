/// The queues whose jobs a scheduler runs (``JobScheduler/Configuration/serves``).
public enum QueueSelection: Hashable, Sendable {
    /// All queues.
    case all
    /// These queues.
    case only(Set<QueueID>)

    /// No queue: the scheduler submits jobs and changes them, and runs none.
    public static let nothing = QueueSelection.only([])

    /// Whether jobs of the queue are run.
    public func contains(_ queue: QueueID) -> Bool {
        switch self {
        case .all: true
        case .only(let queues): queues.contains(queue)
        }
    }
}

/// The jobs that a scheduler can run: those of the queues that it serves, of the kinds that have a handler.
public struct RunnableJobs: Hashable, Sendable {
    /// The kinds that have a handler.
    public var kinds: Set<String>
    /// The queues that it serves.
    public var queues: QueueSelection

    /// The jobs of these kinds in these queues.
    public init(kinds: Set<String>, queues: QueueSelection = .all) { (self.kinds, self.queues) = (kinds, queues) }

    /// Whether the job of the request is one of them.
    public func contains(_ request: JobRequest) -> Bool {
        kinds.contains(request.kind) && queues.contains(request.queue)
    }

    /// Whether the jobs of the lane are among them.
    public func contains(_ lane: QueueLane) -> Bool { kinds.contains(lane.kind) && queues.contains(lane.queue) }

    /// Whether no job is one of them: the scheduler owns none then.
    public var isEmpty: Bool { kinds.isEmpty || queues == .nothing }
}

/// The other schedulers of a shared store, as far as this one knows: what they can run, and what they own.
public struct OtherSchedulers: Hashable, Sendable {
    /// One of them.
    public struct Member: Hashable, Sendable {
        /// What it can run.
        public var jobs: RunnableJobs
        /// The shards that it owns, in their order.
        public var shards: [ShardID]
        /// A scheduler.
        public init(jobs: RunnableJobs, shards: [ShardID]) { (self.jobs, self.shards) = (jobs, shards) }
    }

    /// Those that take part and do not leave, in an order that stays.
    public var members: [Member]
    /// All shards of the store, with an owner or without, in their order.
    public var shards: [ShardID]

    /// Some schedulers; none, for a store that has one.
    public init(members: [Member] = [], shards: [ShardID] = []) { (self.members, self.shards) = (members, shards) }
}

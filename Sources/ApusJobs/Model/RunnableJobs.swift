/// The queues whose jobs a scheduler runs (``JobScheduler/Configuration/serves``).
public enum QueueSelection: Hashable, Sendable {
    /// All queues.
    case all
    /// These queues.
    case only(Set<QueueID>)

    /// Selects no queue: the scheduler submits and changes jobs, and runs none.
    public static let nothing = QueueSelection.only([])

    /// Returns whether the selection has the queue.
    public func contains(_ queue: QueueID) -> Bool {
        switch self {
        case .all: true
        case .only(let queues): queues.contains(queue)
        }
    }
}

/// The jobs that a scheduler can run: they are in a queue that it serves, and their kind has a handler.
public struct RunnableJobs: Hashable, Sendable {
    /// The kinds that have a handler.
    public var kinds: Set<String>
    /// The queues that the scheduler serves.
    public var queues: QueueSelection

    /// Creates the set of the jobs of these kinds in these queues.
    public init(kinds: Set<String>, queues: QueueSelection = .all) { (self.kinds, self.queues) = (kinds, queues) }

    /// Returns whether the scheduler can run the job of the request.
    public func contains(_ request: JobRequest) -> Bool {
        kinds.contains(request.kind) && queues.contains(request.queue)
    }

    /// Returns whether the scheduler can run the jobs of the lane.
    public func contains(_ lane: QueueLane) -> Bool { kinds.contains(lane.kind) && queues.contains(lane.queue) }

    /// Whether the scheduler can run no job; such a scheduler owns no jobs.
    public var isEmpty: Bool { kinds.isEmpty || queues == .nothing }
}

/// The other schedulers of a shared store, with the jobs that they can run and the shards that they own.
///
/// This is what one scheduler knows of the others. It may be out of date.
public struct OtherSchedulers: Hashable, Sendable {
    /// One of the other schedulers.
    public struct Member: Hashable, Sendable {
        /// The jobs that the scheduler can run.
        public var jobs: RunnableJobs
        /// The shards that the scheduler owns, in ascending order.
        public var shards: [ShardID]
        /// Creates a member.
        public init(jobs: RunnableJobs, shards: [ShardID]) { (self.jobs, self.shards) = (jobs, shards) }
    }

    /// The schedulers that share the store, without those that are leaving, in a stable order.
    public var members: [Member]
    /// All shards of the store, with or without an owner, in ascending order.
    public var shards: [ShardID]

    /// Creates a list of schedulers, which is empty for a store with one scheduler.
    public init(members: [Member] = [], shards: [ShardID] = []) { (self.members, self.shards) = (members, shards) }
}

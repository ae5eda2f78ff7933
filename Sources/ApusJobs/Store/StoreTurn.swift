/// The changes of one decision of a scheduler, in one transaction.
public struct StoreTurn: Hashable, Sendable {
    /// The parts, each of which is applied completely or not at all.
    public var parts: [[JobChange]]
    /// The clocks with which the instants of the changes were computed; a store writes the record if it has changed.
    public var clock: StoreClock
    /// New and changed queues, which are written regardless of the parts.
    public var queues: [JobQueue]
    /// The queues in ``queues`` as the session knew them before.
    ///
    /// A shared store writes only the settings (concurrency, concurrency per key, rate and pause) that differ, because
    /// another session may have changed the other settings.
    public var knownQueues: [JobQueue]
    /// The submissions that the parts carry out, at most one for each part.
    public var taken: [TakenSubmission]
    /// The commands for jobs in other schedulers' shards, at most one for each part.
    public var forwarded: [ForwardedCommand]
    /// Jobs that this program cannot read, which are set aside regardless of the parts.
    ///
    /// Such a job is not due until the next owner of its shard opens the store (``JobStore/open(as:)``); its row and
    /// its version stay. A job that was changed in the meantime is set aside all the same; one that was removed is
    /// ignored.
    public var setAside: [UnreadableJob]
    /// The shards that the session gives back, which contain no job of the parts.
    public var released: [ShardID]
    /// Whether the session gives all its shards back and wants no others.
    public var isLeaving: Bool
    /// Creates a turn.
    public init(
        parts: [[JobChange]], clock: StoreClock, queues: [JobQueue] = [], knownQueues: [JobQueue] = [],
        taken: [TakenSubmission] = [],
        forwarded: [ForwardedCommand] = [], setAside: [UnreadableJob] = [], released: [ShardID] = [],
        isLeaving: Bool = false
    ) {
        self.setAside = setAside
        self.parts = parts
        self.clock = clock
        self.queues = queues
        self.knownQueues = knownQueues
        self.taken = taken
        self.forwarded = forwarded
        self.released = released
        self.isLeaving = isLeaving
    }
}

/// The jobs that had a label and had not ended when a caller read them.
public struct LabelledJobs: Hashable, Sendable {
    /// The label and its value.
    public var label: String, value: String
    /// The keys of the jobs.
    public var keys: Set<Int64>
    /// Creates a list of jobs with a label.
    public init(label: String, value: String, keys: Set<Int64>) {
        (self.label, self.value, self.keys) = (label, value, keys)
    }
}

/// One change of one job: its new row, and its new and changed runs; it is written completely or not at all.
public struct JobChange: Hashable, Sendable {
    /// The state of the store that a change requires.
    public enum Expectation: Hashable, Sendable {
        /// No job that has not ended has this identifier, no job has the request's idempotency key, and no other job
        /// that has not ended has the kind and content by which the request is unique.
        ///
        /// The store assigns the key.
        case absent
        /// The job with this key has this version.
        case version(Int64)
    }
    /// The shard of the job.
    ///
    /// A stored job is in one of the session's shards. A new job may be put into any shard of a store for several
    /// schedulers; the owner of the shard is notified (``StoreSignal/wake``).
    public var shard: ShardID
    /// The shard to which a stored job without claimed runs moves; `nil` if it stays.
    ///
    /// Any session may own this shard; the owner is notified.
    public var destination: ShardID?
    /// The state of the store that the change requires.
    public var expected: Expectation
    /// Whether the part with a new job is refused with ``JobError/Code/alreadyExists`` if a job that has not ended has
    /// the new job's name.
    public var requiresFreeName: Bool
    /// A label, and the jobs that are known to have it.
    ///
    /// The part with a new job is refused with ``JobError/Code/alreadyExists`` if a job that is not one of these, and
    /// has not ended, has the label.
    public var onlyBeside: LabelledJobs?
    /// The job as it is after the change.
    ///
    /// Its `version` is ignored, because the store writes the expected version plus 1, or 1 for a new job. Its
    /// `openRunCount` is the number of open runs after the change, and stores may rely on it.
    public var job: Job
    /// Whether the job's request differs from the stored one and must be written too.
    public var isRequestChanged: Bool
    /// Whether the job's state may differ from the stored one; if not, it need not be written.
    public var isStateChanged: Bool
    /// Runs to insert or overwrite, by (job key, occurrence, attempt).
    ///
    /// For a new job, the store sets their `jobKey`.
    public var runs: [Run]
    /// The largest number of attempts, and the largest number of skipped ranges, that the job's history keeps; `nil` to
    /// remove nothing.
    ///
    /// The newest attempts and the newest ranges stay, and so do all open runs.
    public var keptRuns: Int?
    /// Creates a change.
    public init(
        shard: ShardID = .only, expected: Expectation, requiresFreeName: Bool = false,
        onlyBeside: LabelledJobs? = nil, job: Job, isRequestChanged: Bool = false, isStateChanged: Bool = true,
        runs: [Run] = [], keptRuns: Int? = nil, destination: ShardID? = nil
    ) {
        self.destination = destination
        self.shard = shard
        self.expected = expected
        self.requiresFreeName = requiresFreeName
        self.onlyBeside = onlyBeside
        self.job = job
        self.isRequestChanged = isRequestChanged
        self.isStateChanged = isStateChanged
        self.runs = runs
        self.keptRuns = keptRuns
    }
}

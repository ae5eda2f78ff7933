/// What a scheduler has decided at once: one transaction.
public struct StoreTurn: Hashable, Sendable {
    /// Each is applied whole or not at all.
    public var parts: [[JobChange]]
    /// The clocks by which the instants of the changes were computed. The store keeps the record if it is a new one.
    public var clock: StoreClock
    /// Queues that are new or changed, to be written whatever becomes of the parts.
    public var queues: [JobQueue]
    /// The same queues as the session knew them before. A store that is shared writes of concurrency, rate and pause only
    /// what is different: another session may have changed the others.
    public var knownQueues: [JobQueue]
    /// Submissions that the parts carry out, at most one for each part.
    public var taken: [TakenSubmission]
    /// Commands that are the owners' of other shards to carry out, at most one for each part.
    public var forwarded: [ForwardedCommand]
    /// Jobs that this program cannot read, to be set aside whatever becomes of the parts: nothing of such a job is due
    /// until the next owner of its shard opens the store (``JobStore/open(as:)``), and the job itself, with its
    /// version, stays as it is. A job that was changed meanwhile is set aside all the same; one that is gone is not.
    public var setAside: [UnreadableJob]
    /// Shards that the session gives back. No part is about their jobs.
    public var released: [ShardID]
    /// The session gives all its shards back, and wants no others.
    public var isLeaving: Bool
    /// A turn.
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

/// The jobs that have a label and have not ended, as a caller has read them.
public struct LabelledJobs: Hashable, Sendable {
    /// The label, and its value.
    public var label: String, value: String
    /// The keys of the jobs.
    public var keys: Set<Int64>
    /// Some jobs.
    public init(label: String, value: String, keys: Set<Int64>) {
        (self.label, self.value, self.keys) = (label, value, keys)
    }
}

/// One change of one job: the job's new row, and runs that are new or changed. Written whole or not at all.
public struct JobChange: Hashable, Sendable {
    /// What must be true of the stored job.
    public enum Expectation: Hashable, Sendable {
        /// No job that has not ended has this identifier; no job has the request's idempotency key; and if the request
        /// is unique by its content, no other such job that has not ended has its kind and content. The store gives the
        /// key.
        case absent
        /// The job with this key has this version.
        case version(Int64)
    }
    /// Which shard the job belongs to. A stored job's is one of the session's. A new job may be put into any shard of a
    /// store for several schedulers: its owner is notified (``StoreSignal/wake``).
    public var shard: ShardID
    /// Of a stored job without claimed runs: the shard to which it belongs from then on, of any owner, who is
    /// notified. `nil`: it stays.
    public var destination: ShardID?
    /// What must be true.
    public var expected: Expectation
    /// Of a new job: whether no job that has not ended may have its name. Otherwise the part is refused with
    /// ``JobError/Code/alreadyExists``.
    public var requiresFreeName: Bool
    /// Of a new job: the only jobs with a label that may be there and not have ended. Otherwise the part is refused with
    /// ``JobError/Code/alreadyExists``.
    public var onlyBeside: LabelledJobs?
    /// The new row. Its `version` is ignored: the store writes the expected one plus 1 (1 for a new job). Its `openRuns`
    /// is how many runs are open after the change; stores may rely on it.
    public var job: Job
    /// Whether the job's request differs from the stored one, and has to be written too.
    public var isRequestChanged: Bool
    /// Whether the job's state may differ from the stored one. If not, it need not be written.
    public var isStateChanged: Bool
    /// Runs to insert or overwrite, by (job key, occurrence, attempt). For a new job their `jobKey` is ignored and set
    /// by the store.
    public var runs: [Run]
    /// Of the job's history only so many attempts, and so many skipped ranges, are kept, the newest; open runs stay.
    /// `nil`: nothing is removed.
    public var keptRuns: Int?
    /// A change.
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

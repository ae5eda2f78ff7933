public import ApusTimers

/// Where jobs live. Every rule of scheduling is in the state machine above; a store only makes changes durable and
/// finds rows.
///
/// The scheduler is the store's single owner: it opens the store, which gives it an ``StoreEpoch``; each write carries
/// that epoch, and a store refuses a write whose epoch is not the current one (``JobError/Code/notOwner``).
public protocol JobStore: Sendable {
    /// What this store can do, and how exact its instants are.
    var capabilities: StoreCapabilities { get }

    /// Takes ownership. Everything committed by earlier owners is there; nothing they had not committed is.
    /// - Throws: ``JobError`` with `owned` (naming the owner), `damaged`, `newerSchema`, `unavailable`.
    func open() async throws -> StoreEpoch

    /// Applies each change, durably: when this returns, the changes survive a crash. Changes of concurrent calls may
    /// share one commit, but each call succeeds or fails on its own, whole. The order of calls from one task is kept.
    ///
    /// - Returns: the jobs as they are now, with their keys and versions, in the order of `changes`.
    /// - Throws: ``JobError`` with `conflict` (a version was not the expected one, or the identifier of a new job is
    ///   taken), `notOwner`, `full`,
    ///   `unavailable`, `damaged`. Nothing of this call has been applied then.
    func commit(_ changes: [JobChange], epoch: StoreEpoch) async throws -> [Job]

    /// Jobs that must be looked at before `instant` (`wake` ≤ `instant`), ordered by (`wake`, `key`), with their open
    /// runs; at most `limit`. Jobs whose identifiers are in `loaded` are not left out: the scheduler knows what it has.
    func wakingJobs(through instant: WallInstant, limit: Int) async throws -> [LoadedJob]

    /// The earliest `wake` after `instant`, if any.
    func nextWake(after instant: WallInstant) async throws -> WallInstant?

    /// All jobs that have a claimed run: after a crash, those whose runs were interrupted.
    func interruptedJobs() async throws -> [LoadedJob]

    /// One job with its open runs; by identifier.
    func job(_ id: JobID) async throws -> LoadedJob?

    /// Jobs that match, one page of them.
    func jobs(_ query: JobQuery) async throws -> JobPage

    /// Runs that match, newest first (by the order in which they were written), one page of them.
    func runs(_ query: RunQuery) async throws -> RunPage

    /// Moves `first`, `nextDue`, `wake` of every unfinished, unsuspended job with a relative trigger (and the `due` and
    /// `notBefore` of its waiting runs that have not become due) by `offset`: the wall clock was set, and elapsed time
    /// was not. One transaction. Versions grow.
    func shiftRelativeJobs(by offset: Duration, epoch: StoreEpoch) async throws

    /// A small record that the scheduler keeps beside the jobs (the reading of the clocks at the last commit); `nil` if
    /// never written.
    func metadata(_ key: String) async throws -> String?
    /// Writes it, durably with the next commit at the latest.
    func setMetadata(_ key: String, to value: String, epoch: StoreEpoch) async throws

    /// Removes what history no longer needs: of each job, the oldest attempts beyond `keepRuns` and the oldest skipped
    /// ranges beyond `keepRuns` (so that skips never displace attempts), and jobs that ended before `endedBefore`, with
    /// their runs. Open runs stay.
    func prune(keepRuns: Int, endedBefore: WallInstant, epoch: StoreEpoch) async throws

    /// Gives ownership back, after everything asked for has been committed. Idempotent.
    func close() async throws
}

/// Which owner a write comes from: a number that grows with each owner.
public struct StoreEpoch: Hashable, Sendable, Comparable {
    /// The number.
    public var rawValue: Int64
    /// The epoch with that number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Orders epochs: a later owner's is greater.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// What a store can do.
public struct StoreCapabilities: Hashable, Sendable {
    /// Whether what was committed survives the process.
    public var isDurable: Bool
    /// Whether several processes may use it at once.
    public var isShared: Bool
    /// How exactly it keeps instants; a stored instant may be that much *later* than asked, never earlier.
    public var timePrecision: Duration
    /// Capabilities.
    public init(isDurable: Bool, isShared: Bool, timePrecision: Duration) {
        self.isDurable = isDurable
        self.isShared = isShared
        self.timePrecision = timePrecision
    }
}

/// A job with what its next transition depends on.
public struct LoadedJob: Hashable, Sendable {
    /// The job.
    public var job: Job
    /// Its open runs (`waiting` and `claimed`), ordered by (occurrence, attempt).
    public var open: [Run]
    /// The range of skipped occurrences that ends with the last occurrence that arrived; `nil` if that one was not
    /// skipped. The next skip for the same reason extends this range instead of beginning another.
    public var lastSkip: Run?
    /// A job with its open runs and, if its last occurrence was skipped, that range.
    public init(job: Job, open: [Run], lastSkip: Run? = nil) {
        self.job = job
        self.open = open
        self.lastSkip = lastSkip
    }
}

/// One change of one job: the job's new row, and runs that are new or changed. Written whole or not at all.
public struct JobChange: Hashable, Sendable {
    /// What must be true of the stored job.
    public enum Expectation: Hashable, Sendable {
        /// No job has this identifier, nor the request's idempotency key. The store gives the key.
        case absent
        /// A job with this key has this version.
        case version(Int64)
        /// Whatever job has this identifier is replaced: the old row and its runs' `job` identifier make way. The store
        /// gives a new key; the old job's open runs become `cancelled(replaced)` and final, its state `cancelled`, and
        /// its identifier is freed (renamed with a suffix).
        case replace
    }
    /// What must be true.
    public var expected: Expectation
    /// The new row. Its `version` is ignored: the store writes the expected one plus 1 (1 for a new job).
    public var job: Job
    /// Runs to insert or overwrite, by (job key, occurrence, attempt). For a new job their `jobKey` is ignored and set
    /// by the store.
    public var runs: [Run]
    /// A change.
    public init(expected: Expectation, job: Job, runs: [Run] = []) {
        self.expected = expected
        self.job = job
        self.runs = runs
    }
}

/// Which jobs to list.
public struct JobQuery: Hashable, Sendable {
    /// Only jobs whose identifier begins so, or whose name is exactly this.
    public var idPrefixOrName: String?
    /// Only jobs of these states; empty for all.
    public var states: Set<JobState>
    /// Only jobs of this kind.
    public var kind: String?
    /// Only jobs with all of these labels.
    public var labels: [String: String]
    /// Only the job that was submitted with this key (``JobRequest/idempotencyKey``).
    public var idempotencyKey: String?
    /// At most this many.
    public var limit: Int
    /// Continue after this page's end.
    public var after: String?
    /// A query; each argument left out asks for everything.
    public init(
        idPrefixOrName: String? = nil, states: Set<JobState> = [], kind: String? = nil, labels: [String: String] = [:],
        idempotencyKey: String? = nil, limit: Int = 50, after: String? = nil
    ) {
        self.idPrefixOrName = idPrefixOrName
        self.states = states
        self.kind = kind
        self.labels = labels
        self.idempotencyKey = idempotencyKey
        self.limit = limit
        self.after = after
    }
}

/// One page of jobs, ordered by key (the order of submission).
public struct JobPage: Hashable, Sendable {
    /// The jobs.
    public var jobs: [Job]
    /// For each job in `jobs`, in the same order, the run that says how it is doing: the newest attempt that is going on;
    /// else the newest attempt that began (its claim was committed); else the newest run that ended without an attempt
    /// (skipped, or cancelled while it waited); `nil` if there is none.
    public var lastRuns: [Run?]
    /// Pass it as `after` for the next page; `nil` at the end.
    public var next: String?
    /// A page.
    public init(jobs: [Job], lastRuns: [Run?], next: String?) {
        self.jobs = jobs
        self.lastRuns = lastRuns
        self.next = next
    }
}

/// Which runs to list.
public struct RunQuery: Hashable, Sendable {
    /// Only this job's.
    public var job: JobID?
    /// Only this occurrence's.
    public var occurrence: Int?
    /// Only runs of these states; empty for all.
    public var states: Set<RunState>
    /// Only attempts that began: their claim was committed. Leaves out what waits, what was skipped, and what was
    /// cancelled while it waited.
    public var begunOnly: Bool
    /// At most this many.
    public var limit: Int
    /// Continue after this page's end.
    public var after: String?
    /// A query; each argument left out asks for everything.
    public init(
        job: JobID? = nil, occurrence: Int? = nil, states: Set<RunState> = [], begunOnly: Bool = false, limit: Int = 50,
        after: String? = nil
    ) {
        self.job = job
        self.occurrence = occurrence
        self.states = states
        self.begunOnly = begunOnly
        self.limit = limit
        self.after = after
    }
}

/// One page of runs.
public struct RunPage: Hashable, Sendable {
    /// The runs.
    public var runs: [Run]
    /// Pass it as `after` for the next page; `nil` at the end.
    public var next: String?
    /// A page.
    public init(runs: [Run], next: String?) {
        self.runs = runs
        self.next = next
    }
}

public import ApusTimers

/// The conditions of a list of jobs, all of which must hold.
public struct JobQuery: Hashable, Sendable {
    /// The beginning of the jobs' identifiers, or their exact name; `nil` for all.
    public var idPrefixOrName: String?
    /// The exact names of the jobs; empty for all.
    public var names: Set<String>
    /// The states of the jobs; empty for all.
    public var states: Set<JobState>
    /// The kind of the jobs; `nil` for all.
    public var kind: String?
    /// The queues of the jobs; empty for all.
    public var queues: Set<QueueID>
    /// The fairness keys of the jobs (``JobRequest/fairnessKey``); empty for all.
    public var fairnessKeys: Set<String>
    /// The range within which the jobs were submitted, by the wall clock of that time; `nil` for all.
    public var created: Range<WallInstant>?
    /// The range within which the jobs' next occurrence (``Job/nextDue``) is due; `nil` for all.
    ///
    /// The due instant may be in the past, if the occurrence has not been examined yet.
    public var due: Range<WallInstant>?
    /// The labels that a job must have, all of them; empty for all jobs.
    public var labels: [String: String]
    /// The key with which the job was submitted (``JobRequest/idempotencyKey``); `nil` for all jobs.
    public var idempotencyKey: String?
    /// The states that a job's newest ended attempt may have; empty for all jobs.
    ///
    /// Runs that ended before an attempt began do not count.
    public var lastEnded: Set<RunState>
    /// Whether only jobs with a calendar trigger are listed.
    public var calendarsOnly: Bool
    /// Whether the jobs that were submitted last come first; otherwise they come last.
    public var newestFirst: Bool
    /// Whether a store fills in ``JobPage/lastRuns``, for which it searches job by job; if false, all its elements are
    /// `nil`.
    public var includesLastRuns: Bool
    /// The largest number of jobs of the page.
    public var limit: Int
    /// The ``JobPage/nextCursor`` of the previous page; `nil` for the first page.
    public var cursor: String?
    /// Creates a query; an omitted argument excludes no jobs.
    public init(
        idPrefixOrName: String? = nil, names: Set<String> = [], states: Set<JobState> = [], kind: String? = nil,
        queues: Set<QueueID> = [], fairnessKeys: Set<String> = [], created: Range<WallInstant>? = nil,
        due: Range<WallInstant>? = nil, labels: [String: String] = [:], idempotencyKey: String? = nil,
        lastEnded: Set<RunState> = [], calendarsOnly: Bool = false,
        newestFirst: Bool = false, includesLastRuns: Bool = true, limit: Int = 50, cursor: String? = nil
    ) {
        self.includesLastRuns = includesLastRuns
        self.idPrefixOrName = idPrefixOrName
        self.names = names
        self.states = states
        self.kind = kind
        self.queues = queues
        self.fairnessKeys = fairnessKeys
        self.created = created
        self.due = due
        self.labels = labels
        self.idempotencyKey = idempotencyKey
        self.lastEnded = lastEnded
        self.calendarsOnly = calendarsOnly
        self.newestFirst = newestFirst
        self.limit = limit
        self.cursor = cursor
    }
}

/// A page of jobs, ordered by ascending key (the order of submission), or by descending key (``JobQuery/newestFirst``).
public struct JobPage: Hashable, Sendable {
    /// The jobs.
    public var jobs: [Job]
    /// The most relevant run of each job in `jobs`, in the same order; `nil` for a job without runs.
    ///
    /// It is the newest running attempt; otherwise the newest attempt that began (its claim was committed); otherwise
    /// the newest run that ended without an attempt (skipped, or cancelled while it waited).
    public var lastRuns: [Run?]
    /// The jobs of the page that cannot be read, in the same order as the others.
    public var unreadable: [UnreadableJob]
    /// The query's `cursor` for the next page; `nil` at the end.
    public var nextCursor: String?
    /// Creates a page.
    public init(jobs: [Job], lastRuns: [Run?], unreadable: [UnreadableJob] = [], nextCursor: String?) {
        self.unreadable = unreadable
        self.jobs = jobs
        self.lastRuns = lastRuns
        self.nextCursor = nextCursor
    }
}

extension JobPage {
    /// Returns the jobs that the scheduler must examine first, in the order of (`nextWake`, `key`).
    package static func soonest(_ jobs: [Job], limit: Int) -> [Job] {
        let waking = jobs.compactMap { job in job.nextWake.map { (wake: $0, job: job) } }
        return waking.sorted { ($0.wake, $0.job.key) < ($1.wake, $1.job.key) }.prefix(limit).map(\.job)
    }
}

/// The conditions of a list of runs, all of which must hold.
public struct RunQuery: Hashable, Sendable {
    /// The identifier of the runs' job; `nil` for all jobs.
    public var jobID: JobID?
    /// The number of the occurrence; `nil` for all.
    public var occurrence: Int?
    /// The kind of the runs' jobs; `nil` for all.
    ///
    /// This and the other conditions of jobs are evaluated for the present job of each run. If few runs match, reading
    /// a page takes time in proportion to the whole history.
    public var kind: String?
    /// The queues of the runs' jobs; empty for all.
    public var queues: Set<QueueID>
    /// The fairness keys of the runs' jobs (``JobRequest/fairnessKey``); empty for all.
    public var fairnessKeys: Set<String>
    /// The labels that a run's job must have, all of them; empty for all jobs.
    public var labels: [String: String]
    /// The states of the runs; empty for all.
    public var states: Set<RunState>
    /// Whether only attempts that began are listed.
    ///
    /// An attempt has begun once its claim was committed. Waiting and skipped runs, and runs that were cancelled while
    /// they waited, are left out.
    public var begunOnly: Bool
    /// The instant before which no listed run has ended; `nil` for all runs.
    ///
    /// Open runs are listed in any case.
    public var since: WallInstant?
    /// The largest number of runs of the page.
    public var limit: Int
    /// The ``RunPage/nextCursor`` of the previous page; `nil` for the first page.
    public var cursor: String?
    /// Creates a query; an omitted argument excludes no runs.
    public init(
        jobID: JobID? = nil, occurrence: Int? = nil, kind: String? = nil, queues: Set<QueueID> = [],
        fairnessKeys: Set<String> = [], labels: [String: String] = [:], states: Set<RunState> = [],
        begunOnly: Bool = false, since: WallInstant? = nil, limit: Int = 50, cursor: String? = nil
    ) {
        self.jobID = jobID
        self.occurrence = occurrence
        self.kind = kind
        self.queues = queues
        self.fairnessKeys = fairnessKeys
        self.labels = labels
        self.states = states
        self.begunOnly = begunOnly
        self.since = since
        self.limit = limit
        self.cursor = cursor
    }
}

extension RunQuery {
    /// The query's conditions on the runs' jobs.
    ///
    /// The setter uses only the kind, the queues, the fairness keys and the labels of the new value.
    package var jobQuery: JobQuery {
        get { JobQuery(kind: kind, queues: queues, fairnessKeys: fairnessKeys, labels: labels) }
        set {
            (kind, queues, fairnessKeys, labels) = (
                newValue.kind, newValue.queues, newValue.fairnessKeys, newValue.labels
            )
        }
    }
}

/// A page of runs.
public struct RunPage: Hashable, Sendable {
    /// The runs, without those that this program cannot read.
    public var runs: [Run]
    /// The names of the runs' jobs, without the jobs that have no name.
    public var names: [JobID: String]
    /// The query's `cursor` for the next page; `nil` at the end.
    public var nextCursor: String?
    /// Creates a page.
    public init(runs: [Run], names: [JobID: String] = [:], nextCursor: String?) {
        self.runs = runs
        self.names = names
        self.nextCursor = nextCursor
    }
}

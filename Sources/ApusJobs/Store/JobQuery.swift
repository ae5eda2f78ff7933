public import ApusTimers

/// Which jobs to list.
public struct JobQuery: Hashable, Sendable {
    /// Only jobs whose identifier begins so, or whose name is exactly this.
    public var idPrefixOrName: String?
    /// Only jobs with one of these names, exactly; empty for all.
    public var names: Set<String>
    /// Only jobs of these states; empty for all.
    public var states: Set<JobState>
    /// Only jobs of this kind.
    public var kind: String?
    /// Only jobs of these queues; empty for all.
    public var queues: Set<QueueID>
    /// Only jobs with one of these fairness keys (``JobRequest/fairnessKey``); empty for all.
    public var fairnessKeys: Set<String>
    /// Only jobs that were submitted within this range, by the wall clock of that time.
    public var created: Range<WallInstant>?
    /// Only jobs whose next occurrence (``Job/nextDue``) is due within this range. It may have passed: then the occurrence
    /// has not been examined yet.
    public var due: Range<WallInstant>?
    /// Only jobs with all of these labels.
    public var labels: [String: String]
    /// Only the job that was submitted with this key (``JobRequest/idempotencyKey``).
    public var idempotencyKey: String?
    /// Only jobs whose newest attempt that began and has ended is in one of these states; empty for all.
    public var lastEnded: Set<RunState>
    /// Only jobs with a calendar trigger.
    public var calendarsOnly: Bool
    /// Whether the jobs that were submitted last come first; otherwise they come last.
    public var newestFirst: Bool
    /// Includes ``JobPage/lastRuns`` in the page. A store looks them up job by job; without them they are all `nil`.
    public var includesLastRuns: Bool
    /// At most this many.
    public var limit: Int
    /// Where to begin: the ``JobPage/nextCursor`` of the page before; `nil` for the first page.
    public var cursor: String?
    /// A query; each argument left out asks for everything.
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

/// One page of jobs, ordered by key (the order of submission), or by falling keys (``JobQuery/newestFirst``).
public struct JobPage: Hashable, Sendable {
    /// The jobs.
    public var jobs: [Job]
    /// For each job in `jobs`, in the same order, the run that says how it is doing: the newest running attempt;
    /// else the newest attempt that began (its claim was committed); else the newest run that ended without an attempt
    /// (skipped, or cancelled while it waited); `nil` if there is none.
    public var lastRuns: [Run?]
    /// Jobs that belong to the page and cannot be read, ordered as the others.
    public var unreadable: [UnreadableJob]
    /// The query's `cursor` for the next page; `nil` at the end.
    public var nextCursor: String?
    /// A page.
    public init(jobs: [Job], lastRuns: [Run?], unreadable: [UnreadableJob] = [], nextCursor: String?) {
        self.unreadable = unreadable
        self.jobs = jobs
        self.lastRuns = lastRuns
        self.nextCursor = nextCursor
    }
}

extension JobPage {
    /// The jobs that the scheduler must look at first, in the order of (`nextWake`, `key`).
    package static func soonest(_ jobs: [Job], limit: Int) -> [Job] {
        let waking = jobs.compactMap { job in job.nextWake.map { (wake: $0, job: job) } }
        return waking.sorted { ($0.wake, $0.job.key) < ($1.wake, $1.job.key) }.prefix(limit).map(\.job)
    }
}

/// Which runs to list.
public struct RunQuery: Hashable, Sendable {
    /// Only this job's.
    public var jobID: JobID?
    /// Only this occurrence's.
    public var occurrence: Int?
    /// Only runs of jobs of this kind. This and what follows about jobs is asked of them as they are now, run by run: where
    /// few runs match, a page takes as long as the history is.
    public var kind: String?
    /// Only runs of jobs that are in these queues; empty for all.
    public var queues: Set<QueueID>
    /// Only runs of jobs that have one of these fairness keys (``JobRequest/fairnessKey``); empty for all.
    public var fairnessKeys: Set<String>
    /// Only runs of jobs that have all of these labels.
    public var labels: [String: String]
    /// Only runs of these states; empty for all.
    public var states: Set<RunState>
    /// Only attempts that began: their claim was committed. Leaves out what waits, what was skipped, and what was
    /// cancelled while it waited.
    public var begunOnly: Bool
    /// Only runs that are open, or have ended at or after this instant.
    public var since: WallInstant?
    /// At most this many.
    public var limit: Int
    /// Where to begin: the ``RunPage/nextCursor`` of the page before; `nil` for the first page.
    public var cursor: String?
    /// A query; each argument left out asks for everything.
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
    /// What it asks of the runs' jobs. Of another query that is set, the other conditions do not count.
    package var jobQuery: JobQuery {
        get { JobQuery(kind: kind, queues: queues, fairnessKeys: fairnessKeys, labels: labels) }
        set {
            (kind, queues, fairnessKeys, labels) = (
                newValue.kind, newValue.queues, newValue.fairnessKeys, newValue.labels
            )
        }
    }
}

/// One page of runs.
public struct RunPage: Hashable, Sendable {
    /// The runs, without those that this program cannot read.
    public var runs: [Run]
    /// The names of their jobs, of those that have one.
    public var names: [JobID: String]
    /// The query's `cursor` for the next page; `nil` at the end.
    public var nextCursor: String?
    /// A page.
    public init(runs: [Run], names: [JobID: String] = [:], nextCursor: String?) {
        self.runs = runs
        self.names = names
        self.nextCursor = nextCursor
    }
}

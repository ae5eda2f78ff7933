public import ApusTimers

/// The place where jobs are kept; it makes changes durable and finds rows.
///
/// All rules of scheduling are in the scheduler's state machines; a store has none.
///
/// A scheduler opens the store and gets a ``StoreSession``: the shards that it owns, each with its ``StoreEpoch``.
/// Every write names its session, and a store refuses a write for a shard whose epoch is not the current one
/// (``JobError/Code/notOwner``), so a scheduler that has lost a shard can change nothing in it.
///
/// ## Elapsed time
///
/// Some instants count elapsed time: the ``JobBookkeeping/elapsedWake`` of every job; `firstDue` and `nextDue` of a job
/// whose trigger ``Trigger/isRelative``, and the `due` of its waiting runs; the `due` of waiting runs by hand; and the
/// `notBefore` of every waiting run. The last instant means "never", and does not move. A store keeps these instants on
/// a separate axis, the wall clock minus ``StoreClock/elapsedOffset``, and returns them as instants of the wall clock
/// by the offset of the last commit. So when the wall clock is set, one record changes, and no row. The instants of
/// runs that are claimed or have ended are on the wall clock, and do not move any more.
public protocol JobStore: Sendable {
    /// The abilities of this store, and the precision of its instants.
    var capabilities: StoreCapabilities { get }

    /// Takes ownership for a scheduler, which then sees everything that earlier owners have committed.
    ///
    /// Jobs that an earlier owner has set aside get their former due instants back, because this program may be able to
    /// read them.
    /// - Parameter node: The name of the scheduler for people.
    /// - Returns: The session, which the owner's writes name.
    /// - Throws: ``JobError`` with `owned` (naming the owner), `damaged`, `newerSchema`, `unavailable`.
    func open(as node: NodeID) async throws -> StoreSession

    /// Takes ownership as ``open(as:)`` does, for a scheduler that can run these jobs.
    ///
    /// In a store for several schedulers, a session that can run no jobs owns no shard. It is opened at once, and
    /// writes new jobs into the shards of other sessions.
    /// - Parameters:
    ///   - node: The name of the scheduler for people.
    ///   - jobs: The jobs that the scheduler can run at first (``serve(_:in:)``).
    /// - Returns: The session, which the owner's writes name.
    /// - Throws: The errors of ``open(as:)``.
    func open(as node: NodeID, running jobs: RunnableJobs) async throws -> StoreSession

    /// Sets the jobs that the session's scheduler can run from now on.
    ///
    /// The other schedulers of the store are notified soon, and the session's share of the shards is adjusted.
    func serve(_ jobs: RunnableJobs, in session: StoreSession)

    /// Applies a turn durably in one transaction: once this returns, what was applied survives a crash.
    ///
    /// The parts are applied in their order, and each succeeds or fails completely and independently of the others. A
    /// turn without changes tests whether the store can be written: the call returns only if it can.
    /// - Returns: For each part its jobs as they are now, with their keys and versions, in the order of the part's
    ///   changes; or the reason why the part was not applied. The reasons are `conflict` (a version was not the
    ///   expected one, or the identifier, the idempotency key or the content is taken, possibly by another part),
    ///   `alreadyExists` (the name is taken and ``JobChange/requiresFreeName`` is set, or a job that
    ///   ``JobChange/onlyBeside`` does not list has its label), `invalid` and `notOwner`.
    /// - Throws: ``JobError`` with `full`, `notOwner` or `closed` if nothing of the turn was applied; with another
    ///   code, the turn was applied as a whole or not at all.
    func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>]

    /// Returns jobs of the session's shards that must be examined (``Job/nextWake``), with their open runs, ordered by
    /// (`nextWake`, `key`).
    ///
    /// The load limits the number of jobs of each lane and of all together; jobs that cannot be read count too.
    func due(_ load: JobLoad, in session: StoreSession) async throws -> DueJobs

    /// Returns the jobs of the session's shards with a claimed run, ordered by key, after the job with the key `key`;
    /// at most `limit`.
    ///
    /// After a crash these are the interrupted jobs. Jobs that are set aside are left out.
    func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob]

    /// Returns the jobs of the session's shards that repeat on the wall clock, ordered by key, after the job with the
    /// key `key`; at most `limit`.
    ///
    /// They are examined when the wall clock is set back. Jobs that are set aside are left out.
    func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob]

    /// Returns submissions for the session's shards that no turn has taken, oldest first; at most `limit`.
    func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission]

    /// Returns the stream of the store's notifications (``StoreSignal``).
    func signals(in session: StoreSession) -> AsyncStream<StoreSignal>

    /// Returns the common wall clock of all schedulers of the store at an instant of this machine's continuous clock;
    /// `nil` if they use the wall clock of the machine.
    ///
    /// It is the clock of the database, which is known within bounds. An occurrence is due once the lower bound has
    /// reached its instant, and a duration from now begins at the upper bound.
    func wall(at instant: ContinuousInstant) -> ClosedRange<WallInstant>?

    /// Returns whether another scheduler of the store has asked for events.
    ///
    /// While none has, no events are made for them.
    func isPublishing(in session: StoreSession) -> Bool

    /// Asks the other schedulers of the store to send their events, because the first subscriber has come here.
    ///
    /// A scheduler may leave out events before the request reaches it. If it has left out any since this call, it sends
    /// one ``JobEvent/dropped(events:outputBytes:)`` in their place.
    func requestEvents(in session: StoreSession)

    /// Sends an event to the other schedulers of the store, for their subscribers.
    func publish(_ event: JobEvent, in session: StoreSession)

    /// Returns the events of the other schedulers of the store, for subscribers here.
    ///
    /// ``JobEvent/dropped(events:outputBytes:)`` stands for events that are left out. There is one stream for each
    /// session. `isWanted` returns whether there are subscribers; the store need not read an event that arrives while
    /// there are none.
    func events(in session: StoreSession, isWanted: @escaping @Sendable () -> Bool) -> AsyncStream<JobEvent>

    /// Requests places in queues whose limits apply to all schedulers of the store, and gives back those that are not
    /// needed any more.
    ///
    /// Each scheduler repeats its request from time to time while jobs of the queue wait, so that all get their share.
    /// - Returns: For each requested queue its settings, and the number of its runs that this session may have.
    func places(_ uses: [QueueUse], in session: StoreSession) async throws -> [QueuePlaces]

    /// Removes ended jobs whose ``Job/keptUntil`` is before `instant`, with their runs, earliest first; at most
    /// `budget` jobs.
    ///
    /// Jobs with an open run stay. It also removes at most `budget` of the submissions that were refused before
    /// `refusedBefore`.
    /// - Returns: Whether there may be more to remove.
    func retire(
        keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
    ) async throws -> Bool

    /// Removes the given jobs with their runs, except those that have changed since they were read, have not ended, or
    /// have an open run.
    ///
    /// A job is removed whoever owns its shard, and however long it would have been kept. Its identifier, its
    /// idempotency key and its content become free; its key is not used again. A job that another transaction is
    /// writing may stay.
    /// - Returns: The keys of the jobs that were removed.
    func delete(_ jobs: [JobVersion], in session: StoreSession) async throws -> Set<Int64>

    /// Gives ownership back; does nothing if the session is not the owner any more.
    func close(_ session: StoreSession) async throws

    /// Returns the referenced jobs in the order of the references; `nil` for one that does not exist.
    func find(_ references: [JobReference]) async throws -> [FoundJob?]

    /// Returns the jobs that are set aside (``StoreTurn/setAside``), ordered by key, after the job with the key `key`;
    /// at most `limit`.
    func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob]

    /// Returns a page of the submissions that were refused when they were taken, newest first.
    ///
    /// They are kept as long as ended jobs usually are (``retire(keptUntil:refusedBefore:budget:in:)``).
    func refusals(limit: Int, cursor: String?) async throws -> RefusalPage

    /// Returns a page of the jobs that match; jobs that cannot be read are listed as such.
    func jobs(_ query: JobQuery) async throws -> JobPage

    /// Returns the number of jobs that match; the query's `limit` and `cursor` are ignored.
    func count(_ query: JobQuery) async throws -> Int

    /// Returns the jobs of all shards with the earliest wakes, at most `limit`, ordered by (``Job/nextWake``, `key`).
    ///
    /// Jobs that cannot be read are left out.
    func soonest(limit: Int) async throws -> [Job]

    /// Returns a page of the runs that match, beginning with the run that was written last.
    func runs(_ query: RunQuery) async throws -> RunPage
}

extension JobStore {
    /// Returns one job with its open runs; see ``JobReference/id(_:)``.
    ///
    /// - Throws: The errors of ``load(_:)``.
    public func job(_ id: JobID) async throws -> LoadedJob? { try await load([.id(id)])[0] }

    /// Returns the referenced jobs in the order of the references; `nil` for one that does not exist.
    ///
    /// - Throws: ``JobError`` with `damaged` if one of them cannot be read.
    public func load(_ references: [JobReference]) async throws -> [LoadedJob?] {
        try await find(references).map { found throws(JobError) in
            switch found {
            case .job(let loaded): loaded
            case .unreadable(let job): throw job.error
            case nil: nil
            }
        }
    }

    /// Returns the jobs of all lanes that must be examined by an instant, as ``due(_:in:)``.
    public func due(through instant: WallInstant, limit: Int, in session: StoreSession) async throws -> DueJobs {
        try await due(JobLoad(through: instant, limit: limit), in: session)
    }

    /// Counts the jobs by reading them page by page.
    public func count(_ query: JobQuery) async throws -> Int {
        var query = query
        (query.includesLastRuns, query.limit, query.cursor) = (false, 500, nil)
        var count = 0
        for try await page in pages(of: query) { count += page.jobs.count }
        return count
    }

    /// Finds the jobs by reading all that have not ended, page by page.
    public func soonest(limit: Int) async throws -> [Job] {
        let query = JobQuery(states: [.scheduled, .suspended], includesLastRuns: false, limit: 500)
        var soonest: [Job] = []
        for try await page in pages(of: query) { soonest = JobPage.soonest(soonest + page.jobs, limit: limit) }
        return soonest
    }

    /// Takes ownership as ``open(as:)`` does, because the only scheduler of a store owns all jobs, whatever it can run.
    public func open(as node: NodeID, running jobs: RunnableJobs) async throws -> StoreSession {
        try await open(as: node)
    }

    /// Does nothing, because a store for one scheduler has no others to notify.
    public func serve(_ jobs: RunnableJobs, in session: StoreSession) {}

    /// Returns nothing, for a store that takes no part in applications' transactions.
    public func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission] { [] }

    /// Returns an empty page, for a store without submissions.
    public func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
        RefusalPage(refusals: [], nextCursor: nil)
    }

    /// Returns nothing, for a store whose rows can always be read.
    public func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] { [] }

    /// Does nothing, because a store for one scheduler has no others to ask.
    public func requestEvents(in session: StoreSession) {}

    /// Returns whether the store is for several schedulers.
    public func isPublishing(in session: StoreSession) -> Bool { session.isShared }

    /// Does nothing, because a store for one scheduler has no others to notify.
    public func publish(_ event: JobEvent, in session: StoreSession) {}

    /// Returns a stream without events, because a store for one scheduler has no others.
    public func events(
        in session: StoreSession, isWanted: @escaping @Sendable () -> Bool
    ) -> AsyncStream<JobEvent> { AsyncStream { $0.finish() } }

    /// Returns nothing, because the only scheduler of a store applies the limits of the queues itself.
    public func places(_ uses: [QueueUse], in session: StoreSession) async throws -> [QueuePlaces] { [] }

    /// Returns `nil`, for the wall clock of the machine.
    public func wall(at instant: ContinuousInstant) -> ClosedRange<WallInstant>? { nil }

    /// Returns a stream without signals.
    public func signals(in session: StoreSession) -> AsyncStream<StoreSignal> { AsyncStream { $0.finish() } }
}

/// The name, for people, of a scheduler that may use a store.
public struct NodeID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name of the scheduler.
    public var rawValue: String
    /// Creates the identifier of the node with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name of the scheduler.
    public var description: String { rawValue }
}

/// One of the fixed parts of a store's jobs, owned by one node at a time; a store for one machine has one shard.
public struct ShardID: RawRepresentable, Hashable, Sendable, Comparable, Codable {
    /// The number of the shard, from 0.
    public var rawValue: Int
    /// Creates the identifier of the shard with this number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Orders shards by their numbers.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    /// The shard of a store that has only one.
    public static let only = ShardID(rawValue: 0)
}

/// The number of a shard's ownership; it grows with each owner.
///
/// It is the fencing token of writes.
public struct StoreEpoch: RawRepresentable, Hashable, Sendable, Comparable, Codable {
    /// The number of the epoch, which is greater than those of earlier owners.
    public var rawValue: Int64
    /// Creates the epoch with this number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Orders epochs; that of a later owner is greater.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The state of an open store for one owner.
public struct StoreSession: Hashable, Sendable {
    /// The scheduler that opened the store.
    public var node: NodeID
    /// The shards that the session owns, with the epochs of their ownership.
    public var shards: [ShardID: StoreEpoch]
    /// The record of the clocks from the last commit; `nil` in a new store.
    public var clock: StoreClock?
    /// The stored queues.
    public var queues: [JobQueue]
    /// Whether other schedulers may own other shards; all of them then use the store's clock (``JobStore/wall(at:)``).
    public var isShared: Bool
    /// Whether jobs with calendar triggers may exist; if so, the rules of their zones are examined when the scheduler
    /// starts.
    public var mayHaveCalendars: Bool
    /// The other schedulers at the time of opening; ``StoreSignal/others(_:)`` has later changes.
    public var others: OtherSchedulers
    /// The number by which the store identifies the session, because two sessions without shards may have the same
    /// name.
    package var number: Int64 = 0
    /// The schema of the database that has the store's tables; `nil` for a store without one.
    package var schema: String?
    /// Creates a session.
    public init(
        node: NodeID, shards: [ShardID: StoreEpoch], clock: StoreClock?, queues: [JobQueue] = [],
        isShared: Bool = false, mayHaveCalendars: Bool = false, others: OtherSchedulers = OtherSchedulers()
    ) {
        self.others = others
        self.mayHaveCalendars = mayHaveCalendars
        self.node = node
        self.shards = shards
        self.clock = clock
        self.queues = queues
        self.isShared = isShared
    }
}

/// The relation between the clocks; a store keeps one record of it.
public struct StoreClock: Hashable, Sendable, Codable {
    /// The boot of the machine in which the clocks were read; the continuous clocks of two boots cannot be compared.
    public var bootID: String?
    /// The wall clock minus the continuous clock; the offset changes when the wall clock is set.
    public var wallOffset: Duration
    /// The wall clock minus the axis of elapsed time (see ``JobStore``); setting the wall clock changes the offset.
    public var elapsedOffset: Duration
    /// Creates a record.
    public init(bootID: String?, wallOffset: Duration, elapsedOffset: Duration) {
        self.bootID = bootID
        self.wallOffset = wallOffset
        self.elapsedOffset = elapsedOffset
    }
}

/// A notification from a store to its owner.
public enum StoreSignal: Hashable, Sendable {
    /// The session owns this shard from now on.
    case granted(ShardID, StoreEpoch)
    /// The session has lost this shard, and can write nothing in it any more.
    case revoked(ShardID)
    /// Other schedulers have declared the session dead and ended it, so it can write nothing any more.
    case ended
    /// The session should own at most this number of shards.
    ///
    /// The session gives the shards beyond this number back (``StoreTurn/released``), beginning with the shards without
    /// a run in progress.
    case share(Int)
    /// Other schedulers may declare the session dead.
    ///
    /// No run begins until ``connected``, and the running handlers are cancelled.
    case cutOff
    /// The session is known to be alive again.
    case connected
    /// Jobs may be due earlier than was known.
    case wake
    /// Submissions that no turn has taken may exist (``JobStore/submissions(limit:in:)``).
    case submissions
    /// The settings of a queue, which another scheduler may have changed, and the number of places that the store has
    /// recorded for the session (``JobStore/places(_:in:)``).
    ///
    /// The number can differ from the last answer, if that answer was lost or a standby with older data was promoted.
    case queue(JobQueue, places: Int)
    /// The jobs that the other schedulers of the store can run and the shards that they own, after each change.
    case others(OtherSchedulers)
    /// The result of a command that this session has forwarded (``StoreTurn/forwarded``).
    case reply(call: Int, JobReply)
}

/// A reference to a job in the store.
public enum JobReference: Hashable, Sendable {
    /// The job with this identifier that has not ended, or else the job with this identifier that was submitted last.
    case id(JobID)
    /// The job with this number.
    case key(Int64)
    /// The job that was submitted with this idempotency key.
    case idempotencyKey(String)
    /// The job of this kind that is unique by this content (``JobRequest/uniqueContent``) and has not ended, or else
    /// the last such job that was submitted after the instant.
    ///
    /// Without an instant, only a job that has not ended is found.
    case unique(kind: String, JobUniqueness.Content, submittedAfter: WallInstant?)

    /// The kind and content of a reference, regardless of the instant.
    struct Unique: Hashable, Sendable {
        var kind: String
        var content: JobUniqueness.Content
    }

    /// The kind and the content of a `unique` reference; `nil` for any other reference.
    var unique: Unique? {
        guard case .unique(let kind, let content, _) = self else { return nil }
        return Unique(kind: kind, content: content)
    }
}

/// The version of a job at the time it was read.
public struct JobVersion: Hashable, Sendable {
    /// The key of the job.
    public var key: Int64
    /// The job's ``Job/version``.
    public var version: Int64
    /// Creates the version of a job that was read.
    public init(_ job: Job) { (key, version) = (job.key, job.version) }
}

/// The abilities of a store.
public struct StoreCapabilities: Hashable, Sendable {
    /// Whether committed changes survive the process.
    public var isDurable: Bool
    /// Whether several processes may use the store at once.
    public var isShared: Bool
    /// The precision of stored instants.
    ///
    /// A stored instant may be later than the original by up to this duration, and is never earlier.
    public var timePrecision: Duration
    /// Creates capabilities.
    public init(isDurable: Bool, isShared: Bool, timePrecision: Duration) {
        self.isDurable = isDurable
        self.isShared = isShared
        self.timePrecision = timePrecision
    }
}

/// A job with the values on which its next transition depends.
public struct LoadedJob: Hashable, Sendable {
    /// The job.
    public var job: Job
    /// The open runs of the job (`waiting` and `running`), ordered by (occurrence, attempt).
    public var open: [Run]
    /// The range of skipped occurrences directly before ``Job/nextOccurrence``; `nil` if the last occurrence was not
    /// skipped.
    ///
    /// The next skip for the same reason extends this range.
    public var lastSkip: Run?
    /// The shard of the job.
    public var shard: ShardID
    /// The ``StoreClock/elapsedOffset`` with which instants of elapsed time were converted to the wall clock.
    public var elapsedOffset: Duration
    /// Creates a loaded job.
    public init(
        job: Job, open: [Run], lastSkip: Run? = nil, shard: ShardID = .only, elapsedOffset: Duration = .zero
    ) {
        self.job = job
        self.open = open
        self.lastSkip = lastSkip
        self.shard = shard
        self.elapsedOffset = elapsedOffset
    }
}

/// A scheduler's need for places in a queue whose limits apply to all schedulers of a store.
public struct QueueUse: Hashable, Sendable {
    /// The queue.
    public var queue: QueueID
    /// The number of the queue's runs in progress here.
    public var running: Int
    /// The number of runs that would be in progress here if there were no other schedulers.
    ///
    /// It includes ``running``.
    public var wanted: Int
    /// Creates a request for places.
    public init(queue: QueueID, running: Int, wanted: Int) {
        self.queue = queue
        self.running = running
        self.wanted = wanted
    }
}

/// The places that a scheduler has in a queue whose limits apply to all schedulers of a store.
///
/// Only one scheduler at a time has places in a queue with a rate; the schedulers take turns.
public struct QueuePlaces: Hashable, Sendable {
    /// The queue as it is stored.
    public var queue: JobQueue
    /// The number of the queue's runs that may be in progress here at once; `nil` if the queue has no limits.
    public var places: Int?
    /// Creates an answer for a queue.
    public init(queue: JobQueue, places: Int?) {
        self.queue = queue
        self.places = places
    }
}

public import ApusTimers

/// Where jobs live. Every rule of scheduling is in the state machine above; a store only makes changes durable and
/// finds rows.
///
/// A scheduler opens the store and gets a ``StoreSession``: the shards that it owns, each with its ``StoreEpoch``. Every
/// write names its session, and a store refuses a write for a shard whose epoch is not the current one
/// (``JobError/Code/notOwner``): a scheduler that lost its ownership can change nothing.
///
/// ## Elapsed time
///
/// Some instants count elapsed time: the ``JobBookkeeping/elapsedWake`` of every job; `firstDue` and `nextDue` of a job whose trigger
/// ``Trigger/isRelative``, and the `due` of its waiting runs; the `due` of waiting runs that were asked for by hand; and
/// the `notBefore` of every waiting run. The last instant there is stands for "never", and stays. A store keeps these on
/// an axis of its own, the wall clock minus ``StoreClock/elapsedOffset``, and gives them back as instants of the
/// wall clock by the offset that was committed last. Setting the wall clock changes one record, and no row.
/// Instants of runs that are claimed or have ended are the wall clock's, and do not move any more.
public protocol JobStore: Sendable {
    /// What this store can do, and how exact its instants are.
    var capabilities: StoreCapabilities { get }

    /// Takes ownership. Everything committed by earlier owners is there; nothing they had not committed is. Jobs that
    /// an earlier owner has set aside are due again as they were, since this program may be able to read them.
    /// - Parameter node: names the scheduler for people.
    /// - Returns: what the owner's writes name.
    /// - Throws: ``JobError`` with `owned` (naming the owner), `damaged`, `newerSchema`, `unavailable`.
    func open(as node: NodeID) async throws -> StoreSession

    /// Takes ownership as ``open(as:)`` does, for a scheduler that can run these jobs. In a store for several schedulers a
    /// session that can run none owns no shard: it is opened at once, and writes new jobs into the shards of others.
    /// - Parameters:
    ///   - node: names the scheduler for people.
    ///   - jobs: what it can run at first (``serve(_:in:)``).
    /// - Returns: what the owner's writes name.
    /// - Throws: ``JobError`` as ``open(as:)`` does.
    func open(as node: NodeID, running jobs: RunnableJobs) async throws -> StoreSession

    /// Says what the session's scheduler can run from now on. The other schedulers of the store get to know it soon, and the
    /// session's share of the shards follows.
    func serve(_ jobs: RunnableJobs, in session: StoreSession)

    /// Applies a turn in one transaction, durably: when this returns, what was applied survives a crash.
    ///
    /// Each part succeeds or fails on its own, whole; the parts are applied in their order. A turn without changes
    /// finds out whether the store can be written: it is answered only if it can.
    /// - Returns: for each part the jobs as they are now, with their keys and versions, in the order of the part's
    ///   changes; or why it was not applied: `conflict` (a version was not the expected one, or the
    ///   identifier, the idempotency key or the content is taken, or is that of another part), `alreadyExists` (the name
    ///   is taken, ``JobChange/requiresFreeName``, or the label, ``JobChange/onlyBeside``), `invalid`, `notOwner`.
    /// - Throws: ``JobError`` with `full`, `notOwner` or `closed`: nothing of the turn was applied; with another code,
    ///   the turn may have been applied as a whole or not at all.
    func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>]

    /// Jobs of the session's shards that must be looked at (``Job/nextWake``), ordered by (`nextWake`, `key`), with their
    /// open runs: of each lane so many as the load's limits say, and of all together so many as it says. Those that
    /// cannot be read count too.
    func due(_ load: JobLoad, in session: StoreSession) async throws -> DueJobs

    /// The jobs of the session's shards that have a claimed run, ordered by key, after the job with the key `key`; at
    /// most `limit`. After a crash these are the ones that were interrupted. Jobs that are set aside are left out.
    func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob]

    /// Jobs of the session's shards that repeat on the wall clock, ordered by key, after the job with the key `key`; at
    /// most `limit`. They are looked at when the wall clock is set back. Jobs that are set aside are left out.
    func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob]

    /// Submissions for the session's shards that no turn has taken, the oldest first; at most `limit`.
    func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission]

    /// What happens to the session from outside: shards come and go, jobs are due earlier than was known, there are
    /// submissions.
    func signals(in session: StoreSession) -> AsyncStream<StoreSignal>

    /// The wall clock by which all schedulers of the store go, at a moment of this machine's clock that cannot be set: the
    /// database's, as far as it is known. What is due is due by the lower bound; what counts from now on counts from the
    /// upper one. `nil` if they go by the wall clock of the machine.
    func wall(at instant: ContinuousInstant) -> ClosedRange<WallInstant>?

    /// Sends an event to the other schedulers of the store, for their subscribers.
    func publish(_ event: JobEvent, in session: StoreSession)

    /// What happens in the other schedulers of the store, for subscribers here; ``JobEvent/dropped(events:outputBytes:)``
    /// where something is left out. One stream for each session.
    func events(in session: StoreSession) -> AsyncStream<JobEvent>

    /// Asks for places in queues whose limits hold for all schedulers of the store, and gives back those that are not
    /// needed any more. Each scheduler asks now and then while jobs of the queue wait, so that all get their share.
    /// - Returns: for each queue that was asked about, its settings, and how many of its runs this session may have.
    func places(_ uses: [QueueUse], in session: StoreSession) async throws -> [QueuePlaces]

    /// Removes ended jobs whose ``Job/keptUntil`` is before `instant`, with their runs, the first ones first; at most
    /// `budget` jobs. Jobs with an open run stay. It also removes at most `budget` of the submissions that were refused
    /// before `refusedBefore`.
    /// - Returns: whether there may be more of them.
    func retire(
        keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
    ) async throws -> Bool

    /// Removes those of the jobs that are still as they were read, have ended and have no open run, with their runs,
    /// whichever session owns them and whatever they stand for: their identifiers, idempotency keys and contents are
    /// free. Their numbers are not given again. A job that another transaction is writing may stay.
    /// - Returns: the numbers of the jobs that were removed.
    func delete(_ jobs: [JobVersion], in session: StoreSession) async throws -> Set<Int64>

    /// Gives ownership back. It does nothing if the session is not the owner any more. Idempotent.
    func close(_ session: StoreSession) async throws

    /// The jobs that are asked for, in that order; `nil` where there is none.
    func find(_ references: [JobReference]) async throws -> [FoundJob?]

    /// The jobs that are set aside (``StoreTurn/setAside``), ordered by key, after the job with the key `key`; at most
    /// `limit`.
    func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob]

    /// The submissions that were refused when they were taken, the last ones first, one page of them. They are kept as
    /// long as ended jobs usually are (``retire(keptUntil:refusedBefore:budget:in:)``).
    func refusals(limit: Int, cursor: String?) async throws -> RefusalPage

    /// Jobs that match, one page of them; of those that cannot be read, only that they are there.
    func jobs(_ query: JobQuery) async throws -> JobPage

    /// How many jobs match. The query's `limit` and `cursor` say nothing here.
    func count(_ query: JobQuery) async throws -> Int

    /// The jobs of all shards that must be looked at first, ordered by (``Job/nextWake``, `key`); at most `limit`.
    /// Those that cannot be read are left out.
    func soonest(limit: Int) async throws -> [Job]

    /// Runs that match, newest first (by the order in which they were written), one page of them.
    func runs(_ query: RunQuery) async throws -> RunPage
}

extension JobStore {
    /// One job with its open runs; see ``JobReference/id(_:)``.
    /// - Throws: as ``load(_:)``.
    public func job(_ id: JobID) async throws -> LoadedJob? { try await load([.id(id)])[0] }

    /// The jobs that are asked for, in that order; `nil` where there is none.
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

    /// The same for all jobs up to an instant.
    public func due(through instant: WallInstant, limit: Int, in session: StoreSession) async throws -> DueJobs {
        try await due(JobLoad(through: instant, limit: limit), in: session)
    }

    /// Reads the jobs, a page at a time.
    public func count(_ query: JobQuery) async throws -> Int {
        var query = query
        (query.includesLastRuns, query.limit, query.cursor) = (false, 500, nil)
        var count = 0
        for try await page in pages(of: query) { count += page.jobs.count }
        return count
    }

    /// Reads all jobs that have not ended, a page at a time.
    public func soonest(limit: Int) async throws -> [Job] {
        let query = JobQuery(states: [.scheduled, .suspended], includesLastRuns: false, limit: 500)
        var soonest: [Job] = []
        for try await page in pages(of: query) { soonest = JobPage.soonest(soonest + page.jobs, limit: limit) }
        return soonest
    }

    /// A store for one scheduler, which owns all jobs, whatever it can run.
    public func open(as node: NodeID, running jobs: RunnableJobs) async throws -> StoreSession {
        try await open(as: node)
    }

    /// There are no others.
    public func serve(_ jobs: RunnableJobs, in session: StoreSession) {}

    /// None: a store of which applications' transactions can be no part.
    public func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission] { [] }

    /// None: a store without submissions.
    public func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
        RefusalPage(refusals: [], nextCursor: nil)
    }

    /// None: a store of which every row can be read.
    public func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] { [] }

    /// There are no others.
    public func publish(_ event: JobEvent, in session: StoreSession) {}

    /// There are no others.
    public func events(in session: StoreSession) -> AsyncStream<JobEvent> { AsyncStream { $0.finish() } }

    /// A store for one scheduler: its limits are the queue's.
    public func places(_ uses: [QueueUse], in session: StoreSession) async throws -> [QueuePlaces] { [] }

    /// The wall clock of the machine.
    public func wall(at instant: ContinuousInstant) -> ClosedRange<WallInstant>? { nil }

    /// Nothing.
    public func signals(in session: StoreSession) -> AsyncStream<StoreSignal> { AsyncStream { $0.finish() } }
}

/// A scheduler among those that may use a store: its name for people.
public struct NodeID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name.
    public var rawValue: String
    /// The node with that name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name.
    public var description: String { rawValue }
}

/// A fixed part of a store's jobs, owned by one node at a time. A store for one machine has one.
public struct ShardID: RawRepresentable, Hashable, Sendable, Comparable, Codable {
    /// The number of the shard, from 0.
    public var rawValue: Int
    /// The shard with that number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Orders shards by their number.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    /// The only shard of a store that has one.
    public static let only = ShardID(rawValue: 0)
}

/// Which owner of a shard a write comes from: a number that grows with each owner, the fencing token.
public struct StoreEpoch: RawRepresentable, Hashable, Sendable, Comparable, Codable {
    /// The number.
    public var rawValue: Int64
    /// The epoch with that number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Orders epochs: a later owner's is greater.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// An open store, as one owner sees it.
public struct StoreSession: Hashable, Sendable {
    /// Who opened it.
    public var node: NodeID
    /// The shards that it owns, with the epochs of the ownership.
    public var shards: [ShardID: StoreEpoch]
    /// The clocks as they were committed last; `nil` in a new store.
    public var clock: StoreClock?
    /// The queues that were committed.
    public var queues: [JobQueue]
    /// Other schedulers may own other shards. They all go by the store's clock (``JobStore/wall(at:)``).
    public var isShared: Bool
    /// There may be jobs with calendar triggers: the rules of their zones are looked at when the scheduler starts.
    public var mayHaveCalendars: Bool
    /// The other schedulers when it was opened; ``StoreSignal/others(_:)`` has what has changed since.
    public var others: OtherSchedulers
    /// The store's number for the session: two may have one name, and no shards.
    package var number: Int64 = 0
    /// The schema of the database in which the store has its tables; `nil` for a store without one.
    package var schema: String?
    /// A session.
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

/// How the clocks relate to each other. A store keeps one record of it.
public struct StoreClock: Hashable, Sendable, Codable {
    /// The boot of the machine in which it was read: across boots, the continuous clock says nothing.
    public var bootID: String?
    /// The wall clock minus the continuous clock, which cannot be set.
    public var wallOffset: Duration
    /// The wall clock minus the axis of elapsed time (see ``JobStore``). It changes when the wall clock is set.
    public var elapsedOffset: Duration
    /// A record.
    public init(bootID: String?, wallOffset: Duration, elapsedOffset: Duration) {
        self.bootID = bootID
        self.wallOffset = wallOffset
        self.elapsedOffset = elapsedOffset
    }
}

/// What a store reports to its owner.
public enum StoreSignal: Hashable, Sendable {
    /// The session owns this shard from now on.
    case granted(ShardID, StoreEpoch)
    /// The session has lost this shard: nothing of it can be written any more.
    case revoked(ShardID)
    /// Others have taken the session for dead, and ended it: it can write nothing any more.
    case ended
    /// The session should own so many shards at most: it gives others back (``StoreTurn/released``), first those
    /// without a run in progress.
    case share(Int)
    /// The session may be taken for dead by others: no run begins until ``connected``, and the running ones are
    /// cancelled.
    case cutOff
    /// The session is known to be alive again.
    case connected
    /// There may be jobs that are due earlier than was known.
    case wake
    /// There may be submissions that no turn has taken (``JobStore/submissions(limit:in:)``).
    case submissions
    /// The settings of a queue, which another scheduler may have changed, and how many places the store has noted for
    /// the session (``JobStore/places(_:in:)``). They may be others than it has answered: an answer was lost, or a
    /// standby with older data was promoted.
    case queue(JobQueue, places: Int)
    /// What the other schedulers of the store can run and own, whenever that has changed.
    case others(OtherSchedulers)
    /// What became of a command that this session has forwarded (``StoreTurn/forwarded``).
    case reply(call: Int, JobReply)
}

/// Which job to load.
public enum JobReference: Hashable, Sendable {
    /// The job with this identifier that has not ended; if there is none, the last submitted one.
    case id(JobID)
    /// The job with this number.
    case key(Int64)
    /// The job that was submitted with this idempotency key.
    case idempotencyKey(String)
    /// Of the jobs of this kind that are unique by this content (``JobRequest/uniqueContent``): the job that has not
    /// ended; else, of those that were submitted after the instant, the last one. Without an instant, only the former.
    case unique(kind: String, JobUniqueness.Content, submittedAfter: WallInstant?)

    /// What jobs that are unique by their content are the same by, whatever the instant.
    struct Unique: Hashable, Sendable {
        var kind: String
        var content: JobUniqueness.Content
    }

    /// `nil` for a reference to a job by what it is called.
    var unique: Unique? {
        guard case .unique(let kind, let content, _) = self else { return nil }
        return Unique(kind: kind, content: content)
    }
}

/// A job as it was read.
public struct JobVersion: Hashable, Sendable {
    /// The job's number.
    public var key: Int64
    /// Its ``Job/version``.
    public var version: Int64
    /// The version of a job that was read.
    public init(_ job: Job) { (key, version) = (job.key, job.version) }
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
    /// Its open runs (`waiting` and `running`), ordered by (occurrence, attempt).
    public var open: [Run]
    /// The range of skipped occurrences that ends with the last occurrence that arrived; `nil` if that one was not
    /// skipped. The next skip for the same reason extends this range instead of beginning another.
    public var lastSkip: Run?
    /// The shard that it belongs to.
    public var shard: ShardID
    /// The ``StoreClock/elapsedOffset`` by which its instants of elapsed time were given as instants of the wall clock.
    public var elapsedOffset: Duration
    /// A job with its open runs and, if its last occurrence was skipped, that range.
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

/// What a scheduler needs of a queue whose limits hold for all schedulers of a store.
public struct QueueUse: Hashable, Sendable {
    /// The queue.
    public var queue: QueueID
    /// How many of its runs are in progress here.
    public var running: Int
    /// How many would, these included, without other schedulers.
    public var wanted: Int
    /// What is needed.
    public init(queue: QueueID, running: Int, wanted: Int) {
        self.queue = queue
        self.running = running
        self.wanted = wanted
    }
}

/// What a scheduler may use of a queue whose limits hold for all schedulers of a store.
///
/// Of a queue with a rate only one scheduler at a time has places, and the others have their turns.
public struct QueuePlaces: Hashable, Sendable {
    /// The queue as it is kept.
    public var queue: JobQueue
    /// How many of its runs may be in progress here at once; `nil` if it has no limits.
    public var places: Int?
    /// The places in a queue.
    public init(queue: JobQueue, places: Int?) {
        self.queue = queue
        self.places = places
    }
}

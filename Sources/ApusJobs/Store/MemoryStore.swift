public import ApusTimers

/// A store in memory, for tests and for jobs that need not survive the process.
///
/// It outlives its owners: opening it again begins the next epoch and invalidates the earlier session, as a restart
/// would.
public final class MemoryStore: JobStore {
    private let state = Locked(MemoryTables())
    private let signals = StoreSignals()

    /// Creates an empty store.
    public init() {}

    /// The abilities of the store: not durable, not shared, exact to the nanosecond.
    public var capabilities: StoreCapabilities {
        StoreCapabilities(isDurable: false, isShared: false, timePrecision: .nanoseconds(1))
    }

    /// Takes ownership from the present owner, if there is one.
    public func open(as node: NodeID) async throws -> StoreSession { state.withLock { $0.open(as: node) } }

    /// Submits a job as an application does in its own transaction.
    ///
    /// The scheduler that owns the store takes it, now or after its next start.
    /// - Parameters:
    ///   - request: The job.
    ///   - now: The instant of the submission.
    /// - Returns: The request's identifier.
    /// - Throws: ``JobError`` with `invalid`, as ``JobScheduler/submit(_:)->SubmissionResult``.
    @discardableResult
    public func submit(_ request: JobRequest, at now: WallInstant) throws -> JobID {
        try request.validate(submittedAt: now)
        state.withLock { $0.submit(request, at: now) }
        signals.signalSubmissions()
        return request.id
    }

    /// Returns submissions that no turn has taken; see ``JobStore/submissions(limit:in:)``.
    public func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission] {
        state.withLock { Array($0.submissions.prefix(max(0, limit))) }
    }

    /// Returns the stream of the store's signals; see ``JobStore/signals(in:)``.
    public func signals(in session: StoreSession) -> AsyncStream<StoreSignal> { signals.stream() }

    /// Applies a turn; see ``JobStore/commit(_:in:)``.
    public func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>] {
        try state.withLock { tables in
            try tables.check(session)
            return tables.commit(turn)
        }
    }

    /// Returns the jobs of a load; see ``JobStore/due(_:in:)``.
    public func due(_ load: JobLoad, in session: StoreSession) async throws -> DueJobs {
        state.withLock { $0.due(load) }
    }

    /// Returns the jobs with a claimed run; see ``JobStore/interrupted(after:limit:in:)``.
    public func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
        state.withLock { tables in
            tables.page(after: key, limit: limit) { $0.open.values.contains { $0.state == .running } }
        }
    }

    /// Returns the jobs that repeat on the wall clock; see ``JobStore/anchored(after:limit:in:)``.
    public func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
        state.withLock { tables in
            tables.page(after: key, limit: limit) { !$0.job.state.isFinal && $0.job.request.trigger.isAnchored }
        }
    }

    /// Removes ended jobs and refused submissions; see ``JobStore/retire(keptUntil:refusedBefore:budget:in:)``.
    public func retire(
        keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
    ) async throws -> Bool {
        try state.withLock { tables in
            try tables.check(session)
            return tables.retire(keptUntil: instant, refusedBefore: refusedBefore, budget: budget)
        }
    }

    /// Removes ended jobs; see ``JobStore/delete(_:in:)``.
    public func delete(_ jobs: [JobVersion], in session: StoreSession) async throws -> Set<Int64> {
        try state.withLock { tables in
            try tables.check(session)
            return tables.delete(jobs)
        }
    }

    /// Gives ownership back; committed changes stay.
    public func close(_ session: StoreSession) async throws {
        let isOwner = state.withLock { tables in
            guard tables.owns(session) else { return false }
            tables.isOpen = false
            return true
        }
        if isOwner { signals.finish() }
    }

    /// Returns the referenced jobs; see ``JobStore/find(_:)``.
    public func find(_ references: [JobReference]) async throws -> [FoundJob?] {
        state.withLock { tables in references.map { tables.find($0).map { tables.found($0) } } }
    }

    /// Returns the jobs that are set aside; see ``JobStore/setAside(after:limit:)``.
    public func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] {
        let limit = try ListPage.size(limit)
        return state.withLock { $0.setAside(after: key, limit: limit) }
    }

    /// Returns a page of refused submissions; see ``JobStore/refusals(limit:cursor:)``.
    public func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
        let (position, limit) = (try RefusalPage.position(cursor), try ListPage.size(limit))
        return state.withLock { tables in
            let found = tables.refusals.reversed().lazy.filter { $0.sequence < position }
            return RefusalPage(found: Array(found.prefix(limit + 1)), limit: limit)
        }
    }

    /// Makes a job unreadable, for tests, as if another version had written its row.
    ///
    /// With `nil`, the job can be read again.
    package func damage(_ id: JobID, _ problem: String?) { state.withLock { $0.damage(id, problem) } }

    /// Returns a page of jobs; see ``JobStore/jobs(_:)``.
    public func jobs(_ query: JobQuery) async throws -> JobPage { state.withLock { $0.jobs(query) } }

    /// Returns a page of runs; see ``JobStore/runs(_:)``.
    public func runs(_ query: RunQuery) async throws -> RunPage { state.withLock { $0.runs(query) } }
}

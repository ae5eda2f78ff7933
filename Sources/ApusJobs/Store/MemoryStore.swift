public import ApusTimers

/// A store in memory: for tests, and for jobs that need not survive the process.
///
/// It outlives its owners: opening it again gives the next epoch and makes the earlier one stale, as a restart would.
public final class MemoryStore: JobStore {
    private let state = Locked(MemoryTables())

    /// An empty store.
    public init() {}

    /// Not durable, not shared, exact to the nanosecond.
    public var capabilities: StoreCapabilities {
        StoreCapabilities(isDurable: false, isShared: false, timePrecision: .nanoseconds(1))
    }

    /// Takes ownership from the scheduler that has it.
    public func open(as node: NodeID) async throws -> StoreSession { state.withLock { $0.open(as: node) } }

    /// See ``JobStore/commit(_:in:)``.
    public func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>] {
        try state.withLock { tables in
            try tables.check(session)
            return tables.commit(turn)
        }
    }

    /// See ``JobStore/due(through:limit:excluding:in:)``.
    public func due(
        through instant: WallInstant, limit: Int, excluding lanes: [QueueLane], in session: StoreSession
    ) async throws -> DueJobs {
        state.withLock { $0.due(through: instant, limit: limit, excluding: Set(lanes)) }
    }

    /// See ``JobStore/interrupted(after:limit:in:)``.
    public func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [LoadedJob] {
        state.withLock { tables in
            tables.page(after: key, limit: limit) { $0.open.values.contains { $0.state == .claimed } }
        }
    }

    /// See ``JobStore/anchored(after:limit:in:)``.
    public func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [LoadedJob] {
        state.withLock { tables in
            tables.page(after: key, limit: limit) { !$0.job.state.isFinal && $0.job.request.trigger.isAnchored }
        }
    }

    /// See ``JobStore/retire(endedBefore:budget:in:)``.
    public func retire(endedBefore instant: WallInstant, budget: Int, in session: StoreSession) async throws -> Bool {
        try state.withLock { tables in
            try tables.check(session)
            return tables.retire(endedBefore: instant, budget: budget)
        }
    }

    /// Gives ownership back. What was committed stays.
    public func close(_ session: StoreSession) async throws {
        state.withLock { if $0.owns(session) { $0.isOpen = false } }
    }

    /// See ``JobStore/load(_:)``.
    public func load(_ references: [JobReference]) async throws -> [LoadedJob?] {
        state.withLock { tables in references.map { tables.find($0).map { tables.loaded($0) } } }
    }

    /// See ``JobStore/jobs(_:)``.
    public func jobs(_ query: JobQuery) async throws -> JobPage { state.withLock { $0.jobs(query) } }

    /// See ``JobStore/runs(_:)``.
    public func runs(_ query: RunQuery) async throws -> RunPage { state.withLock { $0.runs(query) } }
}

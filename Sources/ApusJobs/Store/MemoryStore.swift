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

    /// Takes ownership from whoever has it.
    public func open() async throws -> StoreEpoch { state.withLock { $0.open() } }

    /// See ``JobStore/commit(_:epoch:)``.
    public func commit(_ changes: [JobChange], epoch: StoreEpoch) async throws -> [Job] {
        try state.withLock { tables in
            try tables.check(epoch)
            return try tables.commit(changes)
        }
    }

    /// See ``JobStore/wakingJobs(through:limit:)``.
    public func wakingJobs(through instant: WallInstant, limit: Int) async throws -> [LoadedJob] {
        state.withLock { $0.wakingJobs(through: instant, limit: limit) }
    }

    /// See ``JobStore/nextWake(after:)``.
    public func nextWake(after instant: WallInstant) async throws -> WallInstant? {
        state.withLock { $0.rows.values.compactMap(\.job.wake).filter { $0 > instant }.min() }
    }

    /// See ``JobStore/interruptedJobs()``.
    public func interruptedJobs() async throws -> [LoadedJob] {
        state.withLock { tables in
            tables.rows.values.filter { $0.open.values.contains { $0.state == .claimed } }
                .sorted { $0.job.key < $1.job.key }.map(\.loaded)
        }
    }

    /// See ``JobStore/job(_:)``.
    public func job(_ id: JobID) async throws -> LoadedJob? {
        state.withLock { tables in tables.keys[id].map { tables.rows[$0]!.loaded } }
    }

    /// See ``JobStore/jobs(_:)``.
    public func jobs(_ query: JobQuery) async throws -> JobPage { state.withLock { $0.jobs(query) } }

    /// See ``JobStore/runs(_:)``.
    public func runs(_ query: RunQuery) async throws -> RunPage { state.withLock { $0.runs(query) } }

    /// See ``JobStore/shiftRelativeJobs(by:epoch:)``.
    public func shiftRelativeJobs(by offset: Duration, epoch: StoreEpoch) async throws {
        try state.withLock { tables in
            try tables.check(epoch)
            tables.shift(by: offset)
        }
    }

    /// See ``JobStore/metadata(_:)``.
    public func metadata(_ key: String) async throws -> String? { state.withLock { $0.metadata[key] } }

    /// See ``JobStore/setMetadata(_:to:epoch:)``.
    public func setMetadata(_ key: String, to value: String, epoch: StoreEpoch) async throws {
        try state.withLock { tables in
            try tables.check(epoch)
            tables.metadata[key] = value
        }
    }

    /// See ``JobStore/prune(keepRuns:endedBefore:epoch:)``.
    public func prune(keepRuns: Int, endedBefore: WallInstant, epoch: StoreEpoch) async throws {
        try state.withLock { tables in
            try tables.check(epoch)
            tables.prune(keepRuns: keepRuns, endedBefore: endedBefore)
        }
    }

    /// Gives ownership back. What was committed stays.
    public func close() async throws { state.withLock { $0.isOpen = false } }
}

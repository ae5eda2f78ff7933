public import ApusJobs
public import ApusTimers

/// A store around another one, with configurable failures, stalls and reorderings.
///
/// The fault model: a commit fails before anything was applied, or after everything was applied but before the answer
/// came (as when a connection breaks); it hangs until it is released; commits that hang together are released in any
/// order. Reads fail if configured to.
public final class FaultyStore: JobStore {
    /// What happens to one commit.
    public enum Fault: Sendable {
        /// It throws, and nothing was applied.
        case before(JobError)
        /// It throws, but it was applied.
        case after(JobError)
        /// It waits for ``FaultyStore/release(order:)``, then continues.
        case hold
    }

    private struct State {
        var script: @Sendable (Int) -> Fault? = { _ in nil }
        var readError: JobError?
        var commits = 0
        var held: [CheckedContinuation<Void, Never>] = []
        var isDead = false
    }

    private let base: any JobStore
    private let state = Locked(State())

    /// A store that behaves like `base` until configured otherwise.
    public init(_ base: any JobStore) { self.base = base }

    /// Decides the fault of each commit from now on by its number, which counts from 0 since the store was made.
    public func faults(_ script: @escaping @Sendable (_ commit: Int) -> Fault?) {
        state.withLock { $0.script = script }
    }

    /// Every commit has this fault until the next call; `nil` for none.
    public func fail(_ fault: Fault?) { faults { _ in fault } }

    /// Every read throws this from now on; `nil` for none.
    public func failReads(_ error: JobError?) { state.withLock { $0.readError = error } }

    /// The process that uses this store dies: its remaining calls in the test no longer reach the wrapped store, not
    /// even to close it. Its next life needs another `FaultyStore` over the same store.
    public func kill() {
        state.withLock { $0.isDead = true }
        release()
    }

    private func checkAlive() throws {
        if state.withLock({ $0.isDead }) {
            throw JobError(code: .closed, message: "the process that used the store is dead")
        }
    }

    /// How many commits were asked for.
    public var commits: Int { state.withLock { $0.commits } }

    /// How many commits are held.
    public var held: Int { state.withLock { $0.held.count } }

    /// Releases held commits, in the order that `order` makes of their positions (as they came, unless given).
    public func release(order: (Int) -> [Int] = { Array(0..<$0) }) {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for position in order(held.count) { held[position].resume() }
    }

    /// What the wrapped store says.
    public var capabilities: StoreCapabilities { base.capabilities }
    /// Passed on.
    public func open(as node: NodeID) async throws -> StoreSession {
        try checkAlive()
        return try await base.open(as: node)
    }
    /// Passed on.
    public func open(as node: NodeID, running jobs: RunnableJobs) async throws -> StoreSession {
        try checkAlive()
        return try await base.open(as: node, running: jobs)
    }
    /// Passed on.
    public func serve(_ jobs: RunnableJobs, in session: StoreSession) { base.serve(jobs, in: session) }

    /// Passed on, with the fault that the script says.
    public func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>] {
        try await commit { try await base.commit(turn, in: session) }
    }
    /// Passed on, as a commit: with the fault that the script says.
    public func delete(_ jobs: [JobVersion], in session: StoreSession) async throws -> Set<Int64> {
        try await commit { try await base.delete(jobs, in: session) }
    }

    private func commit<Answer: Sendable>(_ body: () async throws -> Answer) async throws -> Answer {
        try checkAlive()
        let fault = state.withLock { state in
            defer { state.commits += 1 }
            return state.script(state.commits)
        }
        switch fault {
        case nil: break
        case .before(let error): throw error
        case .after(let error):
            _ = try await body()
            throw error
        case .hold:
            await withCheckedContinuation { continuation in state.withLock { $0.held.append(continuation) } }
            try checkAlive()
        }
        return try await body()
    }

    private func read<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try checkAlive()
        if let error = state.withLock({ $0.readError }) { throw error }
        return try await body()
    }

    /// Passed on.
    public func due(_ load: JobLoad, in session: StoreSession) async throws -> DueJobs {
        try await read { try await base.due(load, in: session) }
    }
    /// Passed on.
    public func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
        try await read { try await base.interrupted(after: key, limit: limit, in: session) }
    }
    /// Passed on.
    public func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
        try await read { try await base.anchored(after: key, limit: limit, in: session) }
    }
    /// Passed on.
    public func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission] {
        try await read { try await base.submissions(limit: limit, in: session) }
    }
    /// Passed on.
    public func signals(in session: StoreSession) -> AsyncStream<StoreSignal> { base.signals(in: session) }
    /// Passed on.
    public func find(_ references: [JobReference]) async throws -> [FoundJob?] {
        try await read { try await base.find(references) }
    }
    /// Passed on.
    public func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] {
        try await read { try await base.setAside(after: key, limit: limit) }
    }
    /// Passed on.
    public func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
        try await read { try await base.refusals(limit: limit, cursor: cursor) }
    }
    /// Passed on.
    public func jobs(_ query: JobQuery) async throws -> JobPage { try await read { try await base.jobs(query) } }
    /// Passed on.
    public func count(_ query: JobQuery) async throws -> Int { try await read { try await base.count(query) } }
    /// Passed on.
    public func soonest(limit: Int) async throws -> [Job] { try await read { try await base.soonest(limit: limit) } }
    /// Passed on.
    public func runs(_ query: RunQuery) async throws -> RunPage { try await read { try await base.runs(query) } }
    /// Passed on.
    public func retire(
        keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
    ) async throws -> Bool {
        try checkAlive()
        return try await base.retire(
            keptUntil: instant, refusedBefore: refusedBefore, budget: budget, in: session)
    }
    /// Passed on.
    public func close(_ session: StoreSession) async throws {
        if state.withLock({ !$0.isDead }) { try await base.close(session) }
    }
}

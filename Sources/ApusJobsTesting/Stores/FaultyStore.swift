public import ApusJobs
public import ApusTimers

/// A store around another one, with configurable failures, stalls and reorderings.
///
/// A commit can fail before anything was applied, or after everything was applied but before the answer arrived (as
/// when a connection breaks). It can hang until it is released; commits that hang together are released in any order.
/// Reads can be configured to fail.
public final class FaultyStore: JobStore {
    /// A fault of one commit.
    public enum Fault: Sendable {
        /// The commit throws the error, and nothing was applied.
        case before(JobError)
        /// The commit throws the error, but was applied.
        case after(JobError)
        /// The commit waits for ``FaultyStore/release(order:)``, then continues.
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

    /// Creates a store that behaves like `base` until it is configured otherwise.
    public init(_ base: any JobStore) { self.base = base }

    /// Sets the function that returns the fault of each commit or deletion from now on.
    ///
    /// The function receives the number of the commit or deletion, counted from 0 since the creation of this store.
    public func faults(_ script: @escaping @Sendable (_ commit: Int) -> Fault?) {
        state.withLock { $0.script = script }
    }

    /// Sets the fault of every commit and deletion from now on; `nil` for none.
    public func fail(_ fault: Fault?) { faults { _ in fault } }

    /// Sets the error that every read throws from now on; `nil` for none.
    public func failReads(_ error: JobError?) { state.withLock { $0.readError = error } }

    /// Simulates the death of the process that uses this store.
    ///
    /// The remaining reads and writes of the process do not reach the wrapped store any more, and neither does its
    /// opening or closing of the store. A later process needs another `FaultyStore` over the same wrapped store.
    public func kill() {
        state.withLock { $0.isDead = true }
        release()
    }

    private var isAlive: Bool { state.withLock { !$0.isDead } }

    private func checkAlive() throws {
        if !isAlive {
            throw JobError(code: .closed, message: "the process that used the store has died")
        }
    }

    /// The number of requested commits and deletions.
    public var commits: Int { state.withLock { $0.commits } }

    /// The number of commits that are held.
    public var held: Int { state.withLock { $0.held.count } }

    /// Releases the held commits, by default in the order of their arrival.
    ///
    /// The closure `order` receives the number of held commits, and returns their positions in the order of release.
    public func release(order: (Int) -> [Int] = { Array(0..<$0) }) {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for position in order(held.count) { held[position].resume() }
    }

    /// The capabilities of the wrapped store.
    public var capabilities: StoreCapabilities { base.capabilities }
    /// Forwards the call to the wrapped store; throws if the process is dead.
    public func open(as node: NodeID) async throws -> StoreSession {
        try checkAlive()
        return try await base.open(as: node)
    }
    /// Forwards the call to the wrapped store; throws if the process is dead.
    public func open(as node: NodeID, running jobs: RunnableJobs) async throws -> StoreSession {
        try checkAlive()
        return try await base.open(as: node, running: jobs)
    }
    /// Forwards the call to the wrapped store.
    public func serve(_ jobs: RunnableJobs, in session: StoreSession) { base.serve(jobs, in: session) }

    /// Forwards the commit to the wrapped store, with the fault of the script.
    public func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>] {
        try await commit { try await base.commit(turn, in: session) }
    }
    /// Forwards the deletion to the wrapped store, with the fault of the script, as for a commit.
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

    /// Forwards the read to the wrapped store, or throws the configured error.
    public func due(_ load: JobLoad, in session: StoreSession) async throws -> DueJobs {
        try await read { try await base.due(load, in: session) }
    }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
        try await read { try await base.interrupted(after: key, limit: limit, in: session) }
    }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
        try await read { try await base.anchored(after: key, limit: limit, in: session) }
    }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission] {
        try await read { try await base.submissions(limit: limit, in: session) }
    }
    /// Forwards the call to the wrapped store.
    public func signals(in session: StoreSession) -> AsyncStream<StoreSignal> { base.signals(in: session) }
    /// Forwards the call to the wrapped store.
    public func wall(at instant: ContinuousInstant) -> ClosedRange<WallInstant>? { base.wall(at: instant) }
    /// Forwards the call to the wrapped store.
    public func isPublishing(in session: StoreSession) -> Bool { base.isPublishing(in: session) }
    /// Forwards the call to the wrapped store, unless the process is dead.
    public func requestEvents(in session: StoreSession) { if isAlive { base.requestEvents(in: session) } }
    /// Forwards the event to the wrapped store, unless the process is dead.
    public func publish(_ event: JobEvent, in session: StoreSession) {
        if isAlive { base.publish(event, in: session) }
    }
    /// Forwards the call to the wrapped store.
    public func events(in session: StoreSession, isWanted: @escaping @Sendable () -> Bool) -> AsyncStream<JobEvent> {
        base.events(in: session, isWanted: isWanted)
    }
    /// Forwards the call to the wrapped store; throws if the process is dead.
    public func places(_ uses: [QueueUse], in session: StoreSession) async throws -> [QueuePlaces] {
        try checkAlive()
        return try await base.places(uses, in: session)
    }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func find(_ references: [JobReference]) async throws -> [FoundJob?] {
        try await read { try await base.find(references) }
    }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] {
        try await read { try await base.setAside(after: key, limit: limit) }
    }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
        try await read { try await base.refusals(limit: limit, cursor: cursor) }
    }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func jobs(_ query: JobQuery) async throws -> JobPage { try await read { try await base.jobs(query) } }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func count(_ query: JobQuery) async throws -> Int { try await read { try await base.count(query) } }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func soonest(limit: Int) async throws -> [Job] { try await read { try await base.soonest(limit: limit) } }
    /// Forwards the read to the wrapped store, or throws the configured error.
    public func runs(_ query: RunQuery) async throws -> RunPage { try await read { try await base.runs(query) } }
    /// Forwards the call to the wrapped store; throws if the process is dead.
    public func retire(
        keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
    ) async throws -> Bool {
        try checkAlive()
        return try await base.retire(
            keptUntil: instant, refusedBefore: refusedBefore, budget: budget, in: session)
    }
    /// Forwards the call to the wrapped store, unless the process is dead.
    public func close(_ session: StoreSession) async throws {
        if isAlive { try await base.close(session) }
    }
}

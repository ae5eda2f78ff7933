import ApusJobs
import ApusTimers

/// Wraps a store, refuses chosen parts of turns and applies the others.
final class RefusingStore: JobStore {
    private let base: any JobStore
    private let refusal = Locked<@Sendable (_ part: [JobChange]) -> JobError?>({ _ in nil })
    private let count = Locked(0)
    private let asked = Locked(0)
    private let eventRequests = Locked(0)
    private let afterFind = Locked<(@Sendable () async -> Void)?>(nil)

    private let own: AsyncStream<StoreSignal>?

    /// Creates the store; `signals` replace the wrapped store's signals.
    init(_ base: any JobStore, signals own: AsyncStream<StoreSignal>? = nil) {
        self.base = base
        self.own = own
    }

    /// Sets the closure that decides whether a part of a later turn is refused, and with which error.
    func refuse(_ decide: @escaping @Sendable (_ part: [JobChange]) -> JobError?) { refusal.withLock { $0 = decide } }

    /// Delays the next answer of ``find(_:)`` until `body` returns.
    func delayFind(_ body: @escaping @Sendable () async -> Void) { afterFind.withLock { $0 = body } }

    /// The number of refused parts.
    var refused: Int { count.withLock { $0 } }

    func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>] {
        let decide = refusal.withLock { $0 }
        let errors = turn.parts.map(decide)
        count.withLock { $0 += errors.count { $0 != nil } }
        let accepted = turn.parts.indices.filter { errors[$0] == nil }
        var rest = turn
        rest.parts = accepted.map { turn.parts[$0] }
        rest.taken = turn.taken.compactMap { taken in
            accepted.firstIndex(of: taken.part).map { part in
                TakenSubmission(taken.sequence, part: part, refusal: taken.refusal)
            }
        }
        var results = try await base.commit(rest, in: session).makeIterator()
        return errors.map { error in error.map { .failure($0) } ?? results.next()! }
    }

    var capabilities: StoreCapabilities { base.capabilities }
    func open(as node: NodeID) async throws -> StoreSession { try await base.open(as: node) }
    func open(as node: NodeID, running jobs: RunnableJobs) async throws -> StoreSession {
        try await base.open(as: node, running: jobs)
    }
    func serve(_ jobs: RunnableJobs, in session: StoreSession) { base.serve(jobs, in: session) }
    func due(_ load: JobLoad, in session: StoreSession) async throws -> DueJobs {
        try await base.due(load, in: session)
    }
    func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
        try await base.interrupted(after: key, limit: limit, in: session)
    }
    func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
        try await base.anchored(after: key, limit: limit, in: session)
    }
    func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission] {
        try await base.submissions(limit: limit, in: session)
    }
    func signals(in session: StoreSession) -> AsyncStream<StoreSignal> { own ?? base.signals(in: session) }
    func requestEvents(in session: StoreSession) { eventRequests.withLock { $0 += 1 } }
    /// The number of requests for the events of other schedulers.
    var requestedEvents: Int { eventRequests.withLock { $0 } }
    /// The number of jobs asked for by ``find(_:)``.
    var references: Int { asked.withLock { $0 } }

    func find(_ references: [JobReference]) async throws -> [FoundJob?] {
        asked.withLock { $0 += references.count }
        let found = try await base.find(references)
        await afterFind.withLock { $0.take() }?()
        return found
    }
    func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] {
        try await base.setAside(after: key, limit: limit)
    }
    func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
        try await base.refusals(limit: limit, cursor: cursor)
    }
    func jobs(_ query: JobQuery) async throws -> JobPage { try await base.jobs(query) }
    func runs(_ query: RunQuery) async throws -> RunPage { try await base.runs(query) }
    func retire(
        keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
    ) async throws -> Bool {
        try await base.retire(
            keptUntil: instant, refusedBefore: refusedBefore, budget: budget, in: session)
    }
    func delete(_ jobs: [JobVersion], in session: StoreSession) async throws -> Set<Int64> {
        try await base.delete(jobs, in: session)
    }
    func close(_ session: StoreSession) async throws { try await base.close(session) }
}

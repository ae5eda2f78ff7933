import ApusClient
import ApusJobs
import ApusPostgres

/// How the queues stand: over all daemons that share the store.
struct QueueDirectory: Sendable {
    private let list: @Sendable () async throws -> [QueueStatus]

    /// Those of a scheduler's store; of one that is not shared, the scheduler knows.
    init(_ store: any JobStore, _ scheduler: JobScheduler) {
        if let store = store as? PostgresStore {
            list = { try await store.queues() }
            return
        }
        list = { scheduler.queues() }
    }

    func queues() async throws -> [QueueStatus] { try await list() }

    /// A queue after its settings were changed.
    func status(of queue: JobQueue) async throws -> QueueStatus {
        try await list().first { $0.queue.id == queue.id }
            ?? QueueStatus(queue: queue, runningCount: 0, waitingCount: 0)
    }
}

/// Who the nodes are.
struct NodeDirectory: Sendable {
    /// Whether several daemons can share the store.
    let isShared: Bool
    private let list: @Sendable () async throws -> [WireNode]

    /// Those of a store.
    init(_ store: any JobStore) {
        if let store = store as? PostgresStore {
            isShared = true
            list = { try await store.nodes().map { WireNode($0) } }
            return
        }
        isShared = false
        list = { [] }
    }

    func nodes() async throws -> WireNodes { WireNodes(shared: isShared, nodes: try await list()) }
}

extension WireNode {
    fileprivate init(_ node: ClusterNode) {
        let queues: [String]? =
            switch node.jobs?.queues {
            case .only(let queues)?: queues.map(\.rawValue).sorted()
            case .all?, nil: nil
            }
        self.init(
            id: node.id, name: node.name.rawValue, version: node.version, shards: node.shards,
            beatAgeMs: node.beatAge.wholeMilliseconds, lagMs: node.lag.wholeMilliseconds,
            state: node.state.rawValue, kinds: node.jobs?.kinds.sorted(), queues: queues)
    }
}

import ApusClient
import ApusJobs
import ApusPostgres

/// The status of the queues, over all daemons that share the store.
struct QueueDirectory: Sendable {
    private let list: @Sendable () async throws -> [QueueStatus]

    /// Creates a directory that reads the queues from the store if daemons can share it, and otherwise from the
    /// scheduler.
    init(_ store: any JobStore, _ scheduler: JobScheduler) {
        if let store = store as? PostgresStore {
            list = { try await store.queues() }
            return
        }
        list = { scheduler.queues() }
    }

    func queues() async throws -> [QueueStatus] { try await list() }

    /// Returns the status of a queue whose settings were changed.
    func status(of queue: JobQueue) async throws -> QueueStatus {
        try await list().first { $0.queue.id == queue.id }
            ?? QueueStatus(queue: queue, runningCount: 0, waitingCount: 0)
    }
}

/// The nodes that share a store.
struct NodeDirectory: Sendable {
    /// Whether several daemons can share the store.
    let isShared: Bool
    private let list: @Sendable () async throws -> [WireNode]

    /// Creates the directory of a store's nodes.
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

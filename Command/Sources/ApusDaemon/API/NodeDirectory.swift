import ApusClient
import ApusJobs
import ApusPostgres

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
        self.init(
            id: node.id, name: node.name.rawValue, version: node.version, shards: node.shards,
            beatAgeMs: node.beatAge.wholeMilliseconds, lagMs: node.lag.wholeMilliseconds,
            state: node.state.rawValue)
    }
}

import ApusClient
import ApusJobs

#if Postgres
    import ApusPostgres
#endif

/// Who the nodes are.
struct NodeDirectory: Sendable {
    /// Whether several daemons can share the store.
    let isShared: Bool
    private let list: @Sendable () async throws -> [WireNode]

    /// Those of a store.
    init(_ store: any JobStore) {
        #if Postgres
            if let store = store as? PostgresStore {
                isShared = true
                list = { try await store.nodes().map { WireNode($0) } }
                return
            }
        #endif
        isShared = false
        list = { [] }
    }

    func nodes() async throws -> WireNodes { WireNodes(shared: isShared, nodes: try await list()) }
}

#if Postgres
    extension WireNode {
        fileprivate init(_ node: ClusterNode) {
            self.init(
                id: node.id, name: node.name.rawValue, version: node.version, shards: node.shards,
                beatAgeMs: node.beatAge.wholeMilliseconds, lagMs: node.lag.wholeMilliseconds,
                state: node.state.rawValue)
        }
    }
#endif

import ApusJobs

#if Postgres
    import ApusPostgres
#endif

/// A node of a cluster as the API and `--json` show it.
public struct WireNode: Codable, Hashable, Sendable {
    /// Its number, which no other node ever has.
    public var id: Int64
    /// What it is called.
    public var name: String
    /// The version of Apus that it runs.
    public var version: String
    /// How many shards it owns.
    public var shards: Int
    /// How long ago its last beat was, in milliseconds of the database's clock.
    public var beatAgeMs: Int64
    /// How long ago the oldest of its jobs that is to be looked at was due, in milliseconds of the database's clock; 0 if
    /// none is late.
    public var lagMs: Int64
    /// `alive`, `silent` or `leaving`.
    public var state: String

    #if Postgres
        init(_ node: ClusterNode) {
            id = node.id
            name = node.name.rawValue
            version = node.version
            shards = node.shards
            beatAgeMs = node.beatAge.wholeMilliseconds
            lagMs = node.lag.wholeMilliseconds
            state = node.state.rawValue
        }
    #endif
}

/// What `GET /v1/nodes` answers.
public struct WireNodes: Codable, Hashable, Sendable {
    /// Whether several daemons can share the daemon's store.
    public var shared: Bool
    /// The nodes that have not ended, by their numbers; none if the store is for one machine.
    public var nodes: [WireNode]
    /// An answer.
    public init(shared: Bool, nodes: [WireNode]) {
        self.shared = shared
        self.nodes = nodes
    }
}

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

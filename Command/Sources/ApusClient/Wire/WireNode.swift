import ApusJobs

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

    package init(
        id: Int64, name: String, version: String, shards: Int, beatAgeMs: Int64, lagMs: Int64, state: String
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.shards = shards
        self.beatAgeMs = beatAgeMs
        self.lagMs = lagMs
        self.state = state
    }
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

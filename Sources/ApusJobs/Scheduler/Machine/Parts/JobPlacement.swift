/// What other schedulers of the store can run and own: where a job goes that cannot run here.
///
/// It may be outdated when it is used. A job that has come to a scheduler that cannot run it moves again, from there.
struct JobPlacement {
    private var others: OtherSchedulers

    init(_ others: OtherSchedulers) { self.others = others }

    mutating func update(_ others: OtherSchedulers) { self.others = others }

    /// Whether another scheduler can run the job of the request.
    func canRun(_ request: JobRequest) -> Bool { others.members.contains { $0.jobs.contains(request) } }

    /// Whether another scheduler owns shards and can run the jobs of the lane.
    func canRun(_ lane: QueueLane) -> Bool {
        others.members.contains { !$0.shards.isEmpty && $0.jobs.contains(lane) }
    }

    func hasHandler(for kind: String) -> Bool { others.members.contains { $0.jobs.kinds.contains(kind) } }

    /// A shard of another scheduler that can run the job, by its identifier; `nil` if there is none.
    func shard(for request: JobRequest, besides own: ShardOwnership) -> ShardID? {
        let able = others.members.filter { !$0.shards.isEmpty && $0.jobs.contains(request) }
        if able.isEmpty { return nil }
        let hash = request.id.placementHash
        let shards = able[Int(hash % UInt64(able.count))].shards
        let start = Int(hash / UInt64(able.count) % UInt64(shards.count))
        // One of them may have come to this scheduler since.
        return (shards[start...] + shards[..<start]).first { !own.owns($0) }
    }

    /// A shard of the store, with or without an owner, by the identifier; `nil` if none is known.
    func anyShard(for id: JobID) -> ShardID? {
        others.shards.isEmpty ? nil : others.shards[Int(id.placementHash % UInt64(others.shards.count))]
    }
}

extension JobID {
    /// FNV-1a: the same in every process.
    var placementHash: UInt64 {
        rawValue.utf8.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }
}

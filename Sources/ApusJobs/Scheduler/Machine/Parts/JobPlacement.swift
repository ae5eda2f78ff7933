/// The jobs that other schedulers can run and the shards that they own, as far as this scheduler knows them.
///
/// They determine the shards of jobs that cannot run here. This knowledge may be outdated when it is used. A job that
/// reaches a scheduler that cannot run it moves again from there.
struct JobPlacement {
    private var others: OtherSchedulers

    init(_ others: OtherSchedulers) { self.others = others }

    mutating func update(_ others: OtherSchedulers) { self.others = others }

    /// Returns whether another scheduler can run the job of the request.
    func canRun(_ request: JobRequest) -> Bool { others.members.contains { $0.jobs.contains(request) } }

    /// Returns whether another scheduler owns shards and can run the jobs of the lane.
    func canRun(_ lane: QueueLane) -> Bool {
        others.members.contains { !$0.shards.isEmpty && $0.jobs.contains(lane) }
    }

    func hasHandler(for kind: String) -> Bool { others.members.contains { $0.jobs.kinds.contains(kind) } }

    /// Returns the shard for jobs with the request's fairness key, so that one scheduler counts their runs; `nil` if
    /// there is no key, or if no shards are known.
    ///
    /// All shards are tried in a circle, from the position of the hash on. The first shard that has no owner, or whose
    /// owner may be able to run the job, is chosen. A shard without an owner is suitable, because it gets one soon.
    func home(of request: JobRequest, _ own: ShardOwnership, canRunHere: Bool) -> ShardID? {
        if request.fairnessKey == nil || others.shards.isEmpty { return nil }
        let unable = Set(others.members.filter { !$0.jobs.contains(request) }.flatMap(\.shards))
        let start = Int(request.placementHash % UInt64(others.shards.count))
        return (others.shards[start...] + others.shards[..<start]).first { shard in
            own.owns(shard) ? canRunHere : !unable.contains(shard)
        }
    }

    /// Returns a shard of another scheduler that can run the job, chosen by the request's hash; `nil` if there is none.
    func shard(for request: JobRequest, besides own: ShardOwnership) -> ShardID? {
        let able = others.members.filter { !$0.shards.isEmpty && $0.jobs.contains(request) }
        if able.isEmpty { return nil }
        let hash = request.placementHash
        let shards = able[Int(hash % UInt64(able.count))].shards
        let start = Int(hash / UInt64(able.count) % UInt64(shards.count))
        // Shards of which this scheduler has become the owner in the meantime are left out.
        return (shards[start...] + shards[..<start]).first { !own.owns($0) }
    }

    /// Returns a shard of the store, with or without an owner, chosen by the request's hash; `nil` if none is known.
    func anyShard(for request: JobRequest) -> ShardID? {
        others.shards.isEmpty ? nil : others.shards[Int(request.placementHash % UInt64(others.shards.count))]
    }
}

extension JobRequest {
    /// The hash of the queue and the fairness key, or, without a key, of the identifier.
    var placementHash: UInt64 { (fairnessKey.map { "\(queue) \($0)" } ?? id.rawValue).stableHash }
}

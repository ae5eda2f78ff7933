/// The jobs that this program cannot read: those that the next turn sets aside, and those that are set aside.
struct SetAsideJobs {
    /// What reads have found, by keys.
    private var found: [Int64: UnreadableJob] = [:]
    /// The shards of the jobs that turns have set aside, by keys.
    private var shards: [Int64: ShardID] = [:]

    /// Whether a turn has something to set aside. No more is read before: the same jobs would be found again.
    var mustWrite: Bool { !found.isEmpty }

    /// How many are set aside.
    var count: Int { shards.count }

    /// A read has found the job. If it was set aside before, another owner of the store has given it back: the next turn
    /// sets it aside again, or learns from the store that this scheduler may not.
    mutating func find(_ job: UnreadableJob) { found[job.key] = job }

    /// Whether a turn has set the job aside. A caller that asks for it finds it all the same.
    func contains(_ key: Int64) -> Bool { shards[key] != nil }

    /// The jobs that the next turn sets aside, by key.
    func next(atMost limit: Int) -> [UnreadableJob] {
        found.isEmpty ? [] : Array(found.values.sorted { $0.key < $1.key }.prefix(limit))
    }

    /// The turn is committed.
    mutating func committed(_ jobs: [UnreadableJob]) {
        for job in jobs {
            found[job.key] = nil
            shards[job.key] = job.shard
        }
    }

    /// The shard is another scheduler's.
    mutating func forget(_ shard: ShardID) {
        found = found.filter { $0.value.shard != shard }
        shards = shards.filter { $0.value != shard }
    }
}

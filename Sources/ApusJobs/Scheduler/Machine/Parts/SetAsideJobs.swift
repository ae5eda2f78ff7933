/// The jobs that this program cannot read: those that the next turn sets aside, and those that are set aside.
struct SetAsideJobs {
    /// The jobs that reads have found, by key.
    private var found: [Int64: UnreadableJob] = [:]
    /// The shards of the jobs that turns have set aside, by key.
    private var shards: [Int64: ShardID] = [:]

    /// Whether a turn must set jobs aside.
    ///
    /// While it must, only the jobs of commands and doubtful jobs are read. Other reads would find the same jobs again.
    var mustWrite: Bool { !found.isEmpty }

    /// The number of jobs that are set aside.
    var count: Int { shards.count }

    /// Adds a job that a read has found.
    ///
    /// If a turn had set the job aside before, another owner of the store has made it due again since. The next turn
    /// tries to set it aside again; the store refuses that if this scheduler is no longer the owner.
    mutating func find(_ job: UnreadableJob) { found[job.key] = job }

    /// Returns whether a turn has set the job aside.
    ///
    /// A read of the jobs of a command may still find such a job, which need not be set aside again.
    func contains(_ key: Int64) -> Bool { shards[key] != nil }

    /// Returns the jobs that the next turn sets aside, ordered by key.
    func next(atMost limit: Int) -> [UnreadableJob] {
        found.isEmpty ? [] : Array(found.values.sorted { $0.key < $1.key }.prefix(limit))
    }

    mutating func committed(_ jobs: [UnreadableJob]) {
        for job in jobs {
            found[job.key] = nil
            shards[job.key] = job.shard
        }
    }

    /// Forgets the jobs of a shard that another scheduler owns.
    mutating func forget(_ shard: ShardID) {
        found = found.filter { $0.value.shard != shard }
        shards = shards.filter { $0.value != shard }
    }
}

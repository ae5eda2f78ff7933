/// The session with the shards that this scheduler owns, those that it gives back, and what their last owners left.
struct ShardOwnership {
    private(set) var session: StoreSession { didSet { chooseForNewJobs() } }
    /// Shards that are given back as soon as their last run has ended. Nothing of them begins.
    private var releasing: Set<ShardID> = [] { didSet { chooseForNewJobs() } }
    /// The shards of new jobs, in order. Sorting them for each job would be most of what its planning takes.
    private var forNewJobs: [ShardID] = []
    /// Shards whose last owner may have left claimed runs, whose handlers are gone.
    private var unrecovered: Set<ShardID> = []
    /// The key after which such runs are searched next.
    private(set) var recovery: Int64?
    /// Other schedulers may take this one for dead since then: no run begins.
    private(set) var cutOffSince: SchedulerReading?
    /// Cancelled handlers of jobs whose shard was lost. Nothing of their jobs begins before they return or are given
    /// up, should the shard be granted again.
    private var orphans: [Int64: Set<RunKey>] = [:]

    init(_ session: StoreSession) {
        self.session = session
        chooseForNewJobs()
    }

    private mutating func chooseForNewJobs() {
        let kept = session.shards.keys.filter { !releasing.contains($0) }
        forNewJobs = (kept.isEmpty ? Array(session.shards.keys) : kept).sorted()
    }

    func owns(_ shard: ShardID) -> Bool { session.shards[shard] != nil }

    /// A new job's shard among those that this scheduler owns, by the request's hash; `nil` if it owns none.
    func shard(for request: JobRequest) -> ShardID? {
        forNewJobs.isEmpty ? nil : forNewJobs[Int(request.placementHash % UInt64(forNewJobs.count))]
    }

    // MARK: Granted and lost

    /// - Returns: whether the session did not own it with this epoch.
    mutating func grant(_ shard: ShardID, _ epoch: StoreEpoch) -> Bool {
        guard session.shards.updateValue(epoch, forKey: shard) != epoch else { return false }
        unrecovered.insert(shard)
        recovery = 0
        return true
    }

    /// Nothing of the shard is this scheduler's any more.
    /// - Returns: whether it was.
    mutating func lose(_ shard: ShardID) -> Bool {
        releasing.remove(shard)
        unrecovered.remove(shard)
        return session.shards.removeValue(forKey: shard) != nil
    }

    var isCutOff: Bool { cutOffSince != nil }

    /// - Returns: whether it was not cut off before.
    mutating func cutOff(_ now: SchedulerReading) -> Bool {
        defer { cutOffSince = cutOffSince ?? now }
        return !isCutOff
    }

    /// - Returns: whether it was cut off.
    mutating func connected() -> Bool {
        defer { cutOffSince = nil }
        return isCutOff
    }

    // MARK: Handlers of lost jobs

    mutating func orphan(_ run: RunKey) { orphans[run.job, default: []].insert(run) }

    func hasOrphans(_ key: Int64) -> Bool { orphans[key] != nil }

    /// A handler has ended, or was given up.
    /// - Returns: whether it was one of a lost job.
    mutating func endOrphan(_ run: RunKey) -> Bool {
        guard orphans[run.job]?.remove(run) != nil else { return false }
        if orphans[run.job]?.isEmpty == true { orphans[run.job] = nil }
        return true
    }

    /// Whether nothing of the job begins: its shard is given back, or a handler of a run that it lost is still running.
    func holdsBack(_ entry: LoadedJobs.Entry) -> Bool { releasing.contains(entry.shard) || hasOrphans(entry.key) }

    // MARK: Giving back

    /// Chooses the shards to give back, so that at most `count` are left: first those with the fewest runs.
    /// - Returns: the shards that are given back from now on, and those that were and are kept.
    mutating func share(_ count: Int, busy: [ShardID: Int]) -> (releasing: Set<ShardID>, kept: Set<ShardID>) {
        let surplus = max(0, session.shards.count - max(0, count))
        func order(_ shard: ShardID) -> (Int, Int, Int) {
            (releasing.contains(shard) ? 0 : 1, busy[shard] ?? 0, shard.rawValue)
        }
        let chosen = Set(session.shards.keys.sorted { order($0) < order($1) }.prefix(surplus))
        defer { releasing = chosen }
        return (chosen.subtracting(releasing), releasing.subtracting(chosen))
    }

    /// The shards that are given back and are not busy. `busy` is asked only if there are shards to give back.
    func releasable(busy: () -> Set<ShardID>) -> [ShardID] {
        releasing.isEmpty ? [] : releasing.subtracting(busy()).sorted()
    }

    // MARK: Recovery

    /// Whether claimed runs of the shard may be its last owner's.
    func isUnrecovered(_ shard: ShardID) -> Bool { unrecovered.contains(shard) }

    /// A page of claimed runs was read; `nil` for the last, empty one.
    mutating func recovered(through key: Int64?) {
        recovery = key
        if key == nil { unrecovered = [] }
    }
}

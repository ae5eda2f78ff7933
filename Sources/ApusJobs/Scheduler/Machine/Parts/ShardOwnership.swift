/// The shards that this scheduler's session owns, those that it gives back, and the claims that previous owners left.
struct ShardOwnership {
    private(set) var session: StoreSession { didSet { chooseForNewJobs() } }
    /// The shards that are given back once their last run has ended; their jobs begin no further run.
    private var releasing: Set<ShardID> = [] { didSet { chooseForNewJobs() } }
    /// The shards for new jobs, in order.
    ///
    /// They are kept sorted, because sorting them for each new job would be most of the cost of planning the job.
    private var forNewJobs: [ShardID] = []
    /// The shards whose previous owner may have left claimed runs without handlers.
    private var unrecovered: Set<ShardID> = []
    /// The key after which claimed runs are searched next; `nil` when the search has ended.
    private(set) var recovery: Int64?
    /// The reading of the clocks since which other schedulers may declare this one dead.
    ///
    /// No run begins until it is `nil`.
    private(set) var cutOffSince: SchedulerReading?
    /// The cancelled handlers of jobs whose shard was lost.
    ///
    /// If the shard is granted again, a job begins no run until its handlers here have returned or were given up.
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

    /// Returns the shard of a new job among those that this scheduler owns, chosen by the request's hash; `nil` if it
    /// owns none.
    func shard(for request: JobRequest) -> ShardID? {
        forNewJobs.isEmpty ? nil : forNewJobs[Int(request.placementHash % UInt64(forNewJobs.count))]
    }

    // MARK: Granted and lost

    /// Adds a shard to the session.
    ///
    /// - Returns: Whether the session did not own it with this epoch.
    mutating func grant(_ shard: ShardID, _ epoch: StoreEpoch) -> Bool {
        guard session.shards.updateValue(epoch, forKey: shard) != epoch else { return false }
        unrecovered.insert(shard)
        recovery = 0
        return true
    }

    /// Removes a shard from the session.
    ///
    /// - Returns: Whether the session owned it.
    mutating func lose(_ shard: ShardID) -> Bool {
        releasing.remove(shard)
        unrecovered.remove(shard)
        return session.shards.removeValue(forKey: shard) != nil
    }

    var isCutOff: Bool { cutOffSince != nil }

    /// Notes that the session is cut off.
    ///
    /// - Returns: Whether it was not cut off before.
    mutating func cutOff(_ now: SchedulerReading) -> Bool {
        defer { cutOffSince = cutOffSince ?? now }
        return !isCutOff
    }

    /// Notes that the session is connected.
    ///
    /// - Returns: Whether it was cut off before.
    mutating func connected() -> Bool {
        defer { cutOffSince = nil }
        return isCutOff
    }

    // MARK: Handlers of lost jobs

    mutating func orphan(_ run: RunKey) { orphans[run.job, default: []].insert(run) }

    func hasOrphans(_ key: Int64) -> Bool { orphans[key] != nil }

    /// Notes that a handler has ended or was given up.
    ///
    /// - Returns: Whether it was the handler of a job whose shard was lost.
    mutating func endOrphan(_ run: RunKey) -> Bool {
        guard orphans[run.job]?.remove(run) != nil else { return false }
        if orphans[run.job]?.isEmpty == true { orphans[run.job] = nil }
        return true
    }

    /// Returns whether the job must not begin a run.
    ///
    /// It must not while its shard is being given back. It also must not while one of its handlers still runs that
    /// began before the shard was lost.
    func holdsBack(_ entry: LoadedJobs.Entry) -> Bool { releasing.contains(entry.shard) || hasOrphans(entry.key) }

    // MARK: Giving back

    /// Chooses the shards to give back, so that at most `count` are left: first those that were already chosen, then
    /// those with the fewest runs.
    ///
    /// - Returns: The shards that are given back from now on, and those that were to be given back and are kept now.
    mutating func share(_ count: Int, busy: [ShardID: Int]) -> (releasing: Set<ShardID>, kept: Set<ShardID>) {
        let surplus = max(0, session.shards.count - max(0, count))
        func order(_ shard: ShardID) -> (Int, Int, Int) {
            (releasing.contains(shard) ? 0 : 1, busy[shard] ?? 0, shard.rawValue)
        }
        let chosen = Set(session.shards.keys.sorted { order($0) < order($1) }.prefix(surplus))
        defer { releasing = chosen }
        return (chosen.subtracting(releasing), releasing.subtracting(chosen))
    }

    /// Returns the shards to give back that are not busy; `busy` is called only if there are shards to give back.
    func releasable(busy: () -> Set<ShardID>) -> [ShardID] {
        releasing.isEmpty ? [] : releasing.subtracting(busy()).sorted()
    }

    // MARK: Recovery

    /// Returns whether claimed runs of the shard may have been left by its previous owner.
    func isUnrecovered(_ shard: ShardID) -> Bool { unrecovered.contains(shard) }

    /// Notes that a page of claimed runs was read; `key` is `nil` if the page was empty, which means that it was the
    /// last one.
    mutating func recovered(through key: Int64?) {
        recovery = key
        if key == nil { unrecovered = [] }
    }
}

import ApusTimers

/// Shards come and go while the scheduler runs.
extension SchedulerMachine {
    /// Changes of the owned shards in progress.
    struct ShardChanges: Sendable {
        /// Shards that are given back as soon as their last run has ended. Nothing of them begins.
        var releasing: Set<ShardID> = []
        /// Shards whose last owner may have left claimed runs: no handler of theirs runs any more.
        var unrecovered: Set<ShardID> = []
        /// The key after which such runs are looked for next.
        var recovery: Int64?
        /// Other schedulers may take this one for dead: no run begins.
        var isCutOff = false
        /// Handlers of jobs whose shard was lost meanwhile. They were cancelled; until they return nothing of their
        /// jobs begins here, should the shard be granted again.
        var orphans: [Int64: Set<RunKey>] = [:]
    }

    /// A new job's shard, by its identifier.
    func shard(for id: JobID) throws(JobError) -> ShardID {
        if session.shards.count == 1 { return session.shards.keys.first! }
        let kept = session.shards.keys.filter { !self.shards.releasing.contains($0) }
        let shards = (kept.isEmpty ? Array(session.shards.keys) : kept).sorted()
        guard !shards.isEmpty else {
            throw JobError(
                .unavailable, "\(id): this node owns no part of the jobs now; try again, or ask another node")
        }
        // FNV-1a: the same in every process.
        let hash = id.rawValue.utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return shards[Int(hash % UInt64(shards.count))]
    }

    mutating func cutOff() {
        guard !shards.isCutOff else { return }
        shards.isCutOff = true
        for run in running.keys { effect(.cancel(run, .shutdown)) }
    }

    mutating func connected(_ now: WallInstant) {
        guard shards.isCutOff else { return }
        shards.isCutOff = false
        loadSoon(now)
    }

    mutating func granted(_ shard: ShardID, _ epoch: StoreEpoch, _ now: ClockReading) {
        guard session.shards.updateValue(epoch, forKey: shard) != epoch else { return }
        shards.unrecovered.insert(shard)
        shards.recovery = 0
        // The last owner may have had other rules of zones.
        if usesTimeZones { begin(WallClockSweep(mustReadZones: true)) }
        loadSoon(now.wall)
    }

    mutating func revoked(_ shard: ShardID) {
        guard session.shards.removeValue(forKey: shard) != nil else { return }
        for (key, entry) in entries where entry.shard == shard {
            for run in running.keys where run.job == key {
                effect(.cancel(run, .shutdown))
                shards.orphans[key, default: []].insert(run)
            }
        }
        forget(shard)
    }

    /// A handler has ended.
    /// - Returns: whether it was one whose run is not this scheduler's any more.
    mutating func endOrphan(_ run: RunKey) -> Bool {
        guard shards.orphans[run.job]?.remove(run) != nil else { return false }
        if shards.orphans[run.job]!.isEmpty {
            shards.orphans[run.job] = nil
            if entries[run.job] != nil { markDirty(run.job) }
        }
        return true
    }

    /// Nothing of the shard is this scheduler's any more.
    private mutating func forget(_ shard: ShardID) {
        shards.releasing.remove(shard)
        shards.unrecovered.remove(shard)
        let gone = entries.filter { $0.value.shard == shard }
        dirty.removeAll { gone[$0] != nil }
        for key in gone.keys { unload(key) }
    }

    // MARK: Giving back

    /// The session should own so many shards at most.
    mutating func share(_ count: Int, _ now: WallInstant) {
        let surplus = max(0, session.shards.count - max(0, count))
        var busy: [ShardID: Int] = [:]
        for run in running.keys { if let entry = entries[run.job] { busy[entry.shard, default: 0] += 1 } }
        func order(_ shard: ShardID) -> (Int, Int, Int) {
            (shards.releasing.contains(shard) ? 0 : 1, busy[shard] ?? 0, shard.rawValue)
        }
        let chosen = Set(session.shards.keys.sorted { order($0) < order($1) }.prefix(surplus))
        let (kept, new) = (shards.releasing.subtracting(chosen), chosen.subtracting(shards.releasing))
        shards.releasing = chosen
        for (key, entry) in entries {
            if new.contains(entry.shard) { withdraw(key) }
            if kept.contains(entry.shard) { markDirty(key) }
        }
    }

    /// Whether nothing of the job begins: its shard is given back, or a handler of a run that it lost is still running.
    func isReleased(_ entry: Entry) -> Bool {
        shards.releasing.contains(entry.shard) || shards.orphans[entry.machine.job.key] != nil
    }

    /// The shards that can be given back in this turn: there is nothing to be written of their jobs.
    func releasable() -> [ShardID] {
        if shards.releasing.isEmpty { return [] }
        var busy: Set<ShardID> = []
        for run in running.keys { if let entry = entries[run.job] { busy.insert(entry.shard) } }
        for entry in entries.values where entry.hasNews || entry.isDirty || entry.isDoubtful {
            busy.insert(entry.shard)
        }
        for draft in plan!.drafts {
            if let shard = draft.key.flatMap({ entries[$0]?.shard }) ?? draft.action.change?.shard {
                busy.insert(shard)
            }
        }
        return shards.releasing.subtracting(busy).sorted()
    }

    /// A turn has given them back, or may have.
    mutating func released(_ given: [ShardID]) {
        for shard in given {
            session.shards[shard] = nil
            forget(shard)
        }
    }

    // MARK: Recovery

    /// Runs that the last owners of shards have left claimed.
    mutating func recovered(_ found: [LoadedJob]) {
        for loaded in found where entries[loaded.job.key] == nil && isOwned(loaded) { take(loaded) }
        guard let last = found.last else {
            shards.recovery = nil
            shards.unrecovered = []
            return
        }
        shards.recovery = last.job.key
    }
}

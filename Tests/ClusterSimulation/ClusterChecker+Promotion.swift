import ApusJobs

extension ClusterChecker {
    /// The database is a former one: only what is in it counts.
    func promoted() {
        let tables = world.database.tables
        counts.promotions += 1
        lastPromotion = world.now
        submissions = []
        jobs = jobs.filter { tables.rows[$0.key]?.job.id == $0.value }
        idempotent = idempotent.filter { tables.rows[$0.value]?.job.request.idempotencyKey == $0.key }
        func stored(_ key: RunKey) -> Run? {
            tables.rows[key.job]?.runs.values.first { RunKey($0) == key }
        }
        attempts = attempts.filter { stored($0).map { $0.state != .waiting } ?? false }
        // An earlier postponement of the same attempt may be what is there, or the claim before it.
        snoozes = snoozes.filter { key, end in
            guard let run = stored(key) else { return false }
            switch run.state {
            case .waiting: return run.notBefore.map { $0 >= end } ?? false
            case .running: return run.claimed.map { $0 >= end } ?? false
            default: return false
            }
        }
        runsAnswered = runsAnswered.filter { answered in
            tables.rows[answered.job]?.runs.values.contains { $0.occurrence == answered.occurrence } ?? false
        }
        for (shard, row) in tables.shards.enumerated() {
            epochs[ShardID(rawValue: shard)] = StoreEpoch(rawValue: row.epoch)
        }
        for number in calls.keys { calls[number]!.isLost = true }
        for key in active.keys {
            let gone = active[key]!.filter { handler in
                tables.rows[handler.run.jobKey]?.job.id != handler.run.jobID
                    || stored(RunKey(handler.run)).map { $0.state != .running } ?? true
            }
            lost += gone
            active[key]!.removeAll { handler in gone.contains { $0 === handler } }
        }
    }

    /// Whether the node does not know yet of the last promotion: it answers and begins what the former database had.
    func isStale(_ node: ClusterNode) -> Bool {
        guard let lastPromotion, node.readAnew.map({ $0 < lastPromotion }) ?? true else { return false }
        return node.timeline != world.database.timeline && world.now - lastPromotion < .ms(10_000)
    }
}

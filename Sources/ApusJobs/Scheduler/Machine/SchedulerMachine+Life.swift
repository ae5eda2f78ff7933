import ApusTimers

// The stop of the scheduler, and the transfer of shards while it runs.
extension SchedulerMachine {
    // MARK: Stopping

    mutating func stop(_ call: Int, grace: Duration?, _ now: SchedulerReading) {
        switch life.stop(call, grace: grace, now.uptime) {
        case .done: effects.answer(call, .success(.done))
        case .waits: break
        case .close: close(nil)
        case .begin:
            refuseCommands(Self.closed)
            conditions.stop(&effects)
            // Other schedulers take over the jobs that have no run in progress here.
            if session.isShared { share(0) }
            // Results that could not be written are written again at once. If this fails, the usual pause follows.
            backoff.retryNow()
        }
    }

    mutating func continueStop(_ now: SchedulerReading) {
        guard life.isStopping else { return }
        let unwritten = jobs.all.reduce(0) { $0 + $1.news.ends.count }
        let step = life.continueStop(
            running: board.runs.count, unwritten: unwritten, cancellationGrace: configuration.cancellationGrace,
            now.uptime)
        switch step {
        case .wait: break
        case .cancelHandlers: cancelRuns()
        case .close:
            if !board.runs.isEmpty { effects.append(.log(.handlersStillRun(board.runs.count))) }
            if unwritten > 0 { effects.append(.log(.unwritten(unwritten))) }
            close(nil)
        }
    }

    mutating func cancelRuns() {
        for run in board.runs { effects.append(.cancel(run, .shutdown)) }
    }

    mutating func close(_ error: JobError?) {
        life.close(error)
        refuseCommands(error ?? Self.closed)
        for entry in Array(jobs.all) { unload(entry) }
    }

    private mutating func refuseCommands(_ error: JobError) {
        commands.failAll(error, &effects)
        calls.failAll(error, &effects)
        commands.failReads(error, &effects)
        history.failDeletions(error, &effects)
    }

    /// Ends the scheduler at once, because the store has another owner or cannot be used.
    ///
    /// Nothing may be written or run any more.
    mutating func halt(_ error: JobError) {
        switch life.phase {
        case .closing, .stopped: return
        case .recovering, .running, .stopping: break
        }
        cancelRuns()
        let isLost = error.code == .notOwner || error.code == .closed
        effects.append(.log(isLost ? .lostOwnership(error) : .storeGivenUp(error)))
        close(error)
    }

    package mutating func closed() { life.closed(&effects) }

    // MARK: Shards

    mutating func granted(_ shard: ShardID, _ epoch: StoreEpoch, _ now: SchedulerReading) {
        guard shards.grant(shard, epoch) else { return }
        // The previous owner may have had other rules of zones.
        if sweep.usesTimeZones { begin(.init(mustReadZones: true)) }
        loading.loadNow(now.wall)
    }

    mutating func revoked(_ shard: ShardID) {
        guard shards.lose(shard) else { return }
        for entry in jobs.all where entry.shard == shard {
            for run in board.runs where run.job == entry.key {
                effects.append(.cancel(run, .shutdown))
                shards.orphan(run)
            }
        }
        forget(shard)
    }

    /// Forgets shards that a turn has given back, or may have given back.
    mutating func released(_ given: [ShardID]) {
        for shard in given {
            _ = shards.lose(shard)
            forget(shard)
        }
    }

    private mutating func forget(_ shard: ShardID) {
        for entry in jobs.all.filter({ $0.shard == shard }) { unload(entry) }
        commands.forgetSubmissions(of: shard)
        setAside.forget(shard)
    }

    /// Gives shards back until the session owns at most `count`.
    mutating func share(_ count: Int) {
        var busy: [ShardID: Int] = [:]
        for run in board.runs { if let entry = jobs[run.job] { busy[entry.shard, default: 0] += 1 } }
        let changed = shards.share(count, busy: busy)
        for entry in jobs.all {
            if changed.releasing.contains(entry.shard) { board.withdraw(entry.key) }
            if changed.kept.contains(entry.shard) { jobs.examine(entry) }
        }
    }
}

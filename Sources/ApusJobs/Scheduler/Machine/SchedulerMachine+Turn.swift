import ApusTimers

// A turn decides first about commands, then about examined jobs, and last about claims.
extension SchedulerMachine {
    /// Decides a turn.
    ///
    /// - Returns: The transaction; `nil` if there is nothing to write.
    mutating func decideTurn(_ now: SchedulerReading, isStorePaused: Bool) -> StoreTurn? {
        let turn = SchedulerTurn(at: now)
        planCommands(into: turn)
        if !isStorePaused {
            planExamined(into: turn)
            planClaims(into: turn)
            for id in board.doubtfulRecords where turn.queues[id] == nil {
                turn.write(board.record(of: board.queue(id), now))
            }
            // A scheduler that stops sets no jobs aside, because the next owner finds unreadable jobs by itself.
            if !life.isStopping { turn.setAside = setAside.next(atMost: SchedulerTurn.maximumJobs) }
        }
        turn.released = releasable(after: turn)
        let transaction = turn.transaction(
            clock.record, keeping: HistoryLimits(configuration), isShared: session.isShared,
            isStopping: life.isStopping, known: { board.queue($0) })
        // These parts change nothing: examined jobs get their places, and callers get their answers, without a commit.
        for part in turn.unwritten { applied(part, [], of: turn, now) }
        // While the store fails, a turn without changes tests whether the store can be written again.
        let isProbe = backoff.isFailing && !isStorePaused && life.isRunning
        if turn.isEmpty, !clock.isChanged, !isProbe {
            board.endTurn()
            return nil
        }
        committing = turn
        return transaction
    }

    func draft(of entry: LoadedJobs.Entry, _ now: SchedulerReading) -> SchedulerTurn.Draft {
        SchedulerTurn.Draft(entry, at: now, in: configuration.timeZones)
    }

    /// Returns the position of the job's draft, which is added if the turn has none.
    private func position(of entry: LoadedJobs.Entry, in turn: SchedulerTurn) -> Int {
        turn.position(of: entry.key) ?? turn.add(draft(of: entry, turn.now))
    }

    private mutating func planExamined(into turn: SchedulerTurn) {
        let now = turn.now.wall
        for entry in jobs.takeExamined(atMost: SchedulerTurn.maximumJobs) {
            let hasNews = !entry.news.isEmpty
            // A doubtful job is skipped here; it is examined again once it has been read from the store.
            if jobs.isDoubtful(entry) || shards.holdsBack(entry) && !hasNews { continue }
            if life.isRunning, !hasNews, entry.machine.canArriveLate, kinds.canRun(entry.job.request),
                entry.machine.arrival.map({ $0 <= now }) ?? false
            {
                offer(entry, entry.machine, now)
                continue
            }
            let isAlone = turn.position(of: entry.key) == nil
            let index = position(of: entry, in: turn)
            guard life.isRunning, !shards.holdsBack(entry) else { continue }
            turn.drafts[index].arrive(now)
            // The effect of a command on the job is committed before the job moves.
            if isAlone, let shard = destination(of: turn.drafts[index].machine, now) {
                turn.drafts[index].move(to: shard, now)
                continue
            }
            offer(entry, turn.drafts[index].machine, now)
        }
    }

    /// Claims runs while there are free places.
    private mutating func planClaims(into turn: SchedulerTurn) {
        guard life.isRunning, !shards.isCutOff else { return }
        let now = turn.now
        var free = board.freePlaces
        while free > 0, turn.drafts.count < 2 * SchedulerTurn.maximumJobs, let picked = board.pick(now.continuous) {
            guard let entry = jobs[picked.job] else { preconditionFailure("a waiting job is not in memory") }
            if jobs.isDoubtful(entry) {
                board.release(picked)
                continue
            }
            let index = position(of: entry, in: turn)
            let job = turn.drafts[index].machine.job
            guard picked.isFor(job.request) else {
                // A command of this turn has changed the job's queue or key, so the job waits for a place in the new
                // queue.
                board.release(picked)
                offer(entry, turn.drafts[index].machine, now.wall)
                continue
            }
            guard conditions.isRead || job.request.policies.conditions.isEmpty else {
                // A command of this turn has added conditions to the job, so the run waits for the next turn, for which
                // the conditions are read.
                board.release(picked)
                continue
            }
            if turn.drafts[index].arriveAndStart(now.wall, unmet: conditions.unmet) {
                free -= 1
                // Another run of the job may be able to start beside this one.
                offer(entry, turn.drafts[index].machine, now.wall)
            } else {
                board.release(picked)
            }
        }
        for id in board.startingWithRate {
            turn.write(board.record(of: turn.queues[id] ?? board.queue(id), now))
        }
    }

    /// Returns the shards that can be given back with the turn, because none of their jobs runs or has a change to
    /// write.
    private func releasable(after turn: SchedulerTurn) -> [ShardID] {
        shards.releasable {
            var busy: Set<ShardID> = []
            for run in board.runs { if let entry = jobs[run.job] { busy.insert(entry.shard) } }
            for entry in jobs.all where !entry.news.isEmpty || jobs.isExamined(entry) || jobs.isDoubtful(entry) {
                busy.insert(entry.shard)
            }
            for draft in turn.drafts { busy.insert(draft.shard) }
            busy.formUnion(turn.shardsBeside)
            return busy
        }
    }
}

import ApusTimers

/// Chooses the shards of jobs, so that each is owned by a scheduler that can run it.
extension SchedulerMachine {
    /// The shard of a new job: that of its fairness key; or one of this scheduler's if it can run the job or none can,
    /// else one of a scheduler that can. A scheduler without shards puts the job into another's: it is in no memory yet,
    /// so no owner decides about it.
    func shard(for request: JobRequest) throws(JobError) -> ShardID {
        if let home = placement.home(of: request, shards, canRunHere: kinds.canRun(request)) { return home }
        if !kinds.canRun(request), let shard = placement.shard(for: request, besides: shards) { return shard }
        if let own = shards.shard(for: request) { return own }
        guard let other = placement.shard(for: request, besides: shards) ?? placement.anyShard(for: request) else {
            throw JobError(
                code: .unavailable,
                message: "\(request.id): this node owns no part of the jobs now; try again, or ask another node")
        }
        return other
    }

    /// Where a job goes that is due and cannot run here, if another scheduler can run it. One with a claimed run stays:
    /// its handler is at work here.
    func destination(of machine: JobMachine, _ now: WallInstant) -> ShardID? {
        guard !kinds.canRun(machine.job.request), !machine.open.contains(where: { $0.state == .running }),
            machine.isDue(now)
        else { return nil }
        return placement.shard(for: machine.job.request, besides: shards)
    }

    /// The next turns move what waits here and can run there, and what of these lanes is in the store only.
    mutating func adopt(_ others: OtherSchedulers, _ now: SchedulerReading) {
        placement.update(others)
        let (runnable, known) = (kinds.runnable, placement)
        board.need { !runnable.contains($0) && known.canRun($0) }
        for key in obstructed {
            if let entry = jobs[key], destination(of: entry.machine, now.wall) != nil { jobs.examine(entry) }
        }
    }
}

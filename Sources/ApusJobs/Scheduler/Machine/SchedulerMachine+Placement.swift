import ApusTimers

// The choice of jobs' shards, so that each job is owned by a scheduler that can run it.
extension SchedulerMachine {
    /// Returns the shard of a new job.
    ///
    /// It is the shard of the fairness key, if there is one. Otherwise it is one of this scheduler if it can run the
    /// job or no known scheduler can, and one of another scheduler that can run the job if this one cannot. A scheduler
    /// without shards puts the job into a shard of another: the job is in no scheduler's memory yet, so no owner
    /// decides about it.
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

    /// Returns the shard to which a due job moves that cannot run here, if another scheduler can run it.
    ///
    /// A job with a claimed run stays, because its handler runs here.
    func destination(of machine: JobMachine, _ now: WallInstant) -> ShardID? {
        guard !kinds.canRun(machine.job.request), !machine.open.contains(where: { $0.state == .running }),
            machine.isDue(now)
        else { return nil }
        return placement.shard(for: machine.job.request, besides: shards)
    }

    /// Adopts the state of the other schedulers; the next turns move due jobs that can run there and not here,
    /// including jobs that are only in the store.
    mutating func adopt(_ others: OtherSchedulers, _ now: SchedulerReading) {
        placement.update(others)
        let (runnable, known) = (kinds.runnable, placement)
        board.need { !runnable.contains($0) && known.canRun($0) }
        for key in obstructed {
            if let entry = jobs[key], destination(of: entry.machine, now.wall) != nil { jobs.examine(entry) }
        }
    }
}

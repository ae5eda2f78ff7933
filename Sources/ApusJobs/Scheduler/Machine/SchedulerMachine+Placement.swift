import ApusTimers

// The choice of jobs' shards, so that each job is owned by a scheduler that can run it.
extension SchedulerMachine {
    /// Returns the shard of a new job.
    ///
    /// A job with a fairness key is in the shard of the key. Otherwise the shard is one of this scheduler's, if this
    /// scheduler can run the job or if no known scheduler can. If only another scheduler can run the job, the shard is
    /// one of that scheduler's. If this scheduler owns no shards, it puts the job into a shard of another scheduler. It
    /// may do so because the job is in no scheduler's memory yet, so no owner is deciding about it.
    func shard(for request: JobRequest) throws(JobError) -> ShardID {
        if let home = placement.home(of: request, shards, canRunHere: kinds.canRun(request)) { return home }
        if !kinds.canRun(request), let shard = placement.shard(for: request, besides: shards) { return shard }
        if let own = shards.shard(for: request) { return own }
        guard let other = placement.shard(for: request, besides: shards) ?? placement.anyShard(for: request) else {
            throw JobError(
                code: .unavailable,
                message: "\(request.id): this node owns no shards now; try again, or use another node")
        }
        return other
    }

    /// Returns the shard to which a due job moves; `nil` if it can run here, or if no other scheduler can run it.
    ///
    /// A job with a claimed run stays, because its handler runs here.
    func destination(of machine: JobMachine, _ now: WallInstant) -> ShardID? {
        guard !kinds.canRun(machine.job.request), !machine.open.contains(where: { $0.state == .running }),
            machine.isDue(now)
        else { return nil }
        return placement.shard(for: machine.job.request, besides: shards)
    }

    /// Adopts the state of the other schedulers; the next turns move due jobs that only those schedulers can run,
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

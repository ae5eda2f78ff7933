import ApusJobs
import ApusTimers

/// The jobs that cannot be read.
extension ModelDatabase {
    /// The wakes of a job before it was set aside, with the epoch of the shard's owner at that time.
    struct Aside: Hashable {
        var version: Int64
        var shard: ShardID
        var epoch: Int64
        var problem: String
        var wake: WallInstant?
        var elapsedWake: WallInstant?
    }

    func found(_ row: Row) -> FoundJob {
        guard unreadable.contains(row.job.key) else { return .job(loaded(row)) }
        return .unreadable(
            UnreadableJob(key: row.job.key, id: row.job.id, shard: row.shard, problem: "it is damaged"))
    }

    /// Adds a job that no node can read, and that is due within seconds or was interrupted before the first node
    /// joined.
    func addUnreadable(_ number: Int, at now: WallInstant) {
        sequences.job += 1
        let due = now.advanced(by: .milliseconds(number * 900))
        let isRunning = number % 3 == 2
        let job = Job(
            request: JobRequest(id: JobID("unreadable\(number)"), kind: "work", trigger: .after(.zero)),
            key: sequences.job, version: 1, created: now, updated: now, firstDue: due,
            nextOccurrence: isRunning ? 2 : 1, nextDue: isRunning ? nil : due, elapsedWake: due,
            openRunCount: isRunning ? 1 : 0)
        var row = Row(job: job, shard: ShardID(rawValue: number % tables.shards.count))
        if isRunning {
            let run = Run(
                jobKey: job.key, jobID: job.id, occurrence: 1, attempt: 1, due: due, state: .running, claimed: due)
            sequences.run += 1
            (row.runs[RunID(run)], row.sequences[RunID(run)]) = (run, sequences.run)
        }
        tables.rows[job.key] = row
        unreadable.insert(job.key)
    }

    func isSetAside(_ row: Row) -> Bool { tables.setAside[row.job.key]?.version == row.job.version }

    /// Sets a job aside, so that nothing of it is due any more.
    func setAside(_ job: UnreadableJob, _ session: StoreSession) {
        guard let epoch = session.shards[job.shard], let row = tables.rows[job.key], row.shard == job.shard else {
            return
        }
        let noted = tables.setAside[job.key]
        let (former, bookkeeping) = (noted?.version == row.job.version ? noted : nil, row.job.bookkeeping)
        tables.setAside[job.key] = Aside(
            version: row.job.version, shard: job.shard, epoch: epoch.rawValue, problem: job.problem,
            wake: bookkeeping.wake ?? former?.wake, elapsedWake: bookkeeping.elapsedWake ?? former?.elapsedWake)
        tables.rows[job.key]!.job.bookkeeping.wake = nil
        tables.rows[job.key]!.job.bookkeeping.elapsedWake = nil
    }

    /// Makes jobs due again if an earlier owner of the node's shards has set them aside, and they have not ended.
    func giveBack(_ shards: some Sequence<ShardID>, to node: Int64) {
        for shard in shards where tables.shards[shard.rawValue].owner == node {
            let epoch = tables.shards[shard.rawValue].epoch
            for (key, aside) in tables.setAside where aside.shard == shard && aside.epoch < epoch {
                tables.setAside[key] = nil
                guard let job = tables.rows[key]?.job, job.version == aside.version, job.nextWake == nil,
                    !job.state.isFinal
                else { continue }
                tables.rows[key]!.job.bookkeeping.wake = aside.wake
                tables.rows[key]!.job.bookkeeping.elapsedWake = aside.elapsedWake
            }
        }
    }
}

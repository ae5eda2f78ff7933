import ApusTimers

/// The host's conditions, and the due jobs that they hold back.
///
/// The scheduler follows the host's conditions while they hold back a job.
struct HostConditions {
    private(set) var unmet: JobConditions = []
    /// Whether the conditions were read for the turn in progress.
    private(set) var isRead = false
    private(set) var held = JobsByLane()

    mutating func read(_ unmet: JobConditions) { (self.unmet, isRead) = (unmet, true) }

    mutating func endTurn() { isRead = false }

    mutating func hold(_ key: Int64, _ lane: QueueLane, _ effects: inout [SchedulerEffect]) {
        if held.isEmpty { effects.append(.followConditions(true)) }
        held.insert(key, lane)
    }

    /// Releases the job, if it is held.
    mutating func release(_ key: Int64, _ effects: inout [SchedulerEffect]) {
        guard held.contains(key) else { return }
        held.remove(key)
        if held.isEmpty { effects.append(.followConditions(false)) }
    }

    /// Releases all jobs, because no run begins any more.
    mutating func stop(_ effects: inout [SchedulerEffect]) {
        if !held.isEmpty { effects.append(.followConditions(false)) }
        held.removeAll()
    }

    /// Returns the conditions that hold back the job.
    func awaited(by entry: LoadedJobs.Entry) -> JobConditions {
        held.contains(entry.key) ? entry.job.request.policies.conditions.intersection(unmet) : []
    }

    /// Returns the held jobs whose conditions are met, oldest first, in a deterministic order.
    func released(_ jobs: borrowing LoadedJobs) -> [LoadedJobs.Entry] {
        var released: [(wake: WallInstant, entry: LoadedJobs.Entry)] = []
        for key in held.keys {
            guard let entry = jobs[key], let wake = entry.job.nextWake else { continue }
            if entry.job.request.policies.conditions.isDisjoint(with: unmet) { released.append((wake, entry)) }
        }
        return released.sorted { ($0.wake, $0.entry.key) < ($1.wake, $1.entry.key) }.map(\.entry)
    }
}

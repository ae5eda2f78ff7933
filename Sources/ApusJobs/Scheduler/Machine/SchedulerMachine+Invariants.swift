// The invariants that hold between two calls of the machine.
extension SchedulerMachine {
    /// The number of jobs and queues that ``brokenInvariant()`` examines.
    var checkedCount: Int { jobs.count + board.queueCount }

    /// Returns a description of a broken invariant; `nil` if there is none.
    package func brokenInvariant() -> String? {
        if let broken = jobs.brokenInvariant() ?? commands.brokenInvariant() ?? board.brokenInvariant() {
            return broken
        }
        for entry in jobs.all {
            for run in entry.machine.open
            where run.state == .running && !entry.news.isInterrupted && !jobs.isDoubtful(entry) {
                let isEnding = entry.news.ends.contains { $0.key == RunKey(run) }
                if board.isRunning(RunKey(run)) == isEnding {
                    return "job \(entry.job.id): a handler of a claimed run neither runs nor has ended"
                }
            }
            if life.isRunning, committing == nil, let broken = brokenPlace(entry) {
                return "job \(entry.job.id): \(broken)"
            }
        }
        if !life.acceptsCommands, !commands.isEmpty || history.hasDeletions {
            return "commands wait in a scheduler that has stopped"
        }
        return nil
    }

    /// Returns the reason why the job would not be examined in time; `nil` if it will be.
    private func brokenPlace(_ entry: LoadedJobs.Entry) -> String? {
        if jobs.isExamined(entry) || jobs.isDoubtful(entry) || shards.holdsBack(entry) { return nil }
        let (machine, wake, isWaiting) = (entry.machine, wakes[entry.key], board.isWaiting(entry.key))
        let words = wake.map { "at \($0)" } ?? "never"
        if let due = machine.arrival, !(isWaiting && machine.canArriveLate), wake.map({ $0 > due }) ?? true {
            return "its next occurrence is due at \(due), and it is examined \(words)"
        }
        if isWaiting || conditions.held.contains(entry.key) || kinds.parked.contains(entry.key) { return nil }
        if !entry.news.ends.isEmpty { return "a result is not examined" }
        guard let next = machine.job.nextWake, wake.map({ $0 > next }) ?? true else { return nil }
        return "it is due at \(next), and examined \(words)"
    }
}

/// What is always true of the machine between two calls.
extension SchedulerMachine {
    /// What is wrong with the scheduler, in words; `nil` if nothing is.
    package func brokenInvariant() -> String? {
        let looked = Set(dirty)
        for (key, entry) in entries {
            let job = entry.machine.job
            if job.key != key { return "job \(job.id) is kept under the key \(key)" }
            if !entry.isChecked {
                if let broken = entry.machine.brokenInvariant() { return "job \(job.id): \(broken)" }
                entry.isChecked = true
            }
            if entry.isDirty != looked.contains(key) {
                return "job \(job.id) does not know whether it is looked at next"
            }
            if entry.isDoubtful != doubtful.contains(key) {
                return "job \(job.id) does not know whether it is doubtful"
            }
            for run in entry.machine.open where run.state == .claimed && !entry.isInterrupted && !entry.isDoubtful {
                let isEnding = entry.ends.contains { $0.key == RunKey(run) }
                if (running[RunKey(run)] != nil) == isEnding {
                    return
                        "run \(run.occurrence) of job \(job.id) is claimed, and its handler neither runs nor has ended"
                }
            }
            if phase.isRunning, plan == nil, let broken = brokenPlace(key, entry) { return "job \(job.id): \(broken)" }
        }
        if !phase.acceptsCommands, !commands.isEmpty { return "commands wait, and nothing is done any more" }
        let submissions = commands.compactMap { $0.submission?.sequence }
        if Set(submissions).count < submissions.count { return "a submission was read twice" }
        for (id, key) in keys where entries[key]?.machine.job.id != id { return "the identifier \(id) has no job" }
        if isFollowing == held.isEmpty, phase.isRunning { return "the host is followed for nothing, or is not" }
        if running.count > configuration.maximumConcurrentRuns { return "\(running.count) handlers run at once" }
        let waiting = entries.values.compactMap { $0.offer?.queue }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return board.brokenInvariant(
            running: running.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }, waiting: waiting)
    }

    /// Why the job would not be looked at when its time has come.
    private func brokenPlace(_ key: Int64, _ entry: Entry) -> String? {
        if entry.isDirty || entry.isDoubtful || isReleased(entry) { return nil }
        let mayArriveLater = entry.offer != nil && entry.machine.canArriveLate
        if let due = entry.machine.arrival, !mayArriveLater, entry.armed.map({ $0 > due }) ?? true {
            return
                "its next occurrence is due at \(due), and it is looked at \(entry.armed.map { "at \($0)" } ?? "never")"
        }
        if entry.offer != nil || held.contains(key) { return nil }
        if parked.contains(key) { return nil }
        if !entry.ends.isEmpty { return "a result is not looked at" }
        guard let wake = entry.machine.job.nextWake, entry.armed.map({ $0 > wake }) ?? true else { return nil }
        return "it is due at \(wake), and looked at \(entry.armed.map { "at \($0)" } ?? "never")"
    }
}

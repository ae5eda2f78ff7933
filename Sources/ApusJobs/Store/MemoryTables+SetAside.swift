import ApusTimers

extension MemoryTables {
    mutating func damage(_ id: JobID, _ problem: String?) {
        find(id)?.problem = problem
    }

    /// Removes the job's wakes, so that nothing of it is due any more.
    mutating func setAside(_ job: UnreadableJob) {
        guard let row = rows[job.key] else { return }
        let (wake, elapsedWake) = (row.job.bookkeeping.wake, row.job.bookkeeping.elapsedWake)
        row.aside = (job.problem, wake ?? row.aside?.wake, elapsedWake ?? row.aside?.elapsedWake)
        row.job.bookkeeping.wake = nil
        row.job.bookkeeping.elapsedWake = nil
    }

    /// Restores the wakes of all jobs that were set aside.
    mutating func giveWakesBack() {
        for row in rows.values {
            guard let aside = row.aside else { continue }
            row.job.bookkeeping.wake = aside.wake
            row.job.bookkeeping.elapsedWake = aside.elapsedWake
            row.aside = nil
        }
    }

    func setAside(after key: Int64, limit: Int) -> [UnreadableJob] {
        rows.values.filter { $0.job.key > key && $0.aside != nil }.sorted { $0.job.key < $1.job.key }
            .prefix(limit)
            .map { UnreadableJob(key: $0.job.key, id: $0.job.id, problem: $0.aside!.problem) }
    }
}

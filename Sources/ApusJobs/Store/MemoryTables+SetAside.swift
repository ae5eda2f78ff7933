import ApusTimers

/// Jobs that cannot be read.
extension MemoryTables {
    mutating func damage(_ id: JobID, _ problem: String?) {
        guard let key = find(id)?.job.key else { return }
        rows[key]!.problem = problem
    }

    /// Nothing of the job is due any more.
    mutating func setAside(_ job: UnreadableJob) {
        guard let row = rows[job.key] else { return }
        let (wake, elapsedWake) = (row.job.bookkeeping.wake, row.job.bookkeeping.elapsedWake)
        rows[job.key]!.aside = (job.problem, wake ?? row.aside?.wake, elapsedWake ?? row.aside?.elapsedWake)
        rows[job.key]!.job.bookkeeping.wake = nil
        rows[job.key]!.job.bookkeeping.elapsedWake = nil
    }

    /// Jobs that were set aside are due again as they were.
    mutating func giveWakesBack() {
        for (key, row) in rows {
            guard let aside = row.aside else { continue }
            rows[key]!.job.bookkeeping.wake = aside.wake
            rows[key]!.job.bookkeeping.elapsedWake = aside.elapsedWake
            rows[key]!.aside = nil
        }
    }

    func setAside(after key: Int64, limit: Int) -> [UnreadableJob] {
        rows.values.filter { $0.job.key > key && $0.aside != nil }.sorted { $0.job.key < $1.job.key }
            .prefix(limit)
            .map { UnreadableJob(key: $0.job.key, id: $0.job.id, problem: $0.aside!.problem) }
    }
}

import ApusJobs
import ApusTimers
import ApusVirtualTime

/// The jobs whose rows cannot be read.
///
/// The ledger does not record them. It expects the other jobs to run as if there were no unreadable jobs.
extension World {
    /// Adds the jobs, each of which is due within a minute of elapsed time, or was interrupted by the end of an earlier
    /// process.
    func addUnreadable() {
        if history.unreadable == 0 { return }
        let (base, now) = (base, time.wall())
        let changes = (0..<history.unreadable).map { number -> JobChange in
            let due = now.advanced(by: .seconds(number * 5))
            let isRunning = number % 4 == 3
            let job = Job(
                request: JobRequest(id: Self.unreadable(number), trigger: .after(.zero)), created: now, updated: now,
                firstDue: due, nextOccurrence: isRunning ? 2 : 1, nextDue: isRunning ? nil : due, elapsedWake: due,
                openRunCount: isRunning ? 1 : 0)
            let run = Run(
                jobKey: 0, jobID: job.id, occurrence: 1, attempt: 1, due: now, state: .running, claimed: now)
            return JobChange(expected: .absent, job: job, runs: isRunning ? [run] : [])
        }
        let isAdded = try? time.perform {
            let session = try await base.open(as: NodeID(rawValue: "an earlier process"))
            let clock = StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero)
            for result in try await base.commit(StoreTurn(parts: changes.map { [$0] }, clock: clock), in: session) {
                _ = try result.get()
            }
            try await base.close(session)
            return true
        }
        if isAdded != true { ledger.report(.tidy, "the jobs that cannot be read are not in the store") }
        for number in 0..<history.unreadable { base.damage(Self.unreadable(number), "it is damaged") }
    }

    private static func unreadable(_ number: Int) -> JobID { JobID("unreadable\(number)") }

    /// Checks that the last scheduler has set all unreadable jobs aside, and has changed none of them.
    func checkUnreadable() {
        let base = base
        for number in 0..<history.unreadable {
            let id = Self.unreadable(number)
            base.damage(id, nil)
            let job = try? time.perform { try await base.job(id)?.job }
            base.damage(id, "it is damaged")
            guard let job, job.version == 1 else {
                ledger.report(.durable, "a job that cannot be read was changed")
                continue
            }
            if job.nextWake != nil { ledger.report(.recovery, "\(job.id) cannot be read, and is not set aside") }
        }
    }
}

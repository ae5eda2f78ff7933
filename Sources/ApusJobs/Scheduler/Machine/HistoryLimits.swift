import ApusTimers

/// The limits of the stored history.
struct HistoryLimits {
    /// The largest number of runs that are kept for each job; older runs are removed.
    var runs: Int
    /// The time for which ended jobs are kept.
    var finished: Duration
    /// The time for which jobs that ended with a failure are kept.
    var failed: Duration

    init(_ configuration: JobScheduler.Configuration) {
        runs = configuration.historyRunsPerJob
        (finished, failed) = (configuration.finishedJobsKept, configuration.failedJobsKept)
    }

    /// Returns the instant until which a job is kept, where `change` is the change that ends the job.
    func keptUntil(endedBy change: JobChange) -> WallInstant {
        let job = change.job
        let hasFailed =
            job.state == .finished
            && change.runs.contains { $0.isFinal && ($0.state == .failed || $0.state == .lost) }
        let period = job.request.policies.retention ?? (hasFailed ? failed : finished)
        return min(max(job.updated.due(after: period), job.uniqueUntil), .lastDue)
    }
}

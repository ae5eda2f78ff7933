import ApusTimers

/// How much of the past is kept.
struct HistoryLimits {
    /// The newest runs of each job.
    var runs: Int
    /// How long ended jobs are kept.
    var finished: Duration
    /// How long those are kept that ended with a failure.
    var failed: Duration

    init(_ configuration: JobScheduler.Configuration) {
        runs = configuration.historyRunsPerJob
        (finished, failed) = (configuration.finishedJobsKept, configuration.failedJobsKept)
    }

    /// Until when a job is kept that the change ends.
    func keptUntil(endedBy change: JobChange) -> WallInstant {
        let job = change.job
        let hasFailed =
            job.state == .finished
            && change.runs.contains { $0.isFinal && ($0.state == .failed || $0.state == .lost) }
        let period = job.request.policies.retention ?? (hasFailed ? failed : finished)
        return min(max(job.updated.due(after: period), job.uniqueUntil), .lastDue)
    }
}

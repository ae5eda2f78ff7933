import ApusJobs

/// The changes of all jobs that match a query.
extension World {
    func give(_ bulk: Step.Bulk, queue: Int?) {
        guard isUp, let current else { return }
        let kind: Ledger.Command.Kind =
            switch bulk {
            case .cancel: .cancel
            case .retry: .retry
            case .delete: .delete
            }
        let command = ledger.issue(kind, node: current.number, reach: queue.map { .queue($0) } ?? .all)
        // The pages have two jobs, so that there are several pages.
        let query = JobQuery(queues: queue.map { [JobPlan.queueID($0)] } ?? [], limit: 2)
        current.give(command) { [base, ledger] scheduler in
            let before = try await Self.changeable(bulk, query, in: base)
            var (cancelled, query): ([Job], JobQuery) = ([], query)
            repeat {
                switch bulk {
                case .cancel:
                    let page = try await scheduler.cancelPage(query)
                    cancelled += page.changed
                    query.cursor = page.next
                case .retry: query.cursor = try await scheduler.retryPage(query).next
                case .delete: query.cursor = try await scheduler.deletePage(query).next
                }
            } while query.cursor != nil
            for job in try await Self.changeable(bulk, query, in: base) where before.contains(job) {
                ledger.report(.answered, "\(bulk) was answered for all jobs, and \(job.id) is as it was before")
            }
            return cancelled
        }
    }

    /// Returns the jobs that the command must change.
    private static func changeable(
        _ bulk: Step.Bulk, _ query: JobQuery, in base: MemoryStore
    ) async throws -> [Job] {
        var query = query
        (query.limit, query.cursor) = (10_000, nil)
        switch bulk {
        case .retry: (query.states, query.lastEnded) = ([.scheduled, .suspended, .finished], [.failed, .lost])
        case .cancel: query.states = [.scheduled, .suspended]
        case .delete: query.states = [.finished, .cancelled]
        }
        let jobs = try await base.jobs(query).jobs
        let found = try await base.find(jobs.map { .key($0.key) }).compactMap { $0 }.readable
        var changeable: [Job] = []
        for loaded in found {
            let isChangeable =
                switch bulk {
                case .cancel: true
                case .delete: loaded.open.isEmpty
                case .retry: try await isRetriable(loaded, in: base)
                }
            if isChangeable { changeable.append(loaded.job) }
        }
        return changeable
    }

    /// Returns whether the store must accept a retry of the job.
    ///
    /// This is so if the job is not unique by its content, its last attempt is final, and no other job with the same
    /// identifier has had a later attempt.
    private static func isRetriable(_ loaded: LoadedJob, in base: MemoryStore) async throws -> Bool {
        let job = loaded.job
        if job.request.uniqueness.countsContent { return false }
        let query = RunQuery(
            jobID: job.id, states: [.succeeded, .failed, .lost, .cancelled], begunOnly: true, limit: 1)
        let last = try await base.runs(query).runs.first
        return last.map { $0.jobKey == job.key && $0.isFinal } ?? false
    }
}

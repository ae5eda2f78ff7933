import ApusJobs

/// Changing all jobs that match a query.
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
        // Pages of two, so that there are several.
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

    /// The jobs that the change must not leave as they are. One that is tried again may have given way to another.
    private static func changeable(
        _ bulk: Step.Bulk, _ query: JobQuery, in base: MemoryStore
    ) async throws -> [Job] {
        var query = query
        (query.limit, query.cursor) = (10_000, nil)
        switch bulk {
        case .retry: return []
        case .cancel: query.states = [.scheduled, .suspended]
        case .delete: query.states = [.finished, .cancelled]
        }
        let jobs = try await base.jobs(query).jobs
        let found = try await base.find(jobs.map { .key($0.key) })
        return found.compactMap { $0 }.readable.filter { bulk == .cancel || $0.open.isEmpty }.map(\.job)
    }
}

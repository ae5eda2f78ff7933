/// Changing all jobs that match a query, page by page, the jobs that were submitted last first: those that are submitted
/// meanwhile are not met, so there is an end, however fast they come.
extension JobScheduler {
    /// Ends the jobs that match and have not ended, as ``cancel(_:)`` does, in commits of up to 1,000 of them, between which
    /// what is due runs. Jobs that are submitted after the call stay. A job that is updated during the call may be cancelled
    /// although it does not match any more.
    ///
    /// ```swift
    /// let count = try await scheduler.cancel(all: JobQuery(queues: ["mail"], fairnessKeys: ["acme"]))
    /// ```
    /// - Parameters:
    ///   - query: which jobs; `JobQuery()` means all. Without states, those that are scheduled or suspended. What it says
    ///     of pages, of their order and of last runs does not count here.
    ///   - progress: called after each page of up to 1,000 jobs with the number of those that are cancelled so far.
    /// - Returns: how many jobs were cancelled.
    /// - Throws: ``JobError`` with `invalid` for a query of jobs that have ended; `closed`, or the store's errors;
    ///   `CancellationError` before the next page if the task is cancelled. Some of the jobs may be cancelled then.
    @discardableResult
    public func cancel(all query: JobQuery, progress: (Int) -> Void = { _ in }) async throws -> Int {
        try await inPages(query, progress) { try await cancelPage($0) }
    }

    /// Tries again, as ``retry(_:occurrence:)`` does, the occurrence of which the newest attempt that has ended failed or was
    /// lost, of each job that matches, in commits of up to 1,000 of them, between which what is due runs. Jobs that are being
    /// tried again already, whose identifier another job has by now, or that others keep changing, are left out.
    ///
    /// ```swift
    /// let count = try await scheduler.retry(all: JobQuery(kind: "invoice.send"))
    /// ```
    /// - Parameters:
    ///   - query: which jobs; `JobQuery()` means all. Without states, those that are not cancelled; without
    ///     ``JobQuery/lastEnded``, those whose newest attempt that has ended failed or was lost. What it says of pages, of
    ///     their order and of last runs does not count here.
    ///   - progress: called after each page of up to 1,000 jobs with the number of those that are tried again so far.
    /// - Returns: how many jobs are tried again.
    /// - Throws: ``JobError`` with `invalid` for a query of jobs that are cancelled or whose newest attempt succeeded;
    ///   `closed`, or the store's errors; `CancellationError` before the next page if the task is cancelled. Some of the jobs
    ///   may be tried again then.
    @discardableResult
    public func retry(all query: JobQuery, progress: (Int) -> Void = { _ in }) async throws -> Int {
        try await inPages(query, progress) { try await retryPage($0) }
    }

    /// Removes the jobs that match and have ended, as ``delete(_:)`` does, in transactions of up to 100 of them, between
    /// which what is due runs. Those with a run in progress stay, and so do jobs that another caller continues meanwhile or
    /// that are submitted after the call.
    ///
    /// ```swift
    /// let failed = JobQuery(states: [.finished], kind: "invoice.send", lastEnded: [.failed, .lost])
    /// let count = try await scheduler.delete(all: failed)
    /// ```
    /// - Parameters:
    ///   - query: which jobs; `JobQuery()` means all. Without states, those that are finished or cancelled. What it says of
    ///     pages, of their order and of last runs does not count here.
    ///   - progress: called after each page of up to 1,000 jobs with the number of those that are removed so far.
    /// - Returns: how many jobs were removed.
    /// - Throws: ``JobError`` with `invalid` for a query of jobs that have not ended; `closed`, or the store's errors;
    ///   `CancellationError` before the next page if the task is cancelled. Some of the jobs may be removed then.
    @discardableResult
    public func delete(all query: JobQuery, progress: (Int) -> Void = { _ in }) async throws -> Int {
        try await inPages(query, progress) { try await deletePage($0) }
    }

    private func inPages<Changed>(
        _ query: JobQuery, _ progress: (Int) -> Void,
        change: (JobQuery) async throws -> (changed: [Changed], next: String?)
    ) async throws -> Int {
        var query = query
        (query.limit, query.cursor) = (1_000, nil)
        var count = 0
        repeat {
            try Task.checkCancellation()
            let page = try await change(query)
            count += page.changed.count
            query.cursor = page.next
            progress(count)
        } while query.cursor != nil
        return count
    }

    /// Cancels those of one page of jobs.
    /// - Returns: the jobs that are cancelled, and where the next page begins.
    package func cancelPage(_ query: JobQuery) async throws -> (changed: [Job], next: String?) {
        let page = try await page(
            query, of: [.scheduled, .suspended], otherwise: "only jobs that are scheduled or suspended can be cancelled"
        )
        let jobs = try await cancel(page.jobs.map { .cancel($0.id, key: $0.key) })
        return (jobs.filter { $0.state == .cancelled }, page.nextCursor)
    }

    /// Tries those of one page of jobs again.
    /// - Returns: the new attempts, and where the next page begins.
    package func retryPage(_ query: JobQuery) async throws -> (changed: [Run], next: String?) {
        guard query.lastEnded.isSubset(of: [.failed, .lost, .cancelled]) else {
            throw JobError(
                code: .invalid, message: "lastEnded: only what failed, was lost or was cancelled is tried again")
        }
        var query = query
        if query.lastEnded.isEmpty { query.lastEnded = [.failed, .lost] }
        let page = try await page(
            query, of: [.scheduled, .suspended, .finished], includesLastRuns: true,
            otherwise: "a cancelled job cannot be tried again; submit it anew")
        var left = Array(zip(page.jobs, page.lastRuns))
        var retried: [Run] = []
        // A job that has changed since it was read is read again, a few times.
        for _ in 0..<4 where !left.isEmpty {
            var commands: [(job: Job, command: SchedulerCommand)] = []
            for (job, last) in left {
                let run = if let last, !last.state.isOpen { last } else { try await newestEnded(of: job) }
                guard let run, run.isFinal, query.lastEnded.contains(run.state) else { continue }
                commands.append((job, .job(.retry(run, version: job.version))))
            }
            var changed: [Int64] = []
            for (answer, job) in zip(await loop.call(commands.map(\.command)), commands.map(\.job)) {
                switch answer {
                case .success(.run(let run)): retried.append(run)
                case .failure(let error) where error.code == .conflict: changed.append(job.key)
                case .failure(let error) where error.code != .notFound && error.code != .invalid: throw error
                case .success, .failure: break
                }
            }
            left = try await jobs(numbered: changed).map { ($0, nil) }
        }
        return (retried, page.nextCursor)
    }

    /// The attempt that ``JobQuery/lastEnded`` is about; `nil` if another job has the identifier by now.
    private func newestEnded(of job: Job) async throws -> Run? {
        let query = RunQuery(
            jobID: job.id, states: [.succeeded, .failed, .lost, .cancelled], begunOnly: true, limit: 1)
        return try await runs(query).runs.first { $0.jobKey == job.key }
    }

    /// Removes those of one page of jobs that have ended.
    /// - Returns: the jobs that were removed, and where the next page begins.
    package func deletePage(_ query: JobQuery) async throws -> (changed: [Job], next: String?) {
        let page = try await page(
            query, of: [.finished, .cancelled],
            otherwise: "only jobs that are finished or cancelled can be deleted; cancel the others")
        let deleted = try await delete(page.jobs)
        return (page.jobs.filter { deleted.contains($0.key) }, page.nextCursor)
    }

    /// One page of the jobs that a change can be made to.
    private func page(
        _ query: JobQuery, of states: Set<JobState>, includesLastRuns: Bool = false, otherwise problem: String
    ) async throws -> JobPage {
        guard query.states.isSubset(of: states) else {
            throw JobError(code: .invalid, message: "states: \(problem)")
        }
        var query = query
        query.includesLastRuns = includesLastRuns
        query.newestFirst = true
        if query.states.isEmpty { query.states = states }
        return try await jobs(query)
    }
}

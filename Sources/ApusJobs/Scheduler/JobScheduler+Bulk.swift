// Each method changes all jobs that match a query, page by page, newest first. Jobs that are submitted in the meantime
// are on no later page, so each method ends, whatever the rate of submissions.
extension JobScheduler {
    /// Cancels the jobs that match and have not ended, as ``cancel(_:)`` does.
    ///
    /// Each commit cancels up to 1,000 jobs, and due jobs run between the commits.
    ///
    /// Jobs that are submitted after the call stay. A job that is updated during the call may be cancelled although it
    /// does not match any more.
    ///
    /// ```swift
    /// let count = try await scheduler.cancel(all: JobQuery(queues: ["mail"], fairnessKeys: ["acme"]))
    /// ```
    /// - Parameters:
    ///   - query: The query; `JobQuery()` matches all jobs. If it has no states, scheduled and suspended jobs match.
    ///     The query's limit, cursor, order and ``JobQuery/includesLastRuns`` are ignored.
    ///   - progress: A closure that is called after each page of up to 1,000 jobs with the number of jobs that were
    ///     cancelled so far.
    /// - Returns: The number of jobs that were cancelled.
    /// - Throws: ``JobError`` with `invalid` for a query of jobs that have ended; `closed`, or the store's errors;
    ///   `CancellationError` before the next page if the task is cancelled. Some of the jobs may then be cancelled.
    @discardableResult
    public func cancel(all query: JobQuery, progress: (Int) -> Void = { _ in }) async throws -> Int {
        try await inPages(query, progress) { try await cancelPage($0) }
    }

    /// Retries the last failed or lost occurrence of each job that matches, as ``retry(_:occurrence:)`` does.
    ///
    /// The retries are written in commits of up to 1,000 jobs, and due jobs run between the commits. For each job, the
    /// occurrence of its newest ended attempt is retried. A job is left out if it is being retried already, if another
    /// job has its identifier by now, or if other callers keep changing it.
    ///
    /// ```swift
    /// let count = try await scheduler.retry(all: JobQuery(kind: "invoice.send"))
    /// ```
    /// - Parameters:
    ///   - query: The query. If it has no states, jobs that are cancelled do not match. If ``JobQuery/lastEnded`` is
    ///     empty, only jobs whose newest ended attempt failed or was lost match. The query's limit, cursor, order and
    ///     ``JobQuery/includesLastRuns`` are ignored.
    ///   - progress: A closure that is called after each page of up to 1,000 jobs with the number of jobs that are
    ///     retried so far.
    /// - Returns: The number of jobs that are retried.
    /// - Throws: ``JobError`` with `invalid` for a query of jobs that are cancelled or whose newest attempt succeeded;
    ///   `closed`, or the store's errors; `CancellationError` before the next page if the task is cancelled. Some of
    ///   the jobs may then be retried.
    @discardableResult
    public func retry(all query: JobQuery, progress: (Int) -> Void = { _ in }) async throws -> Int {
        try await inPages(query, progress) { try await retryPage($0) }
    }

    /// Deletes the jobs that match and have ended, as ``delete(_:)`` does.
    ///
    /// A transaction deletes at most 100 jobs, and due jobs run between the transactions. Jobs with a run in progress
    /// stay. So do jobs that another caller continues in the meantime, and jobs that are submitted after the call.
    ///
    /// ```swift
    /// let failed = JobQuery(states: [.finished], kind: "invoice.send", lastEnded: [.failed, .lost])
    /// let count = try await scheduler.delete(all: failed)
    /// ```
    /// - Parameters:
    ///   - query: The query; `JobQuery()` matches all jobs. If it has no states, finished and cancelled jobs match. The
    ///     query's limit, cursor, order and ``JobQuery/includesLastRuns`` are ignored.
    ///   - progress: A closure that is called after each page of up to 1,000 jobs with the number of jobs that were
    ///     deleted so far.
    /// - Returns: The number of jobs that were deleted.
    /// - Throws: ``JobError`` with `invalid` for a query of jobs that have not ended; `closed`, or the store's errors;
    ///   `CancellationError` before the next page if the task is cancelled. Some of the jobs may then be deleted.
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

    /// Cancels the jobs of one page.
    ///
    /// - Returns: The jobs that are cancelled, and the cursor of the next page.
    package func cancelPage(_ query: JobQuery) async throws -> (changed: [Job], next: String?) {
        let page = try await page(
            query, of: [.scheduled, .suspended], otherwise: "only jobs that are scheduled or suspended can be cancelled"
        )
        let jobs = try await cancel(page.jobs.map { .cancel($0.id, key: $0.key) })
        return (jobs.filter { $0.state == .cancelled }, page.nextCursor)
    }

    /// Retries the jobs of one page.
    ///
    /// - Returns: The new attempts, and the cursor of the next page.
    package func retryPage(_ query: JobQuery) async throws -> (changed: [Run], next: String?) {
        guard query.lastEnded.isSubset(of: [.failed, .lost, .cancelled]) else {
            throw JobError(
                code: .invalid,
                message: "lastEnded: only runs that failed, were lost or were cancelled can be tried again")
        }
        var query = query
        if query.lastEnded.isEmpty { query.lastEnded = [.failed, .lost] }
        let page = try await page(
            query, of: [.scheduled, .suspended, .finished], includesLastRuns: true,
            otherwise: "a cancelled job cannot be tried again; submit it again")
        var left = Array(zip(page.jobs, page.lastRuns))
        var retried: [Run] = []
        // A job that has changed since it was read is read again; there are at most four tries.
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

    /// Returns the attempt to which ``JobQuery/lastEnded`` refers; `nil` if another job has the identifier by now.
    private func newestEnded(of job: Job) async throws -> Run? {
        let query = RunQuery(
            jobID: job.id, states: [.succeeded, .failed, .lost, .cancelled], begunOnly: true, limit: 1)
        return try await runs(query).runs.first { $0.jobKey == job.key }
    }

    /// Deletes the ended jobs of one page.
    ///
    /// - Returns: The jobs that were deleted, and the cursor of the next page.
    package func deletePage(_ query: JobQuery) async throws -> (changed: [Job], next: String?) {
        let page = try await page(
            query, of: [.finished, .cancelled],
            otherwise: "only jobs that are finished or cancelled can be deleted; cancel the others")
        let deleted = try await delete(page.jobs)
        return (page.jobs.filter { deleted.contains($0.key) }, page.nextCursor)
    }

    /// Returns one page of the jobs that can be changed.
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

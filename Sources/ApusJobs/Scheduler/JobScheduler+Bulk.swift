/// Removing ended jobs before ``Job/keptUntil``.
extension JobScheduler {
    /// Removes a job that has ended, with its runs and whatever it stands for: its identifier, its idempotency key and what
    /// makes it unique are free, also within a period of uniqueness. A job with that identifier that ended before it is
    /// ``job(_:)`` from then on.
    /// - Throws: ``JobError`` with `notFound`; `invalid` for a job that has not ended (``cancel(_:)`` ends it), and while
    ///   a handler of it runs; `conflict` if another caller continues the job at the same time; `closed`, or the store's
    ///   errors.
    public func delete(_ id: JobID) async throws {
        guard let loaded = try await loop.store.job(id) else {
            throw JobError(code: .notFound, message: "\(id): there is no such job")
        }
        guard loaded.job.state.isFinal else {
            throw JobError(
                code: .invalid, message: "\(id): the job is \(loaded.job.state) and cannot be deleted; cancel it first")
        }
        guard loaded.open.isEmpty else {
            throw JobError(code: .invalid, message: "\(id): the job cannot be deleted while a run of it is in progress")
        }
        guard try await delete([loaded.job]).contains(loaded.job.key) else {
            throw JobError(code: .conflict, message: "\(id): the job is no longer as it was; read it again")
        }
    }
}

/// Changing all jobs that match a query, page by page, the jobs that were submitted last first: those that are submitted
/// meanwhile are not met, so there is an end, however fast they come.
extension JobScheduler {
    /// Ends the jobs that match and have not ended, as ``cancel(_:)`` does, in commits of up to 1,000 of them, between which
    /// what is due runs, the jobs that were submitted last first. Those that are submitted after the call stay.
    ///
    /// ```swift
    /// let count = try await scheduler.cancel(all: JobQuery(queues: ["mail"], fairnessKeys: ["acme"]))
    /// ```
    /// - Parameters:
    ///   - query: which jobs. Without states, those that are scheduled or suspended; `limit`, `cursor` and `newestFirst`
    ///     say nothing here.
    ///   - progress: called after each 1,000 jobs that match with the number of those that are cancelled.
    /// - Returns: how many jobs were cancelled.
    /// - Throws: ``JobError`` with `invalid` for a query of jobs that have ended; `closed`, or the store's errors: some of
    ///   the jobs may be cancelled then.
    @discardableResult
    public func cancel(all query: JobQuery, progress: (Int) -> Void = { _ in }) async throws -> Int {
        try await inPages(query, progress) { try await cancelPage($0) }
    }

    /// Tries again, as ``retry(_:occurrence:)`` does, the last occurrence that did not succeed of each job that matches, in
    /// commits of up to 1,000 of them, between which what is due runs, the jobs that were submitted last first. A job that
    /// cannot be tried again any more, because another caller has done so or has cancelled or deleted it, is left out.
    ///
    /// ```swift
    /// let count = try await scheduler.retry(all: JobQuery(kind: "invoice.send"))
    /// ```
    /// - Parameters:
    ///   - query: which jobs. Without ``JobQuery/lastEnded``, those whose last attempt failed or was lost; without states,
    ///     those that are not cancelled; `limit`, `cursor` and `newestFirst` say nothing here.
    ///   - progress: called after each 1,000 jobs that match with the number of those that are tried again.
    /// - Returns: how many jobs are tried again.
    /// - Throws: ``JobError`` with `invalid` for a query of jobs that are cancelled or whose last attempt succeeded; `closed`,
    ///   or the store's errors: some of the jobs may be tried again then.
    @discardableResult
    public func retry(all query: JobQuery, progress: (Int) -> Void = { _ in }) async throws -> Int {
        try await inPages(query, progress) { try await retryPage($0) }
    }

    /// Removes the jobs that match and have ended, as ``delete(_:)`` does, in transactions of up to 100 of them, between
    /// which what is due runs, the jobs that were submitted last first. Those with a run in progress stay, and so do jobs
    /// that another caller continues meanwhile or that are submitted after the call.
    ///
    /// ```swift
    /// let failed = JobQuery(states: [.finished], kind: "invoice.send", lastEnded: [.failed, .lost])
    /// let count = try await scheduler.delete(all: failed)
    /// ```
    /// - Parameters:
    ///   - query: which jobs. Without states, those that are finished or cancelled; `limit`, `cursor` and `newestFirst` say
    ///     nothing here.
    ///   - progress: called after each 1,000 jobs that match with the number of those that are removed.
    /// - Returns: how many jobs were removed.
    /// - Throws: ``JobError`` with `invalid` for a query of jobs that have not ended; `closed`, or the store's errors: some
    ///   of the jobs may be removed then.
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
        let jobs = try await cancel(all: page.jobs.map(\.id))
        return (jobs.filter { $0.state == .cancelled }, page.nextCursor)
    }

    /// Tries those of one page of jobs again.
    /// - Returns: the new attempts, and where the next page begins.
    package func retryPage(_ query: JobQuery) async throws -> (changed: [Run], next: String?) {
        let ends: Set<RunState> = [.failed, .lost, .cancelled]
        guard query.lastEnded.isSubset(of: ends) else {
            throw JobError(
                code: .invalid, message: "lastEnded: only what failed, was lost or was cancelled is tried again")
        }
        var query = query
        if query.lastEnded.isEmpty { query.lastEnded = [.failed, .lost] }
        let page = try await page(
            query, of: [.scheduled, .suspended, .finished],
            otherwise: "a cancelled job cannot be tried again; submit it anew")
        // Another caller was first.
        let passed: Set<JobError.Code> = [.notFound, .conflict, .invalid]
        var commands: [SchedulerCommand] = []
        for job in page.jobs {
            do { commands.append(.job(.retry(try await retryableRun(of: job, nil), version: job.version))) } catch let
                error as JobError where passed.contains(error.code)
            {}
        }
        let runs = try await loop.call(commands).compactMap { answer -> Run? in
            switch answer {
            case .success(.run(let run)): return run
            case .failure(let error) where !passed.contains(error.code): throw error
            case .success, .failure: return nil
            }
        }
        return (runs, page.nextCursor)
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
        _ query: JobQuery, of states: Set<JobState>, otherwise problem: String
    ) async throws -> JobPage {
        guard query.states.isSubset(of: states) else {
            throw JobError(code: .invalid, message: "states: \(problem)")
        }
        var query = query
        (query.includesLastRuns, query.newestFirst) = (false, true)
        if query.states.isEmpty { query.states = states }
        return try await jobs(query)
    }

    /// A job can have a thousand runs, so a transaction has few jobs.
    private func delete(_ jobs: [Job]) async throws -> Set<Int64> {
        var all: Set<Int64> = []
        for start in stride(from: 0, to: jobs.count, by: HistoryRemoval.budget) {
            let some = jobs[start..<min(start + HistoryRemoval.budget, jobs.count)]
            guard case .deleted(let deleted) = try await loop.call(.delete(some.map { JobVersion($0) })) else {
                preconditionFailure("the answer does not belong to a deletion")
            }
            all.formUnion(deleted)
            for job in some where deleted.contains(job.key) { loop.hub.emit(.deleted(jobID: job.id)) }
        }
        return all
    }
}

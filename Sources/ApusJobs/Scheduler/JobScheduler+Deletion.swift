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
        var query = query
        (query.limit, query.cursor) = (1_000, nil)
        var count = 0
        repeat {
            let page = try await deletePage(query)
            count += page.deleted
            query.cursor = page.next
            progress(count)
        } while query.cursor != nil
        return count
    }

    /// Removes those of one page of jobs that have ended.
    /// - Returns: how many were removed, and where the next page begins.
    package func deletePage(_ query: JobQuery) async throws -> (deleted: Int, next: String?) {
        let ended: Set<JobState> = [.finished, .cancelled]
        guard query.states.isSubset(of: ended) else {
            throw JobError(
                code: .invalid,
                message: "states: only jobs that are finished or cancelled can be deleted; cancel the others")
        }
        var query = query
        // Jobs that are submitted meanwhile are not met: there is an end, however fast they come.
        (query.includesLastRuns, query.newestFirst) = (false, true)
        if query.states.isEmpty { query.states = ended }
        let page = try await jobs(query)
        let deleted = try await delete(page.jobs)
        return (deleted.count, page.nextCursor)
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
        }
        return all
    }
}

// Removing ended jobs before ``Job/keptUntil``.
extension JobScheduler {
    /// Deletes a job that has ended, with its runs.
    ///
    /// Its identifier, its idempotency key and its unique content become free, even within a period of uniqueness. If
    /// an earlier job with the identifier exists, ``job(_:)`` returns that job from then on.
    /// - Throws: ``JobError`` with `notFound`; `invalid` for a job that has not ended (``cancel(_:)`` ends it), and
    ///   while a handler of it runs; `conflict` if another caller continues the job at the same time; `closed`, or the
    ///   store's errors.
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
            throw JobError(code: .conflict, message: "\(id): the job has changed since it was read; read it again")
        }
    }

    /// Deletes jobs in several transactions, each of few jobs, because a job can have a thousand runs.
    func delete(_ jobs: [Job]) async throws -> Set<Int64> {
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

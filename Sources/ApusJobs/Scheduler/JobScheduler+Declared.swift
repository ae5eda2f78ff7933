/// The answer of ``JobScheduler/declare(_:as:)``.
public struct DeclaredJobs: Hashable, Sendable {
    /// The answer to each request, in their order.
    public let submitted: [SubmissionResult]
    /// The jobs of the set that it has ended, because they are not in it any more.
    public let cancelled: [Job]
}

extension JobScheduler {
    /// The label by which the jobs of a declared set are found.
    public static let setLabel = "apus.set"

    /// Makes the set consist of these jobs: submits each, and cancels the jobs of an earlier declaration that are not
    /// among them. Call it after each start, with the repeating jobs of the program.
    ///
    /// ```swift
    /// let cleanup = try JobRequest(Cleanup(), id: "cleanup", trigger: .every(.seconds(3600)))
    /// try await scheduler.declare([cleanup], as: "reports")
    /// ```
    ///
    /// A job that is as before keeps its schedule and its history; another one gets the new definition, whatever the
    /// request's `conflict` says (`ConflictPolicy.update`). The jobs carry the label ``setLabel`` with the set's name. In a
    /// store that several schedulers share each of them may declare the set: the last declaration counts, so while versions
    /// of a program with different sets run side by side, a restart of an old one brings its set back until the next
    /// declaration. Of two different declarations at the same time, each may cancel what only the other one has.
    ///
    /// The jobs are submitted one after another, once all of them are known to be valid, and the others are cancelled
    /// after that, as ``cancel(all:)`` does.
    /// - Parameters:
    ///   - requests: the jobs, each with an identifier of its own that stays the same. An empty list cancels all of the
    ///     set.
    ///   - set: the name of the set, 1 to 255 bytes.
    /// - Returns: what became of each request, and the jobs that it has cancelled.
    /// - Throws: ``JobError`` with `invalid`, naming the argument, also for two requests with one identifier; as
    ///   ``submit(_:)->SubmissionResult`` and ``cancel(all:)``: a part of it may be done then.
    @discardableResult
    public func declare(_ requests: [JobRequest], as set: String) async throws -> DeclaredJobs {
        try JobLimits.check(set, "as")
        var ids: Set<JobID> = []
        for request in requests where !ids.insert(request.id).inserted {
            throw JobError(code: .invalid, message: "id: two jobs of the set \(set) have the identifier \(request.id)")
        }
        let members = requests.map { request in
            var request = request
            request.labels[Self.setLabel] = set
            request.conflict = .update
            return request
        }
        for member in members { try member.validate() }
        var submitted: [SubmissionResult] = []
        // Alone, because another node may have the job.
        for member in members { submitted.append(try await submit(member)) }
        // A job that is unique by its payload or key keeps its own identifier.
        let wanted = Set(submitted.map(\.job.id))
        var left: [JobID] = []
        let query = JobQuery(
            states: [.scheduled, .suspended], labels: [Self.setLabel: set], includesLastRuns: false, limit: 1_000)
        for try await page in pages(of: query) { left += page.jobs.map(\.id).filter { !wanted.contains($0) } }
        return DeclaredJobs(submitted: submitted, cancelled: left.isEmpty ? [] : try await cancel(all: left))
    }
}

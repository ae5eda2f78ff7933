/// The answer of ``JobScheduler/declare(_:as:)``.
public struct DeclaredJobs: Hashable, Sendable {
    /// The answers to the requests, in their order.
    public let submitted: [SubmissionResult]
    /// The jobs that were cancelled because the set does not contain them any more.
    public let cancelled: [Job]
}

extension JobScheduler {
    /// The label that the jobs of a declared set have.
    public static let setLabel = "apus.set"

    /// Submits all jobs of a set, and cancels the jobs of earlier declarations that the set does not contain any more.
    ///
    /// Call it after each start, with the repeating jobs of the program.
    ///
    /// ```swift
    /// let cleanup = try JobRequest(Cleanup(), id: "cleanup", trigger: .every(.seconds(3600)))
    /// try await scheduler.declare([cleanup], as: "reports")
    /// ```
    ///
    /// An unchanged job keeps its schedule and its history. A changed one gets the new definition: the conflict policy
    /// is always `ConflictPolicy.update`, and the requests' `conflict` is ignored. The jobs have the label ``setLabel``
    /// with the set's name. In a store that several schedulers share, each of them may declare the set, and the last
    /// declaration counts. While versions of a program with different sets run side by side, a restart of an old one
    /// therefore restores its set until the next declaration. If two different declarations are made at the same time,
    /// each may cancel the jobs that only the other one has.
    ///
    /// The jobs are submitted one after another, once all of them have been validated. Then the jobs that the set does
    /// not contain any more are cancelled, as ``cancel(all:)`` does.
    /// - Parameters:
    ///   - requests: The jobs, each with a unique identifier that stays the same. An empty list cancels all jobs of the
    ///     set.
    ///   - set: The name of the set, 1 to 255 bytes.
    /// - Returns: The answers to the requests, and the cancelled jobs.
    /// - Throws: ``JobError`` with `invalid`, naming the argument, also for two requests with one identifier; the
    ///   errors of ``submit(_:)->SubmissionResult`` and ``cancel(all:)``. Some of the jobs may then be submitted or
    ///   cancelled.
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
        // The jobs are submitted separately because other nodes may own some of them.
        for member in members { submitted.append(try await submit(member)) }
        // The identifiers are taken from the answers, because an existing job that is unique by its payload or key
        // keeps its own identifier.
        let wanted = Set(submitted.map(\.job.id))
        var left: [JobID] = []
        let query = JobQuery(
            states: [.scheduled, .suspended], labels: [Self.setLabel: set], includesLastRuns: false, limit: 1_000)
        for try await page in pages(of: query) { left += page.jobs.map(\.id).filter { !wanted.contains($0) } }
        return DeclaredJobs(submitted: submitted, cancelled: left.isEmpty ? [] : try await cancel(all: left))
    }
}

package import ApusTimers

/// A job of another store, as it continues in this one. Its history stays where it is.
package struct JobRestoration: Hashable, Sendable {
    /// How far the job was.
    package struct Progress: Hashable, Sendable {
        package var created: WallInstant
        /// When its next occurrence was due; `nil` if none was to come, or if `remainder` says when.
        package var nextDue: WallInstant?
        /// How much was left of the interval of a job that was suspended.
        package var remainder: Duration?
        /// How many occurrences had an outcome.
        package var occurrences: Int
        package var missed: Int
        /// How many occurrences were to come, if the trigger has a count.
        package var left: Int?

        package init(
            created: WallInstant, nextDue: WallInstant?, remainder: Duration?, occurrences: Int, missed: Int, left: Int?
        ) {
            self.created = created
            self.nextDue = nextDue
            self.remainder = remainder
            self.occurrences = occurrences
            self.missed = missed
            self.left = left
        }
    }

    package var request: JobRequest
    package var isSuspended: Bool
    /// `nil` for a job that begins now.
    package var progress: Progress?

    package init(request: JobRequest, isSuspended: Bool, progress: Progress?) {
        self.request = request
        self.isSuspended = isSuspended
        self.progress = progress
    }
}

extension JobScheduler {
    /// Continues jobs of another store in this one, in one commit: all or none.
    ///
    /// Nothing that was due before now runs; see ``JobMachine/restored(_:now:in:)``.
    /// - Throws: ``JobError`` with `invalid` (naming the argument); `alreadyExists` or `conflict` if an open job has the
    ///   identifier of one of them, or a job its idempotency key; as ``submit(_:)->SubmissionResult``.
    package func restore(_ jobs: [JobRestoration]) async throws -> [Job] {
        if jobs.isEmpty { return [] }
        guard case .jobs(let restored) = try await loop.call(.restore(jobs)) else {
            preconditionFailure("restored jobs are answered with jobs")
        }
        return restored
    }

    /// Other schedulers may own some of the store's jobs.
    package var isStoreShared: Bool { loop.store.capabilities.isShared }

    /// The jobs that are asked for, in that order; `nil` where there is none.
    package func jobs(_ references: [JobReference]) async throws -> [Job?] {
        try await loop.store.load(references).map { $0?.job }
    }
}

extension Job {
    /// How many occurrences are to come; `nil` if the trigger has no count.
    package var occurrencesLeft: Int? {
        request.trigger.count.map { max(0, $0 - (nextOccurrence - 1 - bookkeeping.origin)) }
    }
}

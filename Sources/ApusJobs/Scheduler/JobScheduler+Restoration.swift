package import ApusTimers

/// A job of another store that continues in this one, without its history.
package struct JobRestoration: Hashable, Sendable {
    /// The progress of the job in the other store.
    package struct Progress: Hashable, Sendable {
        package var created: WallInstant
        /// The due instant of the next occurrence; `nil` if none was to come, or if there is a `remainder`.
        package var nextDue: WallInstant?
        /// The rest of the interval of a suspended job, if its trigger is relative; `nil` otherwise.
        package var remainder: Duration?
        /// The number of occurrences that had an outcome.
        package var occurrences: Int
        package var missed: Int
        /// The number of future occurrences, if the trigger has a count.
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
    /// The progress; `nil` for a job that begins now.
    package var progress: Progress?

    package init(request: JobRequest, isSuspended: Bool, progress: Progress?) {
        self.request = request
        self.isSuspended = isSuspended
        self.progress = progress
    }
}

extension JobScheduler {
    /// Continues jobs of another store in this store, in one commit: all of them or none.
    ///
    /// An occurrence that was due before the call does not run; see ``JobMachine/restored(_:now:in:)``.
    /// - Throws: ``JobError`` with `invalid` (naming the argument); `alreadyExists` or `conflict` if the identifier of
    ///   one of them belongs to an open job, or its idempotency key to any job; the errors of
    ///   ``submit(_:)->SubmissionResult``.
    package func restore(_ jobs: [JobRestoration]) async throws -> [Job] {
        if jobs.isEmpty { return [] }
        guard case .jobs(let restored) = try await loop.call(.restore(jobs)) else {
            preconditionFailure("restored jobs are answered with jobs")
        }
        return restored
    }

    /// Whether other schedulers may own some of the store's jobs.
    package var isStoreShared: Bool { loop.store.capabilities.isShared }

    /// Returns the referenced jobs in the order of the references; `nil` for one that does not exist.
    package func jobs(_ references: [JobReference]) async throws -> [Job?] {
        try await loop.store.load(references).map { $0?.job }
    }
}

extension Job {
    /// The number of future occurrences; `nil` if the trigger has no count.
    package var occurrencesLeft: Int? {
        request.trigger.count.map { max(0, $0 - (nextOccurrence - 1 - bookkeeping.origin)) }
    }
}

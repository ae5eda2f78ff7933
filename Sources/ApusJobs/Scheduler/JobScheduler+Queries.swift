public import ApusTimers

// Queries of stored jobs and runs, and of future occurrences.
extension JobScheduler {
    /// Returns the stored job; `nil` if it does not exist.
    public func job(_ id: JobID) async throws -> Job? { try await loop.store.job(id)?.job }

    /// Returns the waiting and running runs of a job, ordered by (occurrence, attempt); none if the job does not exist.
    public func openRuns(of id: JobID) async throws -> [Run] { try await loop.store.job(id)?.open ?? [] }

    /// Returns the jobs that this program cannot read and has set aside, ordered by key.
    ///
    /// The list begins after the job with the key `key`. It has at most `limit` jobs, and never more than 10,000. None
    /// of them runs until a scheduler that can read them opens the store.
    /// - Throws: ``JobError`` with `invalid` for a limit below 1, or the store's errors.
    public func unreadableJobs(after key: Int64 = 0, limit: Int = 50) async throws -> [UnreadableJob] {
        try await loop.store.setAside(after: key, limit: limit)
    }

    /// Returns a page of the submissions of applications that the scheduler has refused, newest first.
    ///
    /// A page has at most `limit` submissions, and never more than 10,000. A submission is refused when the scheduler
    /// takes it from the store (``takeSubmissions()``). `cursor` is the ``RefusalPage/nextCursor`` of the previous
    /// page. Refused submissions are kept as long as ended jobs (``Configuration/finishedJobsKept``).
    /// - Throws: ``JobError`` with `invalid` for a limit below 1 or an invalid cursor, or the store's errors.
    public func refusals(limit: Int = 50, cursor: String? = nil) async throws -> RefusalPage {
        try await loop.store.refusals(limit: limit, cursor: cursor)
    }

    /// Returns a page of the jobs that match.
    public func jobs(_ query: JobQuery) async throws -> JobPage { try await loop.store.jobs(query) }

    /// Returns all pages of the jobs that match; see ``QueryPages``.
    ///
    /// ```swift
    /// for try await page in scheduler.pages(of: JobQuery(kind: "invoice.send", limit: 1_000)) { print(page.jobs.count) }
    /// ```
    public func pages(of query: JobQuery) -> QueryPages<JobPage> { loop.store.pages(of: query) }

    /// Returns all pages of the runs that match.
    public func pages(of query: RunQuery) -> QueryPages<RunPage> { loop.store.pages(of: query) }

    /// Returns the number of jobs that match, on all pages.
    public func count(_ query: JobQuery) async throws -> Int { try await loop.store.count(query) }

    /// Returns the jobs with the earliest wakes, whichever scheduler owns them; see ``JobStore/soonest(limit:)``.
    package func soonest(limit: Int) async throws -> [Job] { try await loop.store.soonest(limit: limit) }

    /// The keys of the jobs in this scheduler's memory that are due and wait for conditions or for a handler.
    package var obstructed: [Int64] { loop.obstructed() }

    /// Returns the jobs with these keys, without those that do not exist or cannot be read.
    package func jobs(numbered keys: [Int64]) async throws -> [Job] {
        try await loop.store.find(keys.map { .key($0) }).compactMap { $0 }.readable.map(\.job)
    }

    /// Returns a page of the runs that match, newest first.
    public func runs(_ query: RunQuery) async throws -> RunPage { try await loop.store.runs(query) }

    /// Returns the first `limit` occurrences that a trigger would have if it were submitted now.
    ///
    /// - Throws: ``JobError`` with `invalid`, as ``submit(_:)->SubmissionResult`` would.
    public func upcoming(of trigger: Trigger, limit: Int) throws -> [UpcomingOccurrence] {
        try trigger.upcoming(from: loop.reading().wall, limit: limit, in: loop.configuration.timeZones)
    }

    /// Returns the first `limit` occurrences of a job that are due later than `after` and not later than `through`.
    ///
    /// They are computed as if nothing changed the job. A job that is not scheduled has none.
    public func upcoming(
        of job: Job, after: WallInstant, through: WallInstant, limit: Int
    ) -> [UpcomingOccurrence] {
        var occurrences = upcoming(of: job, after: after)
        var found: [UpcomingOccurrence] = []
        while found.count < limit, let next = occurrences.next(), next.due <= through { found.append(next) }
        return found
    }

    /// Returns the occurrences of a job after an instant, each of which is computed when it is requested.
    package func upcoming(of job: Job, after: WallInstant) -> UpcomingOccurrences {
        UpcomingOccurrences(
            JobMachine(LoadedJob(job: job, open: []), in: loop.configuration.timeZones), after: after)
    }
}

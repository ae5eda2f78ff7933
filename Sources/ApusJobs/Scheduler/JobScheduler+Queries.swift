public import ApusTimers

/// Queries of stored jobs and runs, and of coming occurrences.
extension JobScheduler {
    /// The job, as stored; `nil` if there is none.
    public func job(_ id: JobID) async throws -> Job? { try await loop.store.job(id)?.job }

    /// The runs of a job that wait or run, ordered by (occurrence, attempt); none if there is no such job.
    public func openRuns(of id: JobID) async throws -> [Run] { try await loop.store.job(id)?.open ?? [] }

    /// Jobs that this program cannot read and has set aside, ordered by key, after the job with the key `key`, at most
    /// `limit` and 10,000 of them. Nothing of them runs before a scheduler that can read them opens the store.
    /// - Throws: ``JobError`` with `invalid` for a limit below 1, or of the store.
    public func unreadableJobs(after key: Int64 = 0, limit: Int = 50) async throws -> [UnreadableJob] {
        try await loop.store.setAside(after: key, limit: limit)
    }

    /// Applications' submissions that were refused when they were taken, the last ones first, one page of at most
    /// 10,000; `cursor` is the ``RefusalPage/nextCursor`` of the page before. They are kept as long as jobs that have
    /// ended (``Configuration/finishedJobsKept``).
    /// - Throws: ``JobError`` with `invalid` for a limit below 1 or another cursor, or of the store.
    public func refusals(limit: Int = 50, cursor: String? = nil) async throws -> RefusalPage {
        try await loop.store.refusals(limit: limit, cursor: cursor)
    }

    /// Jobs that match, one page of them.
    public func jobs(_ query: JobQuery) async throws -> JobPage { try await loop.store.jobs(query) }

    /// All pages of jobs that match; see ``QueryPages``.
    ///
    /// ```swift
    /// for try await page in scheduler.pages(of: JobQuery(kind: "invoice.send", limit: 1_000)) { print(page.jobs.count) }
    /// ```
    public func pages(of query: JobQuery) -> QueryPages<JobPage> { loop.store.pages(of: query) }

    /// All pages of runs that match.
    public func pages(of query: RunQuery) -> QueryPages<RunPage> { loop.store.pages(of: query) }

    /// How many jobs match, on all pages.
    public func count(_ query: JobQuery) async throws -> Int { try await loop.store.count(query) }

    /// The open jobs that are looked at first, whichever scheduler of the store has them; see ``JobStore/soonest(limit:)``.
    package func soonest(limit: Int) async throws -> [Job] { try await loop.store.soonest(limit: limit) }

    /// The numbers of the jobs that are due and wait for conditions or for a handler, as far as this scheduler has them.
    package var obstructed: [Int64] { loop.obstructed() }

    /// The jobs with these numbers, without those that are gone or cannot be read.
    package func jobs(numbered keys: [Int64]) async throws -> [Job] {
        try await loop.store.find(keys.map { .key($0) }).compactMap { $0 }.readable.map(\.job)
    }

    /// Runs that match, newest first, one page of them.
    public func runs(_ query: RunQuery) async throws -> RunPage { try await loop.store.runs(query) }

    /// The first occurrences of a trigger if it were submitted now, at most `limit`. Submits nothing.
    /// - Throws: ``JobError`` with `invalid`, as ``submit(_:)->SubmissionResult`` would.
    public func upcoming(of trigger: Trigger, limit: Int) throws -> [UpcomingOccurrence] {
        try trigger.upcoming(from: loop.reading().wall, limit: limit, in: loop.configuration.timeZones)
    }

    /// The occurrences of a job that are to come, if nothing changes it: those after one instant and through another, the
    /// first `limit` of them. None of a job that is not scheduled.
    public func upcoming(
        of job: Job, after: WallInstant, through: WallInstant, limit: Int
    ) -> [UpcomingOccurrence] {
        var occurrences = upcoming(of: job, after: after)
        var found: [UpcomingOccurrence] = []
        while found.count < limit, let next = occurrences.next(), next.due <= through { found.append(next) }
        return found
    }

    /// The same one by one: each is computed when it is asked for.
    package func upcoming(of job: Job, after: WallInstant) -> UpcomingOccurrences {
        UpcomingOccurrences(
            JobMachine(LoadedJob(job: job, open: []), in: loop.configuration.timeZones), after: after)
    }
}

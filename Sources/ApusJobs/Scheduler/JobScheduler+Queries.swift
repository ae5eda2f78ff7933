public import ApusTimers

/// Queries of stored jobs and runs, and of coming occurrences.
extension JobScheduler {
    /// The job with its open runs, as stored; `nil` if there is none.
    public func job(_ id: JobID) async throws -> LoadedJob? { try await loop.store.job(id) }

    /// Jobs that match, one page of them.
    public func jobs(_ query: JobQuery) async throws -> JobPage { try await loop.store.jobs(query) }

    /// How many jobs match, on all pages.
    public func count(_ query: JobQuery) async throws -> Int { try await loop.store.count(query) }

    /// The open jobs that are looked at first, whichever scheduler of the store has them; see ``JobStore/soonest(limit:)``.
    package func soonest(limit: Int) async throws -> [Job] { try await loop.store.soonest(limit: limit) }

    /// The numbers of the jobs that are due and wait for conditions or for a handler, as far as this scheduler has them.
    package var obstructed: [Int64] { loop.obstructed() }

    /// The jobs with these numbers, without those that are gone.
    package func jobs(numbered keys: [Int64]) async throws -> [Job] {
        try await loop.store.load(keys.map { .key($0) }).compactMap { $0?.job }
    }

    /// Runs that match, newest first, one page of them.
    public func runs(_ query: RunQuery) async throws -> RunPage { try await loop.store.runs(query) }

    /// The next `n` due instants of a trigger if it were submitted now; fewer if it ends before that. Submits nothing.
    /// - Throws: ``JobError`` with `invalid`, as ``submit(_:)->Job`` would.
    public func preview(_ trigger: Trigger, next n: Int) throws -> [WallInstant] {
        try trigger.preview(from: loop.reading().wall, limit: n, in: loop.configuration.timeZones)
    }

    /// The due instants of a job that are to come, if nothing changes it, with what the clock does to them: those after
    /// one instant and through another, the first `limit` of them. None of a job that is not scheduled.
    public func upcoming(
        _ job: Job, after: WallInstant, through: WallInstant, limit: Int
    ) -> [(due: WallInstant, note: DueNote?)] {
        var occurrences = upcoming(job, after: after)
        var found: [(due: WallInstant, note: DueNote?)] = []
        while found.count < limit, let next = occurrences.next(), next.due <= through { found.append(next) }
        return found
    }

    /// The same one by one: each is computed when it is asked for.
    package func upcoming(_ job: Job, after: WallInstant) -> UpcomingOccurrences {
        UpcomingOccurrences(
            JobMachine(LoadedJob(job: job, open: []), in: loop.configuration.timeZones), after: after)
    }
}

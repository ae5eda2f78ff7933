import ApusTimers

/// The examination of all jobs on the wall clock, page by page, after the clock was set back or the rules of time zones
/// may have changed.
struct WallClockSweep {
    struct Cause: Sendable {
        /// The duration by which the clock was set back.
        var setBack: Duration?
        var mustReadZones = false

        /// Adds the cause to the job's news, as far as it concerns the job.
        func concern(_ entry: LoadedJobs.Entry) {
            if let setBack { entry.news.setBack = max(setBack, entry.news.setBack ?? .zero) }
            if mustReadZones, entry.job.request.trigger.calendar != nil { entry.news.mustReadZone = true }
        }
    }

    /// The causes of the sweep in progress; `nil` without one.
    private(set) var cause: Cause?
    /// The key of the last job that was read.
    private var after: Int64 = 0
    /// Whether calendar triggers are known to exist.
    private(set) var usesTimeZones = false

    init(_ session: StoreSession) {
        // The rules of zones may have changed since the jobs were written.
        if session.mayHaveCalendars { cause = Cause(mustReadZones: true) }
    }

    /// Notes that a job with this trigger is in the store.
    mutating func note(_ trigger: Trigger) {
        if trigger.calendar != nil { usesTimeZones = true }
    }

    /// Begins a sweep with the first job.
    ///
    /// If a sweep is in progress, it is replaced, and the new sweep is for the causes of both sweeps.
    ///
    /// - Returns: The merged cause.
    mutating func begin(_ new: Cause) -> Cause {
        var merged = new
        merged.setBack = [cause?.setBack, new.setBack].compactMap { $0 }.max()
        merged.mustReadZones = new.mustReadZones || cause?.mustReadZones ?? false
        (cause, after) = (merged, 0)
        return merged
    }

    /// Returns the read of the next page, once a turn has decided about the previous page.
    func read(_ jobs: borrowing LoadedJobs, isStarting: Bool, limit: Int) -> SchedulerRead? {
        guard let cause, !isStarting || cause.setBack != nil, !jobs.all.contains(where: \.news.isOfSweep) else {
            return nil
        }
        return .anchored(after: after, limit: limit)
    }

    /// Notes that a page was read; `key` is `nil` if the page was empty, which means that it was the last one.
    mutating func took(through key: Int64?) {
        after = key ?? 0
        if key == nil { cause = nil }
    }
}

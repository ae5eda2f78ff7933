import ApusTimers

/// The schedule of the removals of ended jobs.
///
/// Jobs that need not be kept any longer are removed after a commit, at most once an hour; other jobs are removed on
/// request. Each removal is a separate step for a limited number of jobs. If there is more to remove, these steps
/// alternate with turns.
struct HistoryRemoval {
    /// A caller's request to delete these jobs.
    struct Deletion: Sendable {
        var call: Int
        var jobs: [JobVersion]
    }

    enum Step: Equatable {
        case delete([JobVersion])
        /// Remove some of the jobs that need not be kept any longer.
        case retire
    }

    /// The largest number of ended jobs that one step removes.
    static let budget = 100

    /// The requested deletions, in the order of their arrival; the first one may be in progress.
    private var deletions: [Deletion] = []
    private var isDue = false
    private var wasLastStep = false
    private var last: WallInstant?

    var hasDeletions: Bool { !deletions.isEmpty }

    mutating func append(_ deletion: Deletion) { deletions.append(deletion) }

    /// Returns the removal to do now, if there is one.
    ///
    /// It returns two removals in succession only if no step of another kind can be done (`isIdle`).
    mutating func next(_ now: WallInstant, isIdle: Bool, ownsJobs: Bool) -> Step? {
        guard isIdle || !wasLastStep, hasDeletions || isDue && ownsJobs else {
            wasLastStep = false
            return nil
        }
        wasLastStep = true
        if let deletion = deletions.first { return .delete(deletion.jobs) }
        (isDue, last) = (false, now)
        return .retire
    }

    /// Ends the first deletion, and returns it.
    mutating func endDeletion() -> Deletion { deletions.removeFirst() }

    /// Fails the deletions whose callers still wait.
    mutating func failDeletions(_ error: JobError, _ effects: inout [SchedulerEffect]) {
        for deletion in deletions { effects.answer(deletion.call, .failure(error)) }
        deletions = []
    }

    /// Notes that some of the old jobs were removed.
    mutating func removed(hasMore: Bool) { isDue = hasMore }

    /// Notes that a turn was committed, after which the hourly removal may be due.
    mutating func committed(_ now: WallInstant) {
        // It is also due after the wall clock was set back.
        if last.map({ $0.duration(to: now) >= .seconds(3_600) || now < $0 }) ?? true { isDue = true }
    }
}

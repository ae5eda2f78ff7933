import ApusTimers

/// Decides when ended jobs are removed from the store: old ones each hour, in pieces, and others when callers ask for it.
/// Each removal is a step of its own; if there is more to remove, the steps alternate with turns.
struct HistoryRemoval {
    /// A caller's request to remove these jobs.
    struct Deletion: Sendable {
        var call: Int
        var jobs: [JobVersion]
    }

    enum Step: Equatable {
        case delete([JobVersion])
        /// A piece of what is old enough.
        case retire
    }

    /// How many ended jobs are removed in one piece.
    static let budget = 100

    /// In the order of their arrival; the first one may be under way.
    private var deletions: [Deletion] = []
    private var isDue = false
    private var wasLastStep = false
    private var last: WallInstant?

    var hasDeletions: Bool { !deletions.isEmpty }

    mutating func append(_ deletion: Deletion) { deletions.append(deletion) }

    /// Chooses what is removed now, if anything: something else comes between two removals, if there is anything else to
    /// do.
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

    /// The first deletion has ended.
    mutating func endDeletion() -> Deletion { deletions.removeFirst() }

    /// The callers that still wait get the error.
    mutating func failDeletions(_ error: JobError, _ effects: inout [SchedulerEffect]) {
        for deletion in deletions { effects.answer(deletion.call, .failure(error)) }
        deletions = []
    }

    /// A piece was removed.
    mutating func removed(hasMore: Bool) { isDue = hasMore }

    /// A turn was committed.
    mutating func committed(_ now: WallInstant) {
        // Also after the wall clock was set back.
        if last.map({ $0.duration(to: now) >= .seconds(3_600) || now < $0 }) ?? true { isDue = true }
    }
}

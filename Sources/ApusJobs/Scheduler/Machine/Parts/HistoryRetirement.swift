import ApusTimers

/// Decides when ended jobs are removed from the store: each hour, in pieces that alternate with turns.
struct HistoryRetirement {
    /// How many ended jobs are removed in one piece.
    static let budget = 100

    private var isDue = false
    private var wasLastStep = false
    private var last: WallInstant?

    /// Whether a piece is removed now: one that is due, after another step or if there is nothing else to do.
    mutating func begin(_ now: WallInstant, isIdle: Bool) -> Bool {
        guard isDue, isIdle || !wasLastStep else {
            wasLastStep = false
            return false
        }
        (isDue, wasLastStep, last) = (false, true, now)
        return true
    }

    /// A piece was removed.
    mutating func removed(hasMore: Bool) { isDue = hasMore }

    /// A turn was committed.
    mutating func committed(_ now: WallInstant) {
        // Also after the wall clock was set back.
        if last.map({ $0.duration(to: now) >= .seconds(3_600) || now < $0 }) ?? true { isDue = true }
    }
}

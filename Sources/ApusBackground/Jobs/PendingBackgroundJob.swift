import ApusTimers

/// A request whose run has not begun.
struct PendingBackgroundJob: Sendable {
    /// When its own time has come.
    enum Gate: Sendable {
        /// Now: continued work.
        case open
        /// It named an instant that is still to come; that, and the spread.
        case wall(WallInstant)
        /// It named none, or one that had passed: the spread.
        case continuous(ContinuousInstant)
    }

    /// In the order of submission.
    let number: Int
    let request: BackgroundJobRequest
    let gate: Gate
    /// The obstacles that were logged last, so that each change is logged once.
    var logged: [BackgroundJobObstacle] = []
}

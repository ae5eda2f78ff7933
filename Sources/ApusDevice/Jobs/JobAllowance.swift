import ApusTimers

/// How much the app's background jobs have run lately: the budget of a day and the distance between launches. A pure
/// value.
struct JobAllowance {
    private static let day: UInt64 = 86_400_000_000_000

    /// What the refreshes have used of the budget and was not handed out again, in nanoseconds.
    private var spent: UInt64 = 0
    private var countedAt = ContinuousInstant(nanoseconds: 0)
    private var lastRefresh: ContinuousInstant?
    private var lastProcessing: ContinuousInstant?

    mutating func refreshLaunched(at now: ContinuousInstant) { lastRefresh = now }
    mutating func processingLaunched(at now: ContinuousInstant) { lastProcessing = now }

    /// A refresh has run that long.
    mutating func refreshRan(_ duration: UInt64, budget: Duration, now: ContinuousInstant) {
        spent = spent(budget: budget, now: now) + duration
        countedAt = now
    }

    /// Whether there is no room for a refresh that takes as long as it may.
    func isUsedUp(budget: Duration, run: Duration, now: ContinuousInstant) -> Bool {
        spent(budget: budget, now: now) + run.nanosecondsFromZero > budget.nanosecondsFromZero
    }

    /// When the next refresh may be launched, if that is later.
    func nextRefresh(spacing: Duration, now: ContinuousInstant) -> ContinuousInstant? {
        Self.next(after: lastRefresh, spacing, now)
    }

    /// When the next processing may be launched, if that is later.
    func nextProcessing(spacing: Duration, now: ContinuousInstant) -> ContinuousInstant? {
        Self.next(after: lastProcessing, spacing, now)
    }

    private static func next(
        after last: ContinuousInstant?, _ spacing: Duration, _ now: ContinuousInstant
    ) -> ContinuousInstant? {
        guard let next = last?.advanced(by: spacing), next > now else { return nil }
        return next
    }

    private func spent(budget: Duration, now: ContinuousInstant) -> UInt64 {
        let elapsed = now.nanoseconds - countedAt.nanoseconds
        guard elapsed < Self.day else { return 0 }
        // Exact, and below the budget, because less than a day has passed.
        let product = elapsed.multipliedFullWidth(by: budget.nanosecondsFromZero)
        let handedOut = Self.day.dividingFullWidth(product).quotient
        return spent > handedOut ? spent - handedOut : 0
    }
}

extension Duration {
    /// Nanoseconds; nothing below zero.
    var nanosecondsFromZero: UInt64 { UInt64(max(0, wholeNanoseconds)) }
}

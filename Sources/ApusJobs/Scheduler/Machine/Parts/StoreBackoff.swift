import ApusTimers

/// Pauses after failures of the store: 0.1 s, doubled with each failure, at most 1 s. What was due in the meantime
/// begins within a second of the store's recovery.
struct StoreBackoff {
    /// Failed accesses since the last commit.
    private var failures = 0
    private(set) var retryAt: UptimeInstant?
    /// When the first of them was, and the last error.
    private(set) var outage: (since: SchedulerReading, error: JobError)?

    var isFailing: Bool { failures > 0 }

    func isPaused(_ now: UptimeInstant) -> Bool { retryAt.map { now < $0 } ?? false }

    /// - Returns: whether it is the first failure.
    mutating func failed(_ error: JobError, _ now: SchedulerReading) -> Bool {
        failures += 1
        let pause: Duration = failures > 4 ? .seconds(1) : .milliseconds(100 << (failures - 1))
        retryAt = now.uptime.advanced(by: pause)
        outage = (outage?.since ?? now, error)
        return failures == 1
    }

    /// - Returns: whether it has failed before.
    mutating func worked() -> Bool {
        defer { (failures, retryAt, outage) = (0, nil, nil) }
        return isFailing
    }

    /// Ends the pause.
    mutating func retryNow() { retryAt = nil }
}

import ApusTimers

/// The pauses after failures of the store: 0.1 s, doubled with each failure up to 1 s.
///
/// Due runs therefore begin within a second of the store's recovery.
struct StoreBackoff {
    /// The number of failed accesses since the last commit.
    private var failures = 0
    private(set) var retryAt: UptimeInstant?
    /// The reading of the clocks at the first failure since the last commit, and the last error.
    private(set) var outage: (since: SchedulerReading, error: JobError)?

    var isFailing: Bool { failures > 0 }

    func isPaused(_ now: UptimeInstant) -> Bool { retryAt.map { now < $0 } ?? false }

    /// Notes a failure, and begins a pause.
    ///
    /// - Returns: Whether it is the first failure.
    mutating func failed(_ error: JobError, _ now: SchedulerReading) -> Bool {
        failures += 1
        let pause: Duration = failures > 4 ? .seconds(1) : .milliseconds(100 << (failures - 1))
        retryAt = now.uptime.advanced(by: pause)
        outage = (outage?.since ?? now, error)
        return failures == 1
    }

    /// Notes a success, and ends the outage.
    ///
    /// - Returns: Whether there was an outage.
    mutating func worked() -> Bool {
        defer { (failures, retryAt, outage) = (0, nil, nil) }
        return isFailing
    }

    mutating func retryNow() { retryAt = nil }
}

import ApusTimers

/// Notices that the machine slept: the continuous clock counted meanwhile, and the uptime did not.
struct MachineSleep {
    /// Shorter sleeps are none: nothing that an app shows or waits for is off by more than this.
    static let threshold: Duration = .seconds(1)

    private var slept: Duration

    init(_ time: any TimeSource) { slept = Self.slept(time) }

    /// Whether the machine has slept since the last sleep that was noticed.
    mutating func happened(_ time: any TimeSource) -> Bool {
        let now = Self.slept(time)
        guard now - slept >= Self.threshold else { return false }
        slept = now
        return true
    }

    /// Since boot. Two readings that are not at the same instant make it too long, by microseconds.
    private static func slept(_ time: any TimeSource) -> Duration {
        let uptime = time.uptime()
        return .nanoseconds(Int64(clamping: time.continuous().nanoseconds) - Int64(clamping: uptime.nanoseconds))
    }
}

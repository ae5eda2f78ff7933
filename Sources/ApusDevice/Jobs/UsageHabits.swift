import ApusTimers

/// The times of day at which the user opened the app lately: what the system knows of the next use. A pure value.
///
/// Minutes of the day in UTC, because the simulation has no zones.
struct UsageHabits {
    private static let minute: UInt64 = 60_000_000_000
    private static let day: UInt64 = 1_440 * minute

    /// For each minute of the day at which the app was opened, when it was last.
    private var openings: [UInt64: WallInstant] = [:]
    private(set) var lastUse: WallInstant?

    /// The user has the app in front.
    mutating func opened(at now: WallInstant) {
        openings[now.nanoseconds % Self.day / Self.minute] = now
        lastUse = now
    }

    /// The user keeps it in front, or leaves it.
    mutating func used(at now: WallInstant) { lastUse = now }

    /// Whether the app was used within `window`.
    func wasUsed(within window: Duration, now: WallInstant) -> Bool {
        lastUse.map { $0.duration(to: now) <= window } ?? false
    }

    /// When the user will open the app next, if the days are like those within `window`.
    func nextUse(within window: Duration, now: WallInstant) -> WallInstant? {
        let (midnight, sinceMidnight) = (now.nanoseconds / Self.day * Self.day, now.nanoseconds % Self.day)
        return openings.lazy.filter { $0.value.duration(to: now) <= window }.map { minute, _ in
            let time = minute * Self.minute
            return WallInstant(nanoseconds: midnight + time + (time <= sinceMidnight ? Self.day : 0))
        }.min()
    }
}

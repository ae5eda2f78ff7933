/// A time of day, without a time zone.
public struct CivilTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of seconds since midnight, 0 to 86399.
    public let secondOfDay: Int

    /// Creates a time, or nil if a part is out of range.
    ///
    /// - Parameters:
    ///   - hour: The hour, 0 to 23.
    ///   - minute: The minute, 0 to 59.
    ///   - second: The second, 0 to 59.
    public init?(hour: Int, minute: Int, second: Int = 0) {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
        secondOfDay = hour * 3600 + minute * 60 + second
    }

    init(unchecked secondOfDay: Int) { self.secondOfDay = secondOfDay }

    /// The hour.
    public var hour: Int { secondOfDay / 3600 }
    /// The minute.
    public var minute: Int { secondOfDay / 60 % 60 }
    /// The second.
    public var second: Int { secondOfDay % 60 }

    /// Orders times by their position in the day.
    ///
    /// - Parameters:
    ///   - left: A time.
    ///   - right: Another time.
    /// - Returns: True if `left` is earlier.
    public static func < (left: Self, right: Self) -> Bool { left.secondOfDay < right.secondOfDay }

    /// The time as `9:00`, with seconds only if there are any.
    public var description: String {
        "\(hour):\(padded(minute))" + (second == 0 ? "" : ":\(padded(second))")
    }
}

/// A date and a time of day, without a time zone.
public struct CivilDateTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The date.
    public let date: CivilDate
    /// The time of day.
    public let time: CivilTime

    /// Creates a date with a time.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - time: The time of day.
    public init(date: CivilDate, time: CivilTime) {
        self.date = date
        self.time = time
    }

    /// Creates the date-time that is a number of seconds after 1970-01-01 00:00 on the same clock.
    ///
    /// - Parameter localSeconds: The number of seconds; negative before 1970.
    public init(localSeconds: Int64) {
        let seconds = Int(localSeconds)
        date = CivilDate(dayNumber: floorDiv(seconds, 86400))
        time = CivilTime(unchecked: floorMod(seconds, 86400))
    }

    /// The number of seconds since 1970-01-01 00:00 on the same clock.
    public var localSeconds: Int64 { Int64(date.dayNumber * 86400 + time.secondOfDay) }

    /// Orders date-times on the same clock.
    ///
    /// - Parameters:
    ///   - left: A date-time.
    ///   - right: Another date-time.
    /// - Returns: True if `left` is earlier.
    public static func < (left: Self, right: Self) -> Bool { left.localSeconds < right.localSeconds }

    /// The date-time as `2026-12-24 18:00:00`.
    public var description: String {
        "\(date) \(padded(time.hour)):\(padded(time.minute)):\(padded(time.second))"
    }
}

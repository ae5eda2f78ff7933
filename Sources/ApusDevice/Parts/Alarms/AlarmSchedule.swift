package import ApusTimers
package import Foundation

/// The time or times at which an alarm alerts.
///
/// Apple, documentation/alarmkit/alarm/schedule-swift.enum
package enum AlarmSchedule: Sendable, Hashable, Codable {
    case fixed(WallInstant)
    /// A time of day in the device's time zone, on days of the week (1 is Sunday); without days, the alarm alerts once.
    case relative(hour: Int, minute: Int, weekdays: Set<Int>)

    package var repeats: Bool {
        switch self {
        case .fixed: false
        case .relative(_, _, let weekdays): !weekdays.isEmpty
        }
    }

    /// Returns the first instant later than `now` at which the alarm alerts; `nil` if there is none.
    ///
    /// A time that the zone's clock skips counts as the first instant after the gap. A time that the clock shows twice
    /// counts only the first time. Both rules are choices.
    package func next(after now: WallInstant, in zone: TimeZone) -> WallInstant? {
        switch self {
        case .fixed(let instant): return instant > now ? instant : nil
        case .relative(let hour, let minute, let weekdays):
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let date = Date(timeIntervalSince1970: Double(now.nanoseconds / 1_000_000_000))
            let days = weekdays.isEmpty ? [nil] : weekdays.map(Optional.some)
            let dates = days.compactMap { day in
                calendar.nextDate(
                    after: date, matching: DateComponents(hour: hour, minute: minute, second: 0, weekday: day),
                    matchingPolicy: .nextTime, repeatedTimePolicy: .first)
            }
            return dates.min().map { WallInstant(secondsSince1970: Int64($0.timeIntervalSince1970)) }
        }
    }
}

@testable import ApusCalendar

/// Returns the seconds since 1970 of a date-time in UTC, such as `2026-03-29 01:00`, with or without seconds.
func utc(_ text: String) -> Int64 { local(text).localSeconds }

/// Returns a date-time from a text such as `2026-03-29 02:30`.
func local(_ text: String) -> CivilDateTime {
    let numbers = text.split { "- :".contains($0) }.compactMap { Int($0) }
    let second = numbers.count > 5 ? numbers[5] : 0
    return CivilDateTime(
        date: CivilDate(unchecked: numbers[0], numbers[1], numbers[2]),
        time: CivilTime(unchecked: numbers[3] * 3600 + numbers[4] * 60 + second))
}

/// Returns the rules of a zone of this machine.
func zone(_ name: String) throws -> TimeZoneRules { try ZoneDatabase().zone(name).rules }

/// Returns the next occurrences as date-times in UTC.
func occurrences(
    _ schedule: CalendarSchedule, after instant: Int64, in rules: TimeZoneRules, policy: ClockPolicy = ClockPolicy(),
    identifier: String = "", count: Int
) -> [String] {
    let search = PreparedSchedule(schedule, in: rules, policy: policy, identifier: identifier)
    var result: [String] = []
    var instant = instant
    while result.count < count, let next = search.next(after: instant) {
        result.append("\(CivilDateTime(localSeconds: next.instant))")
        instant = next.instant
    }
    return result
}

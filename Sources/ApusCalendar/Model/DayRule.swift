/// The days of a month on which a schedule is due. An empty set does not restrict.
public struct DayRule: Sendable, Hashable {
    /// How a restricted day of the month and a restricted day of the week combine.
    public enum Combination: Sendable, Hashable {
        /// Both must match.
        case and
        /// One of the two must match, as in Vixie cron.
        case or
    }

    /// Days of the month: bits 1 to 31.
    public var monthDays: UInt64 = 0
    /// Days counted from the end of the month: bit 1 is the last day.
    public var fromEnd: UInt64 = 0
    /// The weekday nearest to a day of the month (`15W`): bits 1 to 31.
    public var nearestWeekdays: UInt64 = 0
    /// Whether the last weekday of the month (`LW`) matches.
    public var lastWeekday = false
    /// Days of the week: bits 1 (Monday) to 7 (Sunday).
    public var weekdays: UInt64 = 0
    /// Ordinal days of the week (`FRI#2`): bit 8 · (weekday − 1) + n; n is 1 to 5, or 6 for the last one.
    public var ordinals: UInt64 = 0
    /// How both kinds combine.
    public var combination = Combination.and

    /// Creates a rule that every day matches.
    public init() {}

    /// Whether the day of the month is restricted.
    public var restrictsMonthDay: Bool { monthDays | fromEnd | nearestWeekdays != 0 || lastWeekday }
    /// Whether the day of the week is restricted.
    public var restrictsWeekday: Bool { weekdays | ordinals != 0 }

    static func ordinal(_ weekday: Int, _ number: Int) -> UInt64 { 1 << UInt64(8 * (weekday - 1) + number) }

    /// The matching days of a month as bits 1 to 31.
    func days(year: Int, month: Int, firstWeekday: Int) -> UInt64 {
        let length = CivilDate.days(inMonth: month, year: year)
        let all = ((UInt64(1) << UInt64(length)) - 1) << 1
        guard restrictsMonthDay || restrictsWeekday else { return all }
        let byDay = restrictsMonthDay ? byMonthDay(length, firstWeekday) & all : all
        let byWeek = restrictsWeekday ? byWeekday(length, firstWeekday) & all : all
        return combination == .or && restrictsMonthDay && restrictsWeekday ? byDay | byWeek : byDay & byWeek
    }

    private func byMonthDay(_ length: Int, _ firstWeekday: Int) -> UInt64 {
        var bits = monthDays
        for back in fromEnd.setBits where back <= length { bits |= 1 << UInt64(length + 1 - back) }
        for day in nearestWeekdays.setBits where day <= length {
            bits |= 1 << UInt64(Self.nearest(day, length, firstWeekday))
        }
        if lastWeekday { bits |= 1 << UInt64(Self.nearest(length, length, firstWeekday)) }
        return bits
    }

    /// The nearest Monday to Friday in the same month.
    private static func nearest(_ day: Int, _ length: Int, _ firstWeekday: Int) -> Int {
        switch (firstWeekday + day - 1) % 7 {
        case 5: day == 1 ? 3 : day - 1
        case 6: day == length ? day - 2 : day + 1
        default: day
        }
    }

    private func byWeekday(_ length: Int, _ firstWeekday: Int) -> UInt64 {
        var bits = UInt64(0)
        for weekday in 0..<7 {
            let first = (weekday - firstWeekday + 7) % 7 + 1
            if weekdays.has(weekday + 1) {
                for day in stride(from: first, through: length, by: 7) { bits |= 1 << UInt64(day) }
            }
            let numbers = ordinals >> UInt64(8 * weekday) & 0x7E
            if numbers == 0 { continue }
            for day in stride(from: first, through: length, by: 7)
            where numbers.has((day - 1) / 7 + 1) || (numbers.has(6) && day + 7 > length) {
                bits |= 1 << UInt64(day)
            }
        }
        return bits
    }
}

/// The days of a month on which a schedule is due; a property that is an empty set restricts nothing.
public struct DayRule: Sendable, Hashable {
    /// Decides how a restricted day of the month and a restricted day of the week combine.
    public enum Combination: Sendable, Hashable {
        /// A day must match both.
        case and
        /// A day must match at least one of the two, as in Vixie cron.
        case or
    }

    /// The days of the month as bits 1 to 31.
    public var monthDays: UInt64 = 0
    /// The days counted from the end of the month, as bits; bit 1 is the last day.
    public var fromEnd: UInt64 = 0
    /// The days of the month (bits 1 to 31) whose nearest weekday from Monday to Friday matches (`15W`).
    public var nearestWeekdays: UInt64 = 0
    /// The days, counted from the end of the month, whose nearest weekday from Monday to Friday matches.
    ///
    /// They are bits: bit 1 is the last weekday of the month (`LW`), and bit 4 is the weekday of `L-3W`.
    public var nearestWeekdaysFromEnd: UInt64 = 0
    /// The days of the week as bits 1 (Monday) to 7 (Sunday).
    public var weekdays: UInt64 = 0
    /// The ordinal days of the week (`FRI#2`) as bits 8 · (weekday − 1) + n; n is 1 to 5, or 6 for the last one.
    public var ordinals: UInt64 = 0
    /// How a restricted day of the month and a restricted day of the week combine.
    public var combination = Combination.and

    /// Creates a rule that every day matches.
    public init() {}

    /// Whether the day of the month is restricted.
    public var restrictsMonthDay: Bool { monthDays | fromEnd | nearestWeekdays | nearestWeekdaysFromEnd != 0 }
    /// Whether the day of the week is restricted.
    public var restrictsWeekday: Bool { weekdays | ordinals != 0 }

    static func ordinal(_ weekday: Int, _ number: Int) -> UInt64 { 1 << UInt64(8 * (weekday - 1) + number) }

    /// Returns the matching days of a month as bits 1 to 31.
    func days(_ month: Month) -> UInt64 {
        guard restrictsMonthDay || restrictsWeekday else { return month.all }
        let byDay = restrictsMonthDay ? byMonthDay(month) & month.all : month.all
        let byWeek = restrictsWeekday ? byWeekday(month) : month.all
        return combination == .or && restrictsMonthDay && restrictsWeekday ? byDay | byWeek : byDay & byWeek
    }

    /// Returns the first matching day in the given months (bits 1 to 12); nil if there is none within eight years and
    /// before 2201.
    func first(onOrAfter date: CivilDate, months: UInt64) -> CivilDate? {
        var month = Month(containing: date, dayNumber: date.dayNumber)
        var bits = days(month) & month.days(in: date.dayNumber...month.first + month.length - 1)
        for _ in 0...96 where CivilDate.years.contains(month.year) {
            if months.has(month.month), bits != 0 {
                return CivilDate(dayNumber: month.first + bits.trailingZeroBitCount - 1)
            }
            month.advance()
            bits = days(month)
        }
        return nil
    }

    private func byMonthDay(_ month: Month) -> UInt64 {
        var bits = monthDays
        func add(_ set: UInt64, _ day: (Int) -> Int) {
            if set != 0 { set.forEachBit { if (1...month.length).contains($0) { bits |= 1 << UInt64(day($0)) } } }
        }
        add(fromEnd) { month.length + 1 - $0 }
        add(nearestWeekdays) { Self.nearest($0, month) }
        add(nearestWeekdaysFromEnd) { Self.nearest(month.length + 1 - $0, month) }
        return bits
    }

    /// Returns the weekday from Monday to Friday that is nearest to a day, in the same month.
    private static func nearest(_ day: Int, _ month: Month) -> Int {
        switch (month.firstWeekday + day - 1) % 7 {
        case 5: day == 1 ? 3 : day - 1
        case 6: day == month.length ? day - 2 : day + 1
        default: day
        }
    }

    private func byWeekday(_ month: Month) -> UInt64 {
        var bits = month.days(ofWeekdays: weekdays)
        ordinals.forEachBit { bit in
            let (weekday, number) = (bit / 8 + 1, bit % 8)
            let days = number == 6 ? month.length - 6...month.length : 7 * number - 6...7 * number
            let week = month.days(in: month.first + days.lowerBound - 1...month.first + days.upperBound - 1)
            bits |= month.days(ofWeekdays: 1 << UInt64(weekday)) & week
        }
        return bits
    }
}

/// A month of the calendar with the numbers that searches use.
struct Month {
    /// The years that searches cover.
    static let years = 1900...2200

    private(set) var year: Int
    private(set) var month: Int
    /// The day number of the first day, counted from 1970-01-01.
    private(set) var first: Int
    /// The number of days in the month.
    private(set) var length: Int

    init(containing date: CivilDate, dayNumber: Int) {
        (year, month, first) = (date.year, date.month, dayNumber - date.day + 1)
        length = CivilDate.days(inMonth: month, year: year)
    }

    init(year: Int, month: Int) {
        (self.year, self.month) = (year, month)
        first = CivilDate(unchecked: year, month, 1).dayNumber
        length = CivilDate.days(inMonth: month, year: year)
    }

    /// The weekday of the first day; Monday is 0.
    var firstWeekday: Int { CivilDate.weekdayIndex(first) }
    /// All days of the month as bits 1 to 31.
    var all: UInt64 { ((1 << UInt64(length)) - 1) << 1 }
    /// The number of days of the year before the month.
    var daysBefore: Int { first - CivilDate(unchecked: year, 1, 1).dayNumber }
    var yearLength: Int { CivilDate.isLeap(year) ? 366 : 365 }

    mutating func advance() {
        if month < 12 {
            first += length
            month += 1
            length = CivilDate.days(inMonth: month, year: year)
        } else {
            self = Month(year: year + 1, month: 1)
        }
    }

    mutating func retreat() {
        if month > 1 {
            month -= 1
            length = CivilDate.days(inMonth: month, year: year)
            first -= length
        } else {
            self = Month(year: year - 1, month: 12)
        }
    }

    /// Returns the days that fall on some weekdays (bits 1 to 7), as bits 1 to 31.
    func days(ofWeekdays weekdays: UInt64) -> UInt64 {
        let week = weekdays >> 1 & 0x7F
        let from = UInt64(firstWeekday)
        // The first day of the month is bit 0; the multiplication repeats the week five times.
        let turned = (week >> from | week << (7 - from)) & 0x7F
        return turned &* 0x1020_4081 << 1 & all
    }

    /// Returns the days in a range of day numbers, as bits 1 to 31.
    func days(in range: ClosedRange<Int>) -> UInt64 {
        let lower = max(range.lowerBound - first + 1, 1)
        let upper = min(range.upperBound - first + 1, length)
        guard lower <= upper else { return 0 }
        return ((1 << UInt64(upper - lower + 1)) - 1) << UInt64(lower)
    }

    /// Returns the day numbers at which the weeks that touch the month begin.
    ///
    /// Weeks begin on the weekday `offset`; 0 is Monday.
    func weekStarts(offset: Int) -> StrideTo<Int> {
        stride(from: first - floorMod(firstWeekday - offset, 7), to: first + length, by: 7)
    }

    /// Returns the days of the month that are in every `weeks`-th week, as bits 1 to 31.
    ///
    /// The weeks are counted from the one that begins on the day number `start`. They begin on the weekday `offset`.
    func days(everyWeeks weeks: Int, from start: Int, offset: Int) -> UInt64 {
        var bits: UInt64 = 0
        for week in weekStarts(offset: offset) where (week - start) / 7 % weeks == 0 {
            bits |= days(in: week...week + 6)
        }
        return bits
    }
}

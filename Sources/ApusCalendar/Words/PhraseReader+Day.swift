/// A day as it is typed.
enum PhraseDay: Hashable, Sendable {
    /// The day that is this number of days after today, or before it if the number is negative.
    case relative(Int)
    /// The next such day of the week, which may be today unless *next* precedes it.
    case weekday(Int, isNext: Bool)
    /// Today or one of the six days after it.
    case thisWeekday(Int)
    case date(CivilDate)
    /// A date without its year, which means the next such date.
    case yearly(month: Int, day: Int)
    /// The instant that is one unit from now, as in `next week`.
    case following(SpanUnit)

    /// Returns the date of the day if it is typed on `today`; nil if there is no such date.
    ///
    /// A date without a year is the first such date that is not before today. The result is nil for ``following(_:)``,
    /// which depends on the time of day.
    func date(from today: CivilDate) -> CivilDate? {
        switch self {
        case .relative(let days): return CivilDate(dayNumber: today.dayNumber + days)
        case .thisWeekday(let weekday): return PhraseDay.weekday(weekday, isNext: false).date(from: today)
        case .weekday(let weekday, let isNext):
            let ahead = (weekday - today.weekday.rawValue + 7) % 7
            return CivilDate(dayNumber: today.dayNumber + (isNext && ahead == 0 ? 7 : ahead))
        case .date(let date): return date
        case .yearly(let month, let day):
            for year in today.year...today.year + 8 {
                if let date = CivilDate(year: year, month: month, day: day), date >= today { return date }
            }
            return nil
        case .following: return nil
        }
    }
}

extension PhraseReader {
    static let dateForms = "a date such as 2026-12-24, 24 dec or tomorrow"

    /// Reads a day: `tomorrow`, `next friday`, `24 december 2026`, `2026-12-24`, `24.12.2026`.
    ///
    /// It returns nil if no day follows.
    mutating func day() throws(ScheduleTextError) -> PhraseDay? {
        let start = next
        if let days = takeValue({ if case .day(let days) = $0.meaning { days } else { nil } }) {
            return .relative(days)
        }
        if has(.unit(.day), ahead: has(.the) ? 1 : 0), has(.after, ahead: has(.the) ? 2 : 1) {
            var rest = self
            _ = rest.take(.the)
            rest.skip(2)
            if rest.take(.day(1)) {
                self = rest
                return .relative(2)
            }
        }
        if has(.next) || has(.this) {
            let isNext = has(.next)
            let weekday: Int? = value(ahead: 1) { if case .weekday(let number) = $0.meaning { number } else { nil } }
            if let weekday {
                skip(2)
                return isNext ? .weekday(weekday, isNext: true) : .thisWeekday(weekday)
            }
            if has(.this), value(ahead: 1, Self.dayPart) != nil {
                skip()
                return .relative(0)
            }
            let unit: SpanUnit? = value(ahead: 1) { sense in
                if case .unit(let unit) = sense.meaning, unit.rawValue >= SpanUnit.minute.rawValue { unit } else { nil }
            }
            if isNext, let unit {
                skip(2)
                return .following(unit)
            }
            throw error("a weekday after \(start.text), as in “next friday”", at: ahead(1))
        }
        let weekday: Int? = value { sense in
            if case .weekday(let number) = sense.meaning, !sense.isPlural { number } else { nil }
        }
        if let weekday {
            skip()
            return .weekday(weekday, isNext: false)
        }
        var rest = self
        _ = rest.take(.the)
        if let month = rest.month() {
            rest.skip()
            _ = rest.take(.the)
            var number = try rest.ordinal()?.value
            if number == nil, !rest.isSymbol(":", ahead: 1), let plain = rest.next.number {
                number = plain
                rest.skip()
            }
            guard let number else { throw rest.error("the day of the month") }
            if rest.isSymbol(","), rest.ahead(1).text.utf8.count == 4, rest.ahead(1).number != nil { rest.skip() }
            self = rest
            return try named(month: month, day: number, start)
        }
        guard rest.next.number != nil else { return nil }
        if let date = try numeric() { return date }
        let ordinal = try rest.ordinal()?.value
        let number: Int
        if let ordinal {
            number = ordinal
        } else {
            number = rest.next.number ?? 0
            rest.skip()
        }
        _ = rest.take(.of)
        guard let month = rest.month() else { return nil }
        rest.skip()
        self = rest
        return try named(month: month, day: number, start)
    }

    /// Reads the year that follows a day and a month, if there is one.
    private mutating func named(
        month: Int, day: Int, _ start: PhraseToken
    ) throws(ScheduleTextError) -> PhraseDay {
        let name = Names.months[month - 1]
        // In 2028, a leap year, each month has all the days that it can have.
        guard (1...CivilDate.days(inMonth: month, year: 2028)).contains(day) else {
            throw error("a day that \(name) has", at: start)
        }
        guard let year = next.number, !isSymbol(":", ahead: 1), !has(.meridiem(0), ahead: 1),
            !has(.meridiem(12), ahead: 1), !has(.hourMark, ahead: 1)
        else { return .yearly(month: month, day: day) }
        guard next.text.utf8.count == 4, CivilDate.years.contains(year), year >= 1970 else {
            let isHour = year < 24 && next.text.utf8.count <= 2
            throw error("a year of four digits, or a time such as 18:00", readings: isHour ? ["\(year):00"] : [])
        }
        guard let date = CivilDate(year: year, month: month, day: day) else {
            throw error("a day that \(name) \(year) has", at: start)
        }
        skip()
        return .date(date)
    }

    /// Reads a date in digits: year-month-day, year/month/day or day.month.year.
    ///
    /// Other orders are refused, because they are read differently in different countries.
    private mutating func numeric() throws(ScheduleTextError) -> PhraseDay? {
        let (start, first) = (next, next.number ?? 0)
        let separator = ahead(1)
        guard separator.isGlued, ["-", ".", "/"].contains(separator.text), let second = ahead(2).number,
            ahead(2).isGlued
        else { return nil }
        let third = isSymbol(separator.text, ahead: 3, glued: true) && ahead(4).isGlued ? ahead(4).number : nil
        switch separator.text {
        case "/":
            guard let third else { return nil }
            if start.text.utf8.count == 4 { return try checked(first, second, third, start) }
            let full = third < 100 ? 2000 + third : third
            let readings = [(first, second), (second, first)].compactMap { month, day in
                CivilDate(year: full, month: month, day: day)
            }
            let texts = Array(Set(readings.map(\.description))).sorted()
            throw error(
                "a date such as 2026-12-24; the order of \(chunk(start)) is the day first in some countries, and the month "
                    + "first in others" + (texts.isEmpty ? "" : ": write \(texts.joined(separator: " or "))"),
                readings: texts)
        case ".":
            guard let year = third else { return nil }
            guard [2, 4].contains(ahead(4).text.utf8.count) else {
                throw error("a year of four digits, as in 24.12.2026")
            }
            return try checked(year < 100 ? 2000 + year : year, second, first, start)
        default:
            guard let day = third else {
                if start.text.utf8.count == 4 { throw error("a date such as 2026-12-24") }
                return nil
            }
            guard [2, 4].contains(start.text.utf8.count), ahead(2).text.utf8.count == 2, ahead(4).text.utf8.count == 2
            else { throw error("a date is year-month-day of four and two digits, such as 2026-12-24") }
            return try checked(start.text.utf8.count == 2 ? 2000 + first : first, second, day, start)
        }
    }

    private mutating func checked(
        _ year: Int, _ month: Int, _ day: Int, _ start: PhraseToken
    ) throws(ScheduleTextError) -> PhraseDay {
        guard (1...12).contains(month) else {
            throw error("a date such as 2026-12-24; there is no month \(month)", at: start)
        }
        guard (1...CivilDate.days(inMonth: month, year: max(year, 1))).contains(day) else {
            throw error("a date such as 2026-12-24; month \(month) of \(year) has no day \(day)", at: start)
        }
        guard CivilDate.years.contains(year), let date = CivilDate(year: year, month: month, day: day) else {
            throw error("a date of the years 1970–2200", at: start)
        }
        skip(5)
        return .date(date)
    }
}

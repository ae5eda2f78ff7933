/// Schedules in words: `every weekday at 18:30`.
struct WordsParser {
    static let workdays = UInt64(bits: 1...5)
    static let weekend = UInt64(bits: 6...7)

    private static let subjects =
        "day, weekday, weekend, week, month, year, a weekday, a month, or a number of seconds, minutes, hours or weeks"
    private static let units = ["second": 1, "minute": 60, "hour": 3600]

    private var reader: WordReader
    private let today: CivilDate?

    static func parse(_ text: String, today: CivilDate?) throws(ScheduleTextError) -> CalendarSchedule {
        var parser = WordsParser(reader: WordReader(text), today: today)
        return try parser.schedule()
    }

    static func suffix(of number: Int) -> String {
        if (11...13).contains(number % 100) { return "th" }
        return switch number % 10 {
        case 1: "st"
        case 2: "nd"
        case 3: "rd"
        default: "th"
        }
    }

    private mutating func schedule() throws(ScheduleTextError) -> CalendarSchedule {
        try reader.require("every", "every, as in “every day at 9:00”")
        let fields = try subject()
        let zone = try zone()
        guard reader.isAtEnd else {
            throw reader.next.error(zone == nil ? "a time zone, as in “in Europe/Berlin”, or the end" : "the end")
        }
        return CalendarSchedule(.fields(fields), timeZone: zone)
    }

    private mutating func zone() throws(ScheduleTextError) -> String? {
        guard reader.take("in") else { return nil }
        let token = reader.next
        guard ZoneDatabase.isName(token.text) else { throw token.error("a time zone such as Europe/Berlin") }
        reader.skip()
        return token.text
    }

    private mutating func subject() throws(ScheduleTextError) -> CalendarFields {
        let token = reader.next
        if token.text.first?.isNumber == true || reader.take("other") { return try counted(token) }
        let word = token.text.lowercased()
        if let unit = Self.units[word] {
            reader.skip()
            return try steps(of: unit, token)
        }
        var days = DayRule()
        if reader.take("day") { return try fields(days) }
        if reader.take("week") { return try fields(weeklyDays()) }
        if reader.take("month") { return try fields(monthDays()) }
        if reader.take("year") { return try yearly() }
        if Names.month(word) != nil {
            let months = try reader.list { reader throws(ScheduleTextError) in
                guard let month = Names.month(reader.next.text) else { throw reader.next.error("a month") }
                reader.skip()
                return month
            }
            return try fields(monthDays(), months: UInt64(bits: months))
        }
        guard word == "weekday" || word == "weekend" || Names.weekday(word.prefix { $0 != "-" }) != nil else {
            throw token.error(Self.subjects)
        }
        days.weekdays = try reader.weekdaySet()
        return try fields(days)
    }

    // MARK: Numbers of units

    private mutating func counted(_ token: Token) throws(ScheduleTextError) -> CalendarFields {
        var count = 2
        if token.text.lowercased() != "other" {
            count = try token.number(1...10_000, "a number")
            reader.skip()
        }
        let unit = reader.next
        let name =
            unit.text.lowercased().hasSuffix("s") ? String(unit.text.lowercased().dropLast()) : unit.text.lowercased()
        if let seconds = Self.units[name] {
            reader.skip()
            return try steps(of: count * seconds, token)
        }
        guard name == "week" else { throw unit.error("seconds, minutes, hours or weeks after a number") }
        reader.skip()
        let days = try weeklyDays()
        let times = try times()
        guard count > 1 else { return CalendarFields(times: times, days: days) }
        var anchor = today
        if reader.take("starting") { anchor = try reader.date() }
        guard let anchor else {
            throw reader.next.error("the date of the first week, as in “starting 2026-11-24”")
        }
        return CalendarFields(times: times, days: days, weekInterval: .init(weeks: count, anchor: anchor))
    }

    private mutating func steps(of step: Int, _ token: Token) throws(ScheduleTextError) -> CalendarFields {
        var (first, last, offset) = (0, 86_399, 0)
        if reader.take("at") {
            guard step % 3600 == 0, reader.next.text.hasPrefix(":") else {
                throw reader.next.error("the minute of hours, as in “every hour at :30”")
            }
            offset = try reader.next.suffix(from: 1).number(0...59, "a minute") * 60
            reader.skip()
        }
        if reader.take("between") {
            first = try reader.time()
            try reader.require("and", "and, as in “between 9:00 and 17:00”")
            let end = reader.next
            last = try reader.time()
            guard first < last else { throw end.error("a time after the first one") }
        } else if 86_400 % step != 0 || 3600 % step != 0 && step % 3600 != 0 {
            throw token.error(
                "a number that divides an hour or a day evenly, or a window: “between 9:00 and 17:00”")
        }
        var days = DayRule()
        if reader.take("on") { days.weekdays = try reader.weekdaySet() }
        let times = TimesOfDay(stride(from: first + offset, through: last, by: step))
        return CalendarFields(times: times, isStepping: true, days: days)
    }

    // MARK: Days

    private mutating func fields(
        _ days: DayRule, months: UInt64 = CalendarFields.allMonths
    ) throws(ScheduleTextError) -> CalendarFields {
        CalendarFields(times: try times(), days: days, months: months)
    }

    private mutating func times() throws(ScheduleTextError) -> TimesOfDay {
        _ = reader.take("at")
        return TimesOfDay(try reader.list { reader throws(ScheduleTextError) in try reader.time() })
    }

    private mutating func weeklyDays() throws(ScheduleTextError) -> DayRule {
        try reader.require("on", "on and the day of the week, as in “every week on friday at 17:00”")
        var days = DayRule()
        days.weekdays = try reader.weekdaySet()
        return days
    }

    private mutating func monthDays() throws(ScheduleTextError) -> DayRule {
        let forms = "on the and the days, as in “on the 1st and 15th”, “on the last day” or “on the 2nd tuesday”"
        try reader.require("on", forms)
        try reader.require("the", forms)
        var days = DayRule()
        let first = reader.next
        _ = try reader.list { reader throws(ScheduleTextError) in
            _ = reader.take("the")
            let token = reader.next
            let number = try reader.ordinal(1...31, "a day such as 1st, 22nd or last")
            if let weekday = Names.weekday(reader.next.text) {
                guard number ?? 1 <= 5 else { throw token.error("1st to 5th or last before a day of the week") }
                reader.skip()
                days.ordinals |= DayRule.ordinal(weekday, number ?? 6)
            } else {
                _ = reader.take("day")
                if let number { days.monthDays |= 1 << UInt64(number) } else { days.fromEnd |= 1 << 1 }
            }
        }
        guard !days.restrictsMonthDay || !days.restrictsWeekday else {
            throw first.error("either days of the month or days of the week, not both")
        }
        return days
    }

    private mutating func yearly() throws(ScheduleTextError) -> CalendarFields {
        let forms = "on and a date, as in “every year on 24 dec at 18:00”"
        try reader.require("on", forms)
        let first = reader.next
        reader.skip()
        let second = reader.next
        reader.skip()
        guard let month = Names.month(first.text) ?? Names.month(second.text),
            let day = (Names.month(first.text) == nil ? first : second).number
        else { throw first.error(forms) }
        // 2028 has all days of all years.
        guard (1...CivilDate.days(inMonth: month, year: 2028)).contains(day) else {
            throw first.error("a day that \(Names.months[month - 1]) has")
        }
        var days = DayRule()
        days.monthDays = 1 << UInt64(day)
        return try fields(days, months: 1 << UInt64(month))
    }
}

extension CalendarSchedule {
    /// Reads a schedule in words, such as `every weekday at 18:30`.
    ///
    /// - Parameters:
    ///   - words: The words; letters may be in either case.
    ///   - today: The date from which intervals of several weeks are counted, unless the text names one.
    /// - Throws: ``ScheduleTextError`` with the column.
    public init(words: String, today: CivilDate? = nil) throws(ScheduleTextError) {
        self = try WordsParser.parse(words, today: today)
    }
}

extension CalendarSchedule {
    /// The schedule in words, or nil if words as ``init(words:today:)`` reads them cannot say it exactly.
    public var words: String? {
        guard case .fields(let fields) = rule, from == nil, until == nil, count == nil, exclusions.isEmpty, spread == 0,
            let text = fields.words
        else { return nil }
        return "every \(text)" + (timeZone.map { " in \($0)" } ?? "")
    }
}

extension CalendarFields {
    fileprivate var words: String? {
        guard hashed.isEmpty, years == nil else { return nil }
        if isStepping { return steps }
        let seconds = times.secondsOfDay
        // More are no sentence any more.
        guard (1...12).contains(seconds.count), let days = dayWords else { return nil }
        let anchor = weekInterval.map { " starting \($0.anchor)" } ?? ""
        return "\(days) at \(seconds.map { "\(CivilTime(unchecked: $0))" }.listed)\(anchor)"
    }

    private var steps: String? {
        let seconds = times.secondsOfDay
        guard weekInterval == nil, months == Self.allMonths, days.onlyWeekdays,
            let (first, step, last) = NumberSet.progression(seconds)
        else { return nil }
        var text = unit(step)
        if first + 86_400 - last == step, first == 0 || step % 3600 == 0 && first < 3600 && first % 60 == 0 {
            if first > 0 { text += " at :\(padded(first / 60))" }
        } else {
            text += " between \(CivilTime(unchecked: first)) and \(CivilTime(unchecked: last))"
        }
        guard days.weekdays != 0 else { return text }
        return "\(text) on \(weekdayWords(days.weekdays, plural: true))"
    }

    private func unit(_ step: Int) -> String {
        let (count, name) =
            step % 3600 == 0 ? (step / 3600, "hour") : step % 60 == 0 ? (step / 60, "minute") : (step, "second")
        return count == 1 ? name : "\(count) \(name)s"
    }

    private var dayWords: String? {
        if let weekInterval {
            guard months == Self.allMonths, days.onlyWeekdays, days.weekdays != 0 else { return nil }
            return "\(weekInterval.weeks) weeks on \(weekdayWords(days.weekdays, plural: true))"
        }
        if months == Self.allMonths, days.onlyWeekdays {
            return days.weekdays == 0 ? "day" : weekdayWords(days.weekdays, plural: false)
        }
        guard let inMonth = daysOfMonth else { return nil }
        if months == Self.allMonths { return "month on the \(inMonth)" }
        let names = months.setBits.map { Names.months[$0 - 1] }
        return "\(names.listed) on the \(inMonth)"
    }

    /// `1st and last day`, `2nd tuesday`.
    private var daysOfMonth: String? {
        guard days.nearestWeekdays == 0, !days.lastWeekday, days.weekdays == 0, days.fromEnd & ~2 == 0,
            days.restrictsMonthDay != days.restrictsWeekday
        else { return nil }
        var items = days.monthDays.setBits.map { "\($0)\(WordsParser.suffix(of: $0))" }
        if days.fromEnd != 0 { items.append("last day") }
        items += days.ordinals.setBits.map { bit in
            let (number, weekday) = (bit % 8, Names.weekdays[bit / 8])
            return (number == 6 ? "last" : "\(number)\(WordsParser.suffix(of: number))") + " \(weekday)"
        }
        return items.listed
    }

    private func weekdayWords(_ bits: UInt64, plural: Bool) -> String {
        if bits == WordsParser.workdays { return plural ? "weekdays" : "weekday" }
        if bits == WordsParser.weekend { return plural ? "weekends" : "weekend" }
        return bits.setBits.map { Names.weekdays[$0 - 1] }.listed
    }
}

extension DayRule {
    /// Whether nothing but days of the week is restricted, if anything is.
    fileprivate var onlyWeekdays: Bool { !restrictsMonthDay && ordinals == 0 }
}

extension [String] {
    /// `a`, `a and b`, `a, b and c`.
    fileprivate var listed: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1]
    }
}

/// Parses calendar events of systemd (systemd.time(7)).
struct OnCalendarParser {
    private static let nicknames = [
        "minutely": "*-*-* *:*:00", "hourly": "*-*-* *:00:00", "daily": "*-*-* 00:00:00",
        "weekly": "Mon *-*-* 00:00:00", "monthly": "*-*-01 00:00:00", "quarterly": "*-01,04,07,10-01 00:00:00",
        "semiannually": "*-01,07-01 00:00:00", "semi-annually": "*-01,07-01 00:00:00",
        "biannually": "*-01,07-01 00:00:00", "bi-annually": "*-01,07-01 00:00:00", "yearly": "*-01-01 00:00:00",
        "annually": "*-01-01 00:00:00", "anually": "*-01-01 00:00:00",
    ]

    static func parse(_ text: String) throws(ScheduleTextError) -> CalendarSchedule {
        var tokens = Token.split(text)
        if let first = tokens.first, let expression = nicknames[first.text.lowercased()] {
            tokens = Token.split(expression) + tokens.dropFirst()
        }
        guard !tokens.isEmpty else {
            throw ScheduleTextError(column: 1, found: "", expected: "a weekday, a date, a time or a name such as daily")
        }
        var days = DayRule()
        var months = CalendarFields.allMonths
        var years: [Int]?
        var times = TimesOfDay([0])
        var isStepping = false
        var zone: String?
        var index = 0
        if tokens[0].text.first?.isLetter == true {
            days.weekdays = try weekdays(tokens[0])
            index += 1
        }
        if index < tokens.count, tokens[index].text.hasPrefix("@") {
            let local = CivilDateTime(localSeconds: try instant(tokens[index].suffix(from: 1)))
            (years, months) = ([local.date.year], 1 << UInt64(local.date.month))
            days.monthDays = 1 << UInt64(local.date.day)
            times = TimesOfDay([local.time.secondOfDay])
            zone = "UTC"
            index += 1
            if index < tokens.count, tokens[index].text.uppercased() == "UTC" { index += 1 }
            if index < tokens.count { throw tokens[index].error("nothing after an instant but UTC") }
        }
        if index < tokens.count, isDate(tokens[index].text) {
            (years, months) = try date(tokens[index], &days)
            index += 1
        }
        if index < tokens.count, tokens[index].text.contains(":") {
            (times, isStepping) = try time(tokens[index])
            index += 1
        }
        if index < tokens.count, zone == nil {
            let name = tokens[index].text
            guard name.first?.isLetter == true, ZoneDatabase.isName(name) else {
                throw tokens[index].error("a date such as *-*-01, a time such as 09:00:00 or a time zone name")
            }
            zone = name.uppercased() == "UTC" ? "UTC" : name
            index += 1
        }
        if index < tokens.count { throw tokens[index].error("nothing after the time zone") }
        let fields = CalendarFields(times: times, isStepping: isStepping, days: days, months: months, years: years)
        return CalendarSchedule(.fields(fields), timeZone: zone)
    }

    private static func isDate(_ text: String) -> Bool {
        !text.contains(":") && text.first?.isLetter == false && (text.contains("-") || text.contains("~"))
    }

    /// Reads an instant in seconds since 1970, until the end of 2200.
    private static func instant(_ token: Token) throws(ScheduleTextError) -> Int64 {
        guard (1...10).contains(token.text.utf8.count), token.text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(token.text), seconds <= searchedLocals.upperBound
        else { throw token.error("an instant in seconds since 1970, until the end of 2200") }
        return seconds
    }

    private static func weekdays(_ token: Token) throws(ScheduleTextError) -> UInt64 {
        var bits = UInt64(0)
        var parts = token.parts(",")
        // One comma at the end is ignored, as in systemd.
        if parts.count > 1, parts[parts.count - 1].text.isEmpty { parts.removeLast() }
        for part in parts {
            let text = part.text.replacing("..", with: "-")
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Names.weekday($0) }
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1] else {
                throw part.error("a weekday such as Mon, a range such as Mon..Fri, or a name such as daily")
            }
            for day in first...(last < first ? last + 7 : last) { bits |= 1 << UInt64((day - 1) % 7 + 1) }
        }
        return bits
    }

    private static func date(
        _ token: Token, _ days: inout DayRule
    ) throws(ScheduleTextError) -> (years: [Int]?, months: UInt64) {
        var parts = token.parts("-")
        let isFromEnd = token.text.contains("~")
        if isFromEnd {
            let last = parts.removeLast().parts("~")
            guard last.count == 2 else { throw token.error("one ~ before the day") }
            parts += last
        }
        guard (2...3).contains(parts.count) else { throw token.error("year-month-day or month-day") }
        var years: [Int]?
        if parts.count == 3 {
            let values = try component(parts.removeFirst(), 1970...2200, "a year", isYear: true)
            years = values.isAny ? nil : values.list
        }
        let months = try component(parts[0], 1...12, "a month")
        if isFromEnd {
            let values = try component(parts[1], 1...28, "a day from the end", isFromEnd: true)
            if !values.isAny { days.fromEnd = UInt64(bits: values.list) }
        } else {
            let values = try component(parts[1], 1...31, "a day")
            if !values.isAny { days.monthDays = UInt64(bits: values.list) }
        }
        return (years, UInt64(bits: months.list))
    }

    private static func time(_ token: Token) throws(ScheduleTextError) -> (TimesOfDay, Bool) {
        let parts = token.parts(":")
        guard (2...3).contains(parts.count) else { throw token.error("hour:minute or hour:minute:second") }
        let hours = try component(parts[0], 0...23, "an hour")
        let minutes = try component(parts[1], 0...59, "a minute")
        var seconds: (list: [Int], isAny: Bool, hasStep: Bool) = ([0], false, false)
        if parts.count == 3 {
            var second = parts[2]
            if let dot = second.text.replacing("..", with: "\u{1}\u{1}").firstIndex(of: ".") {
                // A fraction that is zero is accepted, because systemd prints it. Any other fraction is refused,
                // because the resolution is one second.
                let fraction = second.text[dot...].dropFirst()
                guard !fraction.isEmpty, fraction.allSatisfy({ $0 == "0" }) else {
                    throw second.error("whole seconds; fractions of a second are not supported")
                }
                second.text = String(second.text[..<dot])
            }
            seconds = try component(second, 0...59, "a second")
        }
        let times = TimesOfDay.grid(
            hours: UInt64(bits: hours.list), minutes: UInt64(bits: minutes.list), seconds: UInt64(bits: seconds.list))
        return (times, minutes.hasStep || seconds.hasStep)
    }

    /// Reads `*`, `5`, `1..5`, `0/15` and lists of them.
    private static func component(
        _ token: Token, _ limits: ClosedRange<Int>, _ what: String, isFromEnd: Bool = false, isYear: Bool = false
    ) throws(ScheduleTextError) -> (list: [Int], isAny: Bool, hasStep: Bool) {
        if token.text == "*" { return (Array(limits), true, true) }
        var values: Set<Int> = []
        var hasStep = false
        for part in token.parts(",") {
            let pieces = part.parts("/")
            guard pieces.count <= 2 else { throw pieces[2].error("one repetition after /") }
            let step = pieces.count == 2 ? try pieces[1].number(1...limits.upperBound, "a repetition") : 1
            hasStep = hasStep || pieces.count == 2
            let ends = Token(text: pieces[0].text.replacing("..", with: "\u{1}"), column: part.column).parts("\u{1}")
            guard ends.count <= 2 else { throw part.error("a range of two values") }
            if ends[0].text == "*", ends.count == 1 {
                values.formUnion(stride(from: limits.lowerBound, through: limits.upperBound, by: step))
                continue
            }
            // Years of two digits mean 1970 to 2069.
            func number(_ token: Token) throws(ScheduleTextError) -> Int {
                if isYear, let short = token.number, short < 100 { return short < 70 ? 2000 + short : 1900 + short }
                return try token.number(limits, what)
            }
            let first = try number(ends[0])
            if ends.count == 2 {
                let last = try number(ends[1])
                guard first <= last else { throw part.error("a range in order") }
                values.formUnion(stride(from: first, through: last, by: step))
            } else if pieces.count == 2 {
                guard isFromEnd ? first - step >= 1 : first + step <= limits.upperBound else {
                    throw pieces[1].error("a repetition short enough to come again within the range")
                }
                // If days are counted from the end of the month, the repetition runs towards the last day.
                values.formUnion(
                    isFromEnd
                        ? stride(from: first, through: 1, by: -step).map { $0 }
                        : stride(from: first, through: limits.upperBound, by: step).map { $0 })
            } else {
                values.insert(first)
            }
        }
        // A repetition that yields a single value does not count as a repetition.
        return (values.sorted(), false, hasStep && values.count > 1)
    }
}

extension CalendarSchedule {
    /// Parses a calendar event of systemd.
    ///
    /// - Parameter onCalendar: The text, for example `Mon..Fri *-*-* 09:00:00 Europe/Berlin`.
    /// - Throws: ``ScheduleTextError`` with the column.
    public init(onCalendar: String) throws(ScheduleTextError) { self = try OnCalendarParser.parse(onCalendar) }

    /// The schedule as a calendar event of systemd, or nil if no event expresses it exactly.
    public var onCalendar: String? {
        guard case .fields(let fields) = rule, from == nil, until == nil, count == nil, exclusions.isEmpty, spread == 0,
            fields.weekInterval == nil, fields.hashed.isEmpty, let time = fields.gridText(.calendar)
        else { return nil }
        let days = fields.days
        guard days.ordinals == 0, days.nearestWeekdays | days.nearestWeekdaysFromEnd == 0, days.combination == .and,
            days.fromEnd == 0 || days.monthDays == 0, days.fromEnd >> 29 == 0
        else { return nil }
        var parts: [String] = []
        if days.weekdays != 0 {
            parts.append(
                NumberSet.list(days.weekdays.setBits, range: "..") { Names.weekdays[$0 - 1].prefix(3).capitalized })
        }
        let year = fields.years.map { NumberSet.list($0, range: "..") } ?? "*"
        let month =
            fields.months == CalendarFields.allMonths
            ? "*" : NumberSet.list(fields.months.setBits, range: "..") { padded($0) }
        var day = "-*"
        if days.monthDays != 0 { day = "-" + NumberSet.list(days.monthDays.setBits, range: "..") { padded($0) } }
        if days.fromEnd != 0 { day = "~" + NumberSet.list(days.fromEnd.setBits, range: "..") { padded($0) } }
        parts.append("\(year)-\(month)\(day)")
        parts.append("\(time.hour):\(time.minute):\(time.second)")
        if let timeZone { parts.append(timeZone) }
        return parts.joined(separator: " ")
    }
}

extension Substring {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}

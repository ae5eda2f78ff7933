/// Recurrence rules of RFC 5545: RRULE with DTSTART, EXDATE and RDATE, on lines of their own or separated by spaces.
struct RecurrenceParser {
    private static let forms = "DTSTART, RRULE, EXDATE or RDATE, each followed by a colon"
    private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    private var timeZone: String?
    private var start: CivilDateTime?
    private var rule: Token?
    private var exceptions: [CivilDateTime] = []
    private var extras: [CivilDateTime] = []

    static func parse(_ text: String, start: CivilDateTime?) throws(ScheduleTextError) -> CalendarSchedule {
        var parser = RecurrenceParser()
        for token in Token.split(text) { try parser.property(token) }
        let end = Token(text: "", column: text.count + 1)
        guard let rule = parser.rule else { throw end.error("RRULE:FREQ=… with the frequency") }
        guard let start = parser.start ?? start else { throw end.error("DTSTART:20261124T090000, the first date-time") }
        var recurrence = try parser.recurrence(rule, start)
        recurrence.exceptions = parser.exceptions
        recurrence.extras = parser.extras
        return CalendarSchedule(.recurrence(recurrence), timeZone: parser.timeZone)
    }

    // MARK: Properties

    private mutating func property(_ token: Token) throws(ScheduleTextError) {
        guard let colon = token.text.firstIndex(of: ":") else {
            guard token.text.uppercased().hasPrefix("FREQ="), rule == nil else { throw token.error(Self.forms) }
            rule = token
            return
        }
        let value = token.suffix(from: token.text.distance(from: token.text.startIndex, to: colon) + 1)
        let head = Token(text: String(token.text[..<colon]), column: token.column).parts(";")
        switch head[0].text.uppercased() {
        case "DTSTART":
            guard start == nil else { throw token.error("one DTSTART") }
            try zone(head)
            start = try moment(value, endOfDay: false).time
        case "RRULE":
            guard rule == nil, head.count == 1 else { throw token.error("one RRULE, without parameters") }
            rule = value
        case "EXDATE", "RDATE":
            try zone(head)
            for part in value.parts(",") {
                let (time, isUTC) = try moment(part, endOfDay: false)
                guard !isUTC else { throw part.error("a local date-time, without Z") }
                if head[0].text.uppercased() == "EXDATE" { exceptions.append(time) } else { extras.append(time) }
            }
        case "EXRULE": throw head[0].error("\(Self.forms); EXRULE was removed from the standard")
        default: throw head[0].error(Self.forms)
        }
    }

    private mutating func zone(_ head: [Token]) throws(ScheduleTextError) {
        for parameter in head.dropFirst() {
            guard parameter.text.uppercased().hasPrefix("TZID=") else {
                throw parameter.error("TZID=Europe/Berlin, or no parameter")
            }
            let name = parameter.suffix(from: 5)
            guard ZoneDatabase.isName(name.text), timeZone == nil || timeZone == name.text else {
                throw name.error("one time zone such as Europe/Berlin")
            }
            timeZone = name.text
        }
    }

    /// Reads `20261124T090000`, with `Z` for UTC, or `20261124`.
    private mutating func moment(
        _ token: Token, endOfDay: Bool
    ) throws(ScheduleTextError) -> (time: CivilDateTime, isUTC: Bool) {
        let text = Array(token.text.utf8)
        let expected = "a date-time such as 20261124T090000, or a date such as 20261124"
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= text.count else { return nil }
            return Token(text: String(decoding: text[range], as: UTF8.self), column: 1).number
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            CivilDate.years.contains(year), let date = CivilDate(year: year, month: month, day: day)
        else { throw token.error(expected) }
        if text.count == 8 {
            return (CivilDateTime(date: date, time: CivilTime(unchecked: endOfDay ? 86_399 : 0)), false)
        }
        let isUTC = text.count == 16 && text[15] == UInt8(ascii: "Z")
        guard text.count == 15 || isUTC, text[8] == UInt8(ascii: "T"), let hour = number(9..<11),
            let minute = number(11..<13), let second = number(13..<15),
            let time = CivilTime(hour: hour, minute: minute, second: second)
        else { throw token.error(expected) }
        return (CivilDateTime(date: date, time: time), isUTC)
    }

    // MARK: The parts of the rule

    private mutating func recurrence(
        _ token: Token, _ start: CivilDateTime
    ) throws(ScheduleTextError) -> Recurrence {
        var parts: [(name: String, whole: Token, value: Token)] = []
        for part in token.parts(";") {
            let pair = part.parts("=")
            guard pair.count == 2, !pair[1].text.isEmpty else { throw part.error("NAME=VALUE, such as FREQ=WEEKLY") }
            let name = pair[0].text.uppercased()
            guard !parts.contains(where: { $0.name == name }) else { throw part.error("each part once") }
            parts.append((name, part, pair[1]))
        }
        guard let first = parts.first(where: { $0.name == "FREQ" }),
            let frequency = Recurrence.Frequency(rawValue: first.value.text.uppercased())
        else {
            let found = parts.first { $0.name == "FREQ" }?.value ?? token
            throw found.error(
                "FREQ with one of \(Recurrence.Frequency.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        var rule = Recurrence(frequency: frequency, start: start)
        for part in parts where part.name != "FREQ" { try read(part.name, part.whole, part.value, &rule) }
        for part in parts { try check(part.name, part.whole, rule) }
        return rule
    }

    private mutating func read(
        _ name: String, _ whole: Token, _ value: Token, _ rule: inout Recurrence
    ) throws(ScheduleTextError) {
        switch name {
        case "INTERVAL": rule.interval = try value.number(1...10_000, "a number")
        case "COUNT": rule.count = try value.number(1...CalendarSchedule.largestCount, "a number")
        case "UNTIL":
            let (time, isUTC) = try moment(value, endOfDay: true)
            (rule.until, rule.untilIsUTC) = (time, isUTC)
        case "BYMONTH": rule.months = try numbers(value, 1...12, signed: false)
        case "BYMONTHDAY": rule.monthDays = try numbers(value, 1...31, signed: true)
        case "BYYEARDAY": rule.yearDays = try numbers(value, 1...366, signed: true)
        case "BYWEEKNO": rule.weekNumbers = try numbers(value, 1...53, signed: true)
        case "BYHOUR": rule.hours = try numbers(value, 0...23, signed: false)
        case "BYMINUTE": rule.minutes = try numbers(value, 0...59, signed: false)
        case "BYSECOND": rule.seconds = try numbers(value, 0...59, signed: false)
        case "BYSETPOS": rule.positions = try numbers(value, 1...366, signed: true)
        case "WKST": rule.weekStart = try weekday(value)
        case "BYDAY":
            var days: [Recurrence.Day] = []
            for part in value.parts(",") {
                let weekday = try weekday(Token(text: String(part.text.suffix(2)), column: part.column))
                let prefix = Token(text: String(part.text.dropLast(2)), column: part.column)
                let ordinal = prefix.text.isEmpty ? 0 : try numbers(prefix, 1...53, signed: true)[0]
                days.append(Recurrence.Day(ordinal: ordinal, weekday: weekday))
            }
            rule.days = days
        default:
            throw whole.error(
                "FREQ, INTERVAL, COUNT, UNTIL, WKST, BYSETPOS, or BY with MONTH, MONTHDAY, YEARDAY, "
                    + "WEEKNO, DAY, HOUR, MINUTE or SECOND")
        }
    }

    /// What the standard excludes (RFC 5545, 3.3.10), and positions within units below a day.
    private func check(_ name: String, _ part: Token, _ rule: Recurrence) throws(ScheduleTextError) {
        let isYearly = rule.frequency == .yearly
        switch name {
        case "COUNT": if rule.until != nil { throw part.error("COUNT or UNTIL, not both") }
        case "BYWEEKNO": if !isYearly { throw part.error("BYWEEKNO with FREQ=YEARLY only") }
        case "BYYEARDAY":
            if [.daily, .weekly, .monthly].contains(rule.frequency) {
                throw part.error("BYYEARDAY not with FREQ=DAILY, WEEKLY or MONTHLY")
            }
        case "BYMONTHDAY": if rule.frequency == .weekly { throw part.error("BYMONTHDAY not with FREQ=WEEKLY") }
        case "BYDAY":
            guard rule.days.contains(where: { $0.ordinal != 0 }) else { return }
            if rule.frequency != .monthly, !isYearly || !rule.weekNumbers.isEmpty {
                throw part.error("numbers before a day with FREQ=MONTHLY, or with FREQ=YEARLY without BYWEEKNO, only")
            }
        case "BYSETPOS":
            let others = [
                rule.months, rule.monthDays, rule.yearDays, rule.weekNumbers, rule.hours, rule.minutes, rule.seconds,
            ]
            if rule.days.isEmpty, others.allSatisfy(\.isEmpty) { throw part.error("BYSETPOS beside another BY part") }
            if rule.frequency.seconds != nil { throw part.error("BYSETPOS with FREQ=DAILY or longer") }
        default: break
        }
    }

    private func numbers(
        _ token: Token, _ range: ClosedRange<Int>, signed: Bool
    ) throws(ScheduleTextError) -> [Int] {
        var result: Set<Int> = []
        for part in token.parts(",") {
            let isNegative = signed && part.text.hasPrefix("-")
            let digits = signed && (isNegative || part.text.hasPrefix("+")) ? part.suffix(from: 1) : part
            guard let number = digits.number, range.contains(number) else {
                let minus = signed ? ", or with a minus from the end" : ""
                throw part.error("a number from \(range.lowerBound) to \(range.upperBound)\(minus)")
            }
            result.insert(isNegative ? -number : number)
        }
        return result.sorted()
    }

    private func weekday(_ token: Token) throws(ScheduleTextError) -> Weekday {
        guard let index = Self.weekdays.firstIndex(of: token.text.uppercased()) else {
            throw token.error("a day of the week: \(Self.weekdays.joined(separator: ", "))")
        }
        return Weekday.allCases[index]
    }

    // MARK: Printing

    static func print(_ rule: Recurrence, timeZone: String?) -> String {
        func text(_ moment: CivilDateTime) -> String {
            let (date, time) = (moment.date, moment.time)
            return "\(padded(date.year, 4))\(padded(date.month))\(padded(date.day))"
                + "T\(padded(time.hour))\(padded(time.minute))\(padded(time.second))"
        }
        var parts = ["FREQ=\(rule.frequency.rawValue)"]
        func add(_ name: String, _ values: [some CustomStringConvertible]) {
            if !values.isEmpty { parts.append("\(name)=\(values.map(\.description).joined(separator: ","))") }
        }
        if rule.interval != 1 { add("INTERVAL", [rule.interval]) }
        add("COUNT", rule.count.map { [$0] } ?? [])
        add("UNTIL", rule.until.map { [text($0) + (rule.untilIsUTC ? "Z" : "")] } ?? [])
        add("BYMONTH", rule.months)
        add("BYMONTHDAY", rule.monthDays)
        add("BYYEARDAY", rule.yearDays)
        add("BYWEEKNO", rule.weekNumbers)
        add("BYDAY", rule.days.map { ($0.ordinal == 0 ? "" : "\($0.ordinal)") + weekdays[$0.weekday.rawValue - 1] })
        add("BYHOUR", rule.hours)
        add("BYMINUTE", rule.minutes)
        add("BYSECOND", rule.seconds)
        add("BYSETPOS", rule.positions)
        if rule.weekStart != .monday { add("WKST", [weekdays[rule.weekStart.rawValue - 1]]) }
        var lines = [
            "DTSTART\(timeZone.map { ";TZID=\($0)" } ?? ""):\(text(rule.start))",
            "RRULE:" + parts.joined(separator: ";"),
        ]
        if !rule.exceptions.isEmpty { lines.append("EXDATE:" + rule.exceptions.map(text).joined(separator: ",")) }
        if !rule.extras.isEmpty { lines.append("RDATE:" + rule.extras.map(text).joined(separator: ",")) }
        return lines.joined(separator: "\n")
    }
}

extension CalendarSchedule {
    /// Reads a recurrence rule of RFC 5545: `DTSTART:20261124T090000` and `RRULE:FREQ=MONTHLY;BYDAY=-1FR`, on lines of
    /// their own or separated by spaces, with EXDATE and RDATE.
    ///
    /// - Parameters:
    ///   - recurrence: The properties.
    ///   - start: The start of a text without DTSTART.
    /// - Throws: ``ScheduleTextError`` with the column.
    public init(recurrence: String, start: CivilDateTime? = nil) throws(ScheduleTextError) {
        self = try RecurrenceParser.parse(recurrence, start: start)
    }

    /// The schedule as properties of RFC 5545, a line each; nil if it is no recurrence rule or has more than such
    /// properties say.
    public var recurrence: String? {
        guard case .recurrence(let rule) = rule, from == nil, until == nil, count == nil, exclusions.isEmpty,
            spread == 0
        else { return nil }
        return RecurrenceParser.print(rule, timeZone: timeZone)
    }
}

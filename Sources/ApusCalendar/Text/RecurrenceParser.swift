/// Parses recurrence rules of RFC 5545: RRULE with DTSTART, EXDATE and RDATE, on lines or separated by spaces.
struct RecurrenceParser {
    /// The value of a property: a date-time or a date.
    struct Moment: Hashable {
        var time: CivilDateTime
        var isUTC = false
        var isDate = false
    }

    /// The start of a rule whose text has no DTSTART.
    enum ImpliedStart {
        /// The rule starts at a date-time.
        case at(CivilDateTime)
        /// The rule starts at the time at which it is typed, rounded down to the minute or the hour unless it names
        /// seconds.
        case typed(at: CivilDateTime)
    }

    private static let forms = "DTSTART, RRULE, EXDATE or RDATE, each followed by a colon"
    private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    private static let utc = "UTC"

    /// The IANA names of zones that a file defines under other names.
    var zoneNames: [String: String] = [:]
    /// The names of all zones that a file defines.
    var definedZones: Set<String> = []
    private(set) var start: Moment?
    private(set) var ignored: [String] = []
    var exceptions: [Moment] = []
    var extras: [Moment] = []
    private(set) var timeZone: String?
    private var rule: Token?

    static func parse(_ text: String, start: ImpliedStart?) throws(ScheduleTextError) -> RecurrenceText {
        if ICalendar.isContained(in: text) { return try ICalendar.parse(text) }
        var parser = RecurrenceParser()
        for token in unfolded(text) { try parser.property(token) }
        let end = Token(text: "", column: text.count + 1)
        guard parser.rule != nil || parser.start != nil && !parser.extras.isEmpty else {
            throw end.error("RRULE:FREQ=… with the frequency")
        }
        guard parser.start != nil || start != nil else {
            throw end.error("DTSTART:20261124T090000, the first date-time")
        }
        return try parser.finished(start, end)
    }

    private static let properties: Set = ["DTSTART", "RRULE", "EXDATE", "RDATE", "EXRULE"]
    private static let parts: Set = [
        "FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYSETPOS", "BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO",
        "BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND",
    ]

    /// Whether a text begins with the name of a property, or with a part of a rule, as the value of RRULE does.
    static func isProperty(_ text: String) -> Bool { isNamed(text) || isRule(text) }

    private static func isNamed(_ text: String) -> Bool {
        let name = text.prefix { $0.isLetter }
        return properties.contains(name.uppercased()) && [":", ";"].contains(text.dropFirst(name.count).first)
    }

    /// Whether a text begins with a part of a rule; the parts have no order (RFC 5545, 3.3.10).
    private static func isRule(_ text: String) -> Bool {
        let name = text.prefix { $0.isLetter }
        return parts.contains(name.uppercased()) && text.dropFirst(name.count).first == "="
    }

    /// Splits a text into properties.
    ///
    /// A line that begins with one space or tab continues the line before, unless a property follows the space or tab.
    /// The words up to the colon belong to one property, as in `TZID=W. Europe Standard Time:`.
    private static func unfolded(_ text: String) -> [Token] {
        let characters = Array(text)
        var result: [Token] = []
        for token in Token.split(text) {
            let before = characters[..<(token.column - 1)].suffix(2)
            let isFolded = before.count == 2 && before.first?.isNewline == true && before.last?.isNewline == false
            let last = result.last?.text ?? ""
            // A rule can be folded before one of its parts.
            let isContinued = isRule(last) || last.uppercased().hasPrefix("RRULE")
            if isFolded, !last.isEmpty, !isProperty(token.text) || isRule(token.text) && isContinued {
                result[result.count - 1].text += token.text
            } else if isNamed(last), !isProperty(token.text), result[result.count - 1].property == nil {
                result[result.count - 1].text += " " + token.text
            } else {
                result.append(token)
            }
        }
        return result
    }

    /// Returns the schedule of the properties that were read.
    ///
    /// Without RRULE, it is due at DTSTART and at RDATE.
    mutating func finished(_ implied: ImpliedStart?, _ end: Token) throws(ScheduleTextError) -> RecurrenceText {
        let first: CivilDateTime
        switch (start, implied) {
        case (let start?, _): first = start.time
        case (nil, .at(let time)?), (nil, .typed(let time)?): first = time
        case (nil, nil): throw end.error("DTSTART, the first date-time")
        }
        if start?.isUTC == true {
            guard timeZone ?? Self.utc == Self.utc else { throw end.error("no TZID where DTSTART is in UTC") }
            timeZone = Self.utc
        }
        var recurrence: Recurrence
        if let rule {
            recurrence = try self.recurrence(rule, first)
        } else {
            recurrence = Recurrence(frequency: .daily, start: first)
            recurrence.count = 1
        }
        if start == nil, case .typed? = implied { recurrence.start = recurrence.impliedStart(at: first) }
        let isUTC = timeZone == Self.utc
        // The properties of the rule are sorted whenever they are set, so each is set once.
        func times(_ moments: [Moment], inUTC: Bool) -> [CivilDateTime] {
            moments.filter { ($0.isUTC && !isUTC) == inUTC }.map(\.time)
        }
        guard extras.allSatisfy({ $0.isDate == (start?.isDate ?? false) }) else {
            throw end.error("RDATE in the form of DTSTART, either dates or date-times")
        }
        let dates = Set(exceptions.filter(\.isDate).map(\.time.date))
        let exceptions = exceptions.filter { !$0.isDate }
        (recurrence.exceptions, recurrence.utcExceptions) =
            (times(exceptions, inUTC: false), times(exceptions, inUTC: true))
        (recurrence.extras, recurrence.utcExtras) = (times(extras, inUTC: false), times(extras, inUTC: true))
        var schedule = CalendarSchedule(.recurrence(recurrence), timeZone: timeZone)
        schedule.exclusions = dates.sorted().map { .dates($0...$0) }
        return RecurrenceText(schedule: schedule, ignored: ignored)
    }

    // MARK: Properties

    mutating func property(_ token: Token) throws(ScheduleTextError) {
        guard let (head, value) = token.property else {
            guard Self.isRule(token.text), rule == nil else { throw token.error(Self.forms) }
            rule = token
            return
        }
        switch head[0].text.uppercased() {
        case "DTSTART":
            guard start == nil else { throw token.error("one DTSTART") }
            start = try moments(head, value, isList: false)[0]
        case "RRULE":
            guard rule == nil, head.count == 1 else { throw token.error("one RRULE, without parameters") }
            rule = value
        case "EXDATE": exceptions += try moments(head, value)
        case "RDATE": extras += try moments(head, value)
        case "EXRULE": throw head[0].error("\(Self.forms); EXRULE was removed from the standard")
        default: throw head[0].error(Self.forms)
        }
    }

    /// Returns the date-times of a property, each in the form that the property's parameters name.
    mutating func moments(
        _ head: [Token], _ value: Token, isList: Bool = true
    ) throws(ScheduleTextError) -> [Moment] {
        var isDate: Bool?
        var hasZone = false
        for parameter in head.dropFirst() {
            let pair = parameter.parts("=")
            switch (pair[0].text.uppercased(), pair.dropFirst().first?.text.uppercased()) {
            case ("VALUE", "DATE"?): isDate = true
            case ("VALUE", "DATE-TIME"?): isDate = false
            case ("VALUE", "PERIOD"?) where isList: isDate = false
            case ("TZID", _?):
                try zone(parameter.suffix(from: 5))
                hasZone = true
            case (let name, _?) where name.hasPrefix("X-"): break
            default:
                throw parameter.error("TZID=Europe/Berlin, VALUE=DATE, VALUE=DATE-TIME, or no parameter")
            }
        }
        var result: [Moment] = []
        // The date-time of a period is its start.
        for part in isList ? value.parts(",").map({ $0.parts("/")[0] }) : [value] {
            let moment = try moment(part)
            guard isDate ?? moment.isDate == moment.isDate else {
                throw part.error(isDate == true ? "a date such as 20261124" : "a date-time such as 20261124T090000")
            }
            guard !moment.isUTC || !hasZone else { throw part.error("either TZID or a date-time with Z") }
            result.append(moment)
        }
        return result
    }

    private mutating func zone(_ value: Token) throws(ScheduleTextError) {
        let quoted = value.text.count >= 2 && value.text.hasPrefix("\"") && value.text.hasSuffix("\"")
        let given = quoted ? String(value.text.dropFirst().dropLast()) : value.text
        let name =
            zoneNames[given] ?? WindowsZones.name(for: given) ?? ICalendar.zoneName(of: given) ?? given
        guard ZoneDatabase.isName(name) else {
            throw value.error(
                "a time zone of the IANA database such as Europe/Berlin, or of Windows such as W. Europe Standard Time"
                    + (definedZones.contains(given)
                        ? "; the VTIMEZONE of this name has no X-LIC-LOCATION that says which zone it is" : ""))
        }
        guard timeZone == nil || timeZone == name else { throw value.error("one time zone, here \(timeZone ?? name)") }
        timeZone = name
    }

    /// Reads `20261124T090000`, with `Z` for UTC, or `20261124`.
    private func moment(
        _ token: Token, years: ClosedRange<Int> = CivilDate.years
    ) throws(ScheduleTextError) -> Moment {
        let text = Array(token.text.utf8)
        let expected = "a date-time such as 20261124T090000, or a date such as 20261124"
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= text.count else { return nil }
            return Token(text: String(decoding: text[range], as: UTF8.self), column: 1).number
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            years.contains(year), let date = CivilDate(year: year, month: month, day: day)
        else { throw token.error(expected) }
        if text.count == 8 {
            return Moment(time: CivilDateTime(date: date, time: CivilTime(unchecked: 0)), isDate: true)
        }
        let isUTC = text.count == 16 && text[15] == UInt8(ascii: "Z")
        guard text.count == 15 || isUTC, text[8] == UInt8(ascii: "T"), let hour = number(9..<11),
            let minute = number(11..<13), let second = number(13..<15),
            let time = CivilTime(hour: hour, minute: minute, second: second)
        else { throw token.error(expected) }
        return Moment(time: CivilDateTime(date: date, time: time), isUTC: isUTC)
    }

    // MARK: The parts of the rule

    /// Checks the rule as soon as its line has been read, so that an error is reported for that line.
    func checkRule() throws(ScheduleTextError) {
        var copy = self
        if let rule { _ = try copy.recurrence(rule, CivilDateTime(localSeconds: 0)) }
    }

    private mutating func recurrence(
        _ token: Token, _ start: CivilDateTime
    ) throws(ScheduleTextError) -> Recurrence {
        var parts: [(name: String, whole: Token, value: Token)] = []
        var names: Set<String> = []
        var texts = token.parts(";")
        if texts.count > 1, texts[texts.count - 1].text.isEmpty { texts.removeLast() }
        for part in texts {
            let pair = part.parts("=")
            guard pair.count == 2, !pair[1].text.isEmpty else { throw part.error("NAME=VALUE, such as FREQ=WEEKLY") }
            let name = pair[0].text.uppercased()
            guard names.insert(name).inserted else { throw part.error("each part once") }
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
        for part in parts where part.name != "FREQ" {
            // These parts must be ignored if DTSTART is a date (RFC 5545, 3.3.10).
            if self.start?.isDate == true, ["BYHOUR", "BYMINUTE", "BYSECOND"].contains(part.name) {
                ignored.append(part.name)
            } else {
                try read(part.name, part.whole, part.value, &rule)
            }
        }
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
            let until = try moment(value, years: 1...9999)
            // If UNTIL is a date, that whole day is included.
            let last = CivilDateTime(date: until.time.date, time: CivilTime(unchecked: 86_399))
            (rule.until, rule.untilIsUTC) = (until.isDate ? last : until.time, until.isUTC)
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
                let prefix = Token(text: String(part.text.prefix { !$0.isLetter }), column: part.column)
                let weekday = try weekday(part.suffix(from: prefix.text.count))
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

    /// Refuses what the standard excludes (RFC 5545, 3.3.10), and BYSETPOS with units shorter than a day.
    private func check(_ name: String, _ part: Token, _ rule: Recurrence) throws(ScheduleTextError) {
        let isYearly = rule.frequency == .yearly
        switch name {
        case "COUNT": if rule.until != nil { throw part.error("COUNT or UNTIL, not both") }
        case "BYWEEKNO": if !isYearly { throw part.error("BYWEEKNO only with FREQ=YEARLY") }
        case "BYYEARDAY":
            if [.daily, .weekly, .monthly].contains(rule.frequency) {
                throw part.error("no BYYEARDAY with FREQ=DAILY, WEEKLY or MONTHLY")
            }
        case "BYMONTHDAY": if rule.frequency == .weekly { throw part.error("no BYMONTHDAY with FREQ=WEEKLY") }
        case "BYDAY":
            guard rule.days.contains(where: { $0.ordinal != 0 }) else { return }
            if rule.frequency != .monthly, !isYearly || !rule.weekNumbers.isEmpty {
                throw part.error(
                    "numbers before a day only with FREQ=MONTHLY, or with FREQ=YEARLY and without BYWEEKNO")
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

    static func print(_ rule: Recurrence, except dates: [CivilDate], timeZone: String?) -> String {
        func text(_ date: CivilDate) -> String { "\(padded(date.year, 4))\(padded(date.month))\(padded(date.day))" }
        func text(_ moment: CivilDateTime) -> String {
            let time = moment.time
            return "\(text(moment.date))T\(padded(time.hour))\(padded(time.minute))\(padded(time.second))"
        }
        let (parameter, suffix) =
            timeZone == utc ? ("", "Z") : (timeZone.map { ";TZID=\($0)" } ?? "", "")
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
        var lines = ["DTSTART\(parameter):\(text(rule.start))\(suffix)", "RRULE:" + parts.joined(separator: ";")]
        func line(_ name: String, _ values: [String]) {
            if !values.isEmpty { lines.append("\(name):\(values.joined(separator: ","))") }
        }
        line("EXDATE\(parameter)", rule.exceptions.map { text($0) + suffix })
        line("EXDATE", rule.utcExceptions.map { text($0) + "Z" })
        line("EXDATE;VALUE=DATE", dates.map(text))
        line("RDATE\(parameter)", rule.extras.map { text($0) + suffix })
        line("RDATE", rule.utcExtras.map { text($0) + "Z" })
        return lines.joined(separator: "\n")
    }
}

extension Recurrence {
    /// Returns the start of a rule that is typed at a date-time.
    ///
    /// It is the date-time, rounded down to the minute, or to the hour if the rule names hours and no minutes. If the
    /// rule names seconds, the date-time is not rounded.
    fileprivate func impliedStart(at now: CivilDateTime) -> CivilDateTime {
        if frequency == .secondly || !seconds.isEmpty { return now }
        let unit = hours.isEmpty || !minutes.isEmpty || frequency == .minutely ? 60 : 3600
        return CivilDateTime(date: now.date, time: CivilTime(unchecked: now.time.secondOfDay / unit * unit))
    }
}

extension Token {
    /// The places of characters outside of quotation marks, from left to right.
    private func unquoted(_ characters: Set<Character>) -> [(place: Int, character: Character)] {
        var isQuoted = false
        var places: [(place: Int, character: Character)] = []
        for (place, character) in text.enumerated() {
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted, characters.contains(character) { places.append((place, character)) }
        }
        return places
    }

    /// The name of a property of RFC 5545 with its parameters, and its value; `nil` if the text has no colon.
    var property: (head: [Token], value: Token)? {
        let marks = unquoted([":", ";"])
        guard let colon = marks.firstIndex(where: { $0.character == ":" }) else { return nil }
        let characters = Array(text)
        var head: [Token] = []
        var first = 0
        for (end, _) in marks[...colon] {
            head.append(Token(text: String(characters[first..<end]), column: column + first))
            first = end + 1
        }
        return (head, suffix(from: first))
    }
}

/// Parses cron expressions: OCPS 1.0 to 1.4 with `H`, and the dialects of other programs.
struct CronParser {
    private static let nicknames = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *", "@minutely": "* * * * *",
    ]

    private struct FieldValue {
        var bits: UInt64 = 0
        var startsWithStar = false
        /// Whether the values are hashed with a step, as in `H/15`.
        var hashesSteps = false
    }

    private let dialect: CronDialect
    private var hashed: [CalendarFields.Hashed] = []

    static func parse(_ text: String, _ dialect: CronDialect) throws(ScheduleTextError) -> CalendarSchedule {
        var tokens = Token.split(text)
        let end = Token(text: "", column: text.count + 1)
        var zone: String?
        if let first = tokens.first, let name = first.cronZone {
            guard ZoneDatabase.isName(name) else { throw first.error("an IANA time zone name") }
            zone = name
            tokens.removeFirst()
        }
        if let first = tokens.first, first.text.hasPrefix("@"), dialect.hasNicknames {
            guard tokens.count == 1 else { throw tokens[1].error("nothing after a nickname") }
            if first.text == "@reboot" {
                throw first.error("a time; @reboot is an event of the machine, not of the calendar")
            }
            guard let expression = nicknames[first.text.lowercased()] else {
                var error = first.error(nicknames.keys.sorted().joined(separator: ", "))
                let near = nicknames.keys.sorted().map { ($0, editDistance(Array($0.utf8), Array(first.text.utf8))) }
                    .min { $0.1 < $1.1 }
                if let near, near.1 <= 2 { error.suggestions = [near.0] }
                throw error
            }
            tokens = try CronDialect.standard.ordered(Token.split(expression), end)
        } else {
            if dialect == .standard { try refuseOtherDialects(tokens) }
            tokens = try dialect.ordered(tokens, end)
        }
        var parser = CronParser(dialect: dialect)
        return CalendarSchedule(.fields(try parser.fields(tokens)), timeZone: zone)
    }

    private init(dialect: CronDialect) { self.dialect = dialect }

    /// Refuses six or seven fields with `?`, and `cron(…)`, because programs read them differently.
    private static func refuseOtherDialects(_ tokens: [Token]) throws(ScheduleTextError) {
        let isWrapped = tokens.first?.text.lowercased().hasPrefix("cron(") == true
        let mark = tokens.count > 5 ? tokens.first { $0.text.contains("?") } : nil
        guard let found = isWrapped ? tokens.first : mark else { return }
        let text = tokens.map(\.text).joined(separator: " ")
        if isWrapped {
            do { _ = try parse(text, .aws) } catch {
                throw Token(text: error.found, column: error.column).error(
                    "\(error.expected), because cron( ) is of the dialect aws")
            }
        }
        var readings: [String] = []
        for dialect in CronDialect.allCases where dialect != .standard && dialect != .croniter {
            guard let printed = (try? parse(text, dialect))?.cron else { continue }
            readings.append("\(printed), which it is in the dialect \(dialect.rawValue)")
        }
        throw found.error(
            (["? only in five fields, for a day"] + readings).joined(separator: "; or "))
    }

    private mutating func fields(_ tokens: [Token]) throws(ScheduleTextError) -> CalendarFields {
        let second = try field(tokens[0], .second, 0...59)
        let minute = try field(tokens[1], .minute, 0...59)
        let hour = try field(tokens[2], .hour, 0...23)
        var days = DayRule()
        let (dayToken, dayAnd) = plus(tokens[3])
        let (weekToken, weekAnd) = plus(tokens[5])
        try dialect.checkDays(dayToken, weekToken)
        let dayStar = try monthDays(dayToken, &days)
        let month = try field(tokens[4], .month, 1...12)
        let weekStar = try weekdays(weekToken, &days)
        let both = !(dayStar || weekStar || dayAnd || weekAnd || dialect == .spring)
        days.combination = both ? .or : .and
        var years: [Int]?
        if tokens.count == 7 {
            let offset = 1970
            let value = try yearBits(tokens[6])
            years = value.map { $0.map { $0 + offset } }
        }
        let times = TimesOfDay.grid(hours: hour.bits, minutes: minute.bits, seconds: second.bits)
        var fields = CalendarFields(times: times, days: days, months: month.bits, years: years, hashed: hashed)
        // As in Vixie cron, times follow the clock if a field begins with a star, whatever values the field has.
        fields.isStepping =
            [second, minute, hour].contains(where: \.startsWithStar) || minute.hashesSteps || second.hashesSteps
        return fields
    }

    private func plus(_ token: Token) -> (Token, Bool) {
        token.text.hasPrefix("+") ? (token.suffix(from: 1), true) : (token, false)
    }

    private func yearBits(_ token: Token) throws(ScheduleTextError) -> [Int]? {
        if token.text == "*" { return nil }
        var values: [Int] = []
        for part in token.parts(",") {
            let (range, step) = try span(part, 1970...2200, "a year") { $0.number }
            values += stride(from: range.0, through: range.1, by: step).map { $0 - 1970 }
        }
        return values
    }

    private mutating func field(
        _ token: Token, _ field: CalendarFields.Field, _ limits: ClosedRange<Int>
    ) throws(ScheduleTextError) -> FieldValue {
        if isHashed(token) { return try hash(token, field, limits) }
        var value = FieldValue(startsWithStar: token.text.hasPrefix("*"))
        for part in token.parts(",") {
            let (range, step) = try span(part, limits, field.withArticle) {
                $0.number ?? (field == .month ? Names.month($0.text) : nil)
            }
            value.bits |= Self.bits(range, step, limits)
        }
        return value
    }

    /// Returns the values of a range; a range whose start is larger than its end wraps around.
    private static func bits(_ range: (Int, Int), _ step: Int, _ limits: ClosedRange<Int>) -> UInt64 {
        let end = range.0 <= range.1 ? range.1 : range.1 + limits.count
        return UInt64(
            bits: stride(from: range.0, through: end, by: step).map { $0 > limits.upperBound ? $0 - limits.count : $0 })
    }

    /// Reads `*`, `5` or `1-5`, each with or without `/step`; if `isDay`, also `?` without a step.
    private func span(
        _ part: Token, _ limits: ClosedRange<Int>, _ what: String, isDay: Bool = false, _ value: (Token) -> Int?
    ) throws(ScheduleTextError) -> (range: (Int, Int), step: Int) {
        let pieces = part.parts("/")
        guard pieces.count <= 2 else { throw pieces[2].error("one step after /") }
        // As in cron, a step past the end of the range is accepted, and the result is only the first value of the
        // range.
        let step = pieces.count == 2 ? try pieces[1].number(1...9_999, "a step") : 1
        let base = pieces[0]
        if base.text == "*" || isDay && base.text == "?" && pieces.count == 1 {
            return ((limits.lowerBound, limits.upperBound), step)
        }
        let ends = base.parts("-")
        guard ends.count <= 2 else { throw ends[2].error("a range of two values") }
        var numbers: [Int] = []
        for end in ends {
            guard let number = value(end), limits.contains(number) else {
                let values = isDay && limits.lowerBound == 0 ? "" : " from \(limits.lowerBound) to \(limits.upperBound)"
                throw end.error("\(what)\(values), a range, a list, * or /step")
            }
            numbers.append(number)
        }
        let last = ends.count == 2 ? numbers[1] : pieces.count == 2 ? limits.upperBound : numbers[0]
        if limits.lowerBound == 1970, last < numbers[0] { throw base.error("years in order") }
        return ((numbers[0], last), step)
    }

    /// Whether the value of a field is hashed from the identifier: `H` as in Jenkins, or `0~59` as in OpenBSD's cron
    /// and cronie.
    ///
    /// OpenBSD's cron and cronie choose a new value whenever they read the crontab.
    private func isHashed(_ token: Token) -> Bool {
        token.text.hasPrefix("H") || dialect == .standard && token.text.contains("~")
    }

    private mutating func hash(
        _ token: Token, _ field: CalendarFields.Field, _ limits: ClosedRange<Int>
    ) throws(ScheduleTextError) -> FieldValue {
        var (lower, upper) = (limits.lowerBound, field == .day ? 28 : limits.upperBound)
        let pieces = token.parts("/")
        guard pieces.count <= 2 else { throw pieces[2].error("one step after /") }
        let step = pieces.count == 2 ? try pieces[1].number(1...limits.upperBound, "a step") : nil
        let base = pieces[0].suffix(from: 1)
        if token.text.contains("~") {
            let ends = pieces[0].parts("~")
            guard ends.count == 2, !token.text.contains(",") else {
                throw token.error("one range of random values, such as 0~29, 0~ or 0~59/15, and no list")
            }
            upper = limits.upperBound
            if !ends[0].text.isEmpty { lower = try ends[0].number(limits, field.withArticle) }
            if !ends[1].text.isEmpty { upper = try ends[1].number(lower...limits.upperBound, field.withArticle) }
        } else if !base.text.isEmpty {
            let ends = Token(text: String(base.text.dropFirst().dropLast()), column: base.column + 1).parts("-")
            guard base.text.hasPrefix("("), base.text.hasSuffix(")"), ends.count == 2 else {
                throw token.error("H, H(1-5), H/15 or H(0-29)/10")
            }
            lower = try ends[0].number(limits, field.withArticle)
            upper = try ends[1].number(lower...max(lower, limits.upperBound), field.withArticle)
        }
        hashed.append(.init(field: field, lower: lower, upper: upper, step: step))
        return FieldValue(hashesSteps: step != nil)
    }

    /// Reads the days of the month, and returns whether the field counts as unrestricted.
    private mutating func monthDays(_ token: Token, _ days: inout DayRule) throws(ScheduleTextError) -> Bool {
        if token.text == "*" || token.text == "?" { return true }
        if isHashed(token) {
            _ = try hash(token, .day, 1...31)
            return false
        }
        for part in token.parts(",") {
            let text = part.text.uppercased()
            if text == "L" {
                days.fromEnd |= 1 << 1
            } else if text == "LW" {
                days.nearestWeekdaysFromEnd |= 1 << 1
            } else if text.hasPrefix("L-") {
                let isNearest = text.hasSuffix("W")
                let count = Token(text: String(text.dropFirst(2).dropLast(isNearest ? 1 : 0)), column: part.column + 2)
                let bit = UInt64(1) << UInt64(try count.number(1...30, "a number of days") + 1)
                if isNearest { days.nearestWeekdaysFromEnd |= bit } else { days.fromEnd |= bit }
            } else if text.hasSuffix("W") {
                let number = Token(text: String(text.dropLast()), column: part.column)
                days.nearestWeekdays |= 1 << UInt64(try number.number(1...31, "a day before W"))
            } else {
                let (range, step) = try span(part, 1...31, "a day (also L, L-3, LW, L-3W, 15W)", isDay: true) {
                    $0.number
                }
                days.monthDays |= Self.bits(range, step, 1...31)
            }
        }
        return isStar(token)
    }

    /// Returns whether a field counts as unrestricted because it begins with `*`.
    ///
    /// cron compares only the first character of the field with `*`; croniter compares the whole field. The caller has
    /// already handled a field that is only `*`.
    private func isStar(_ token: Token) -> Bool { dialect != .croniter && token.text.hasPrefix("*") }

    private mutating func weekdays(_ token: Token, _ days: inout DayRule) throws(ScheduleTextError) -> Bool {
        if token.text == "*" || token.text == "?" { return true }
        if isHashed(token) {
            _ = try hash(token, .weekday, 0...6)
            return false
        }
        // Numbers stay in cron's order, with 0 for Sunday, until the ranges are expanded.
        let numbers = dialect.weekdayNumbers
        func value(_ token: Token) -> Int? {
            if let number = token.number { return numbers.contains(number) ? number - numbers.lowerBound : nil }
            return Names.weekday(token.text).map { $0 % 7 }
        }
        let forms = "a weekday from \(numbers.lowerBound) to \(numbers.upperBound) or sun to sat"
        func single(_ token: Token) throws(ScheduleTextError) -> Int {
            guard let number = value(token) else { throw token.error(forms) }
            return number % 7 == 0 ? 7 : number
        }
        for given in token.parts(",") {
            let part = dialect.weekdayPart(given)
            let pieces = part.parts("#")
            if pieces.count == 2 {
                let weekday = try single(pieces[0])
                let number = pieces[1].text.uppercased() == "L" ? 6 : try pieces[1].number(1...5, "an ordinal")
                days.ordinals |= DayRule.ordinal(weekday, number)
            } else if part.text.count > 1, part.text.uppercased().hasSuffix("L"), !part.text.contains("/") {
                days.ordinals |= DayRule.ordinal(
                    try single(Token(text: String(part.text.dropLast()), column: part.column)), 6)
            } else {
                let limits = 0...numbers.upperBound - numbers.lowerBound
                var (range, step) = try span(part, limits, "\(forms) (also MON, 5L, FRI#2)", isDay: true, value)
                if part.text.hasPrefix("*") { range.1 = 6 }
                if range.0 == 7, range.1 != 7 { range.0 = 0 }
                let wraps = range.0 > range.1
                for bit in stride(from: range.0, through: wraps ? range.1 + 7 : range.1, by: step) {
                    days.weekdays |= 1 << UInt64(bit % 7 == 0 ? 7 : bit % 7)
                }
            }
        }
        return isStar(token)
    }
}

extension CalendarFields.Field {
    /// The name of one value of the field in a sentence, such as `an hour` or `a minute`.
    fileprivate var withArticle: String { self == .hour ? "an hour" : "a \(rawValue)" }
}

extension CalendarSchedule {
    /// Reads a cron expression, which has five, six (seconds first) or seven fields (year last), or the form of another
    /// dialect.
    ///
    /// - Parameters:
    ///   - cron: The expression; `CRON_TZ=Europe/Berlin` may precede it.
    ///   - dialect: The rules by which the fields are read.
    /// - Throws: ``ScheduleTextError`` with the column. The standard dialect refuses what the other dialects read
    ///   differently (`?` in six or seven fields); the error then contains the readings of those dialects.
    public init(cron: String, dialect: CronDialect = .standard) throws(ScheduleTextError) {
        self = try CronParser.parse(cron, dialect)
    }

    /// The schedule as a cron expression, or nil if cron cannot say it exactly.
    public var cron: String? {
        guard case .fields(let fields) = rule, from == nil, until == nil, count == nil, exclusions.isEmpty, spread == 0,
            fields.weekInterval == nil, let time = fields.gridText(.cron)
        else { return nil }
        func hash(_ field: CalendarFields.Field) -> String? {
            guard let hash = fields.hashed.first(where: { $0.field == field }) else { return nil }
            return "H(\(hash.lower)-\(hash.upper))" + (hash.step.map { "/\($0)" } ?? "")
        }
        let days = fields.days
        var monthDays = days.monthDays == 0 ? [] : [NumberSet.list(days.monthDays.setBits, range: "-")]
        monthDays += days.fromEnd.setBits.map { $0 == 1 ? "L" : "L-\($0 - 1)" }
        monthDays += days.nearestWeekdays.setBits.map { "\($0)W" }
        monthDays += days.nearestWeekdaysFromEnd.setBits.map { $0 == 1 ? "LW" : "L-\($0 - 1)W" }
        let weekdayBits = days.weekdays.has(7) ? days.weekdays & ~(1 << 7) | 1 : days.weekdays
        var weekdays = weekdayBits == 0 ? [] : [NumberSet.list(weekdayBits.setBits, range: "-")]
        weekdays += days.ordinals.setBits.map { "\(($0 / 8 + 1) % 7)" + ($0 % 8 == 6 ? "L" : "#\($0 % 8)") }
        var day = hash(.day) ?? monthDays.joined(separator: ",")
        var weekday = hash(.weekday) ?? weekdays.joined(separator: ",")
        if !day.isEmpty, !weekday.isEmpty, days.combination == .and { weekday = "+" + weekday }
        if day.isEmpty { day = "*" }
        if weekday.isEmpty { weekday = "*" }
        let month =
            fields.months == CalendarFields.allMonths ? "*" : NumberSet.list(fields.months.setBits, range: "-")
        var parts = [hash(.minute) ?? time.minute, hash(.hour) ?? time.hour, day, hash(.month) ?? month, weekday]
        let second = hash(.second) ?? time.second
        if second != "0" || fields.years != nil { parts.insert(second, at: 0) }
        if let years = fields.years { parts.append(NumberSet.list(years, range: "-")) }
        if let timeZone { parts.insert("CRON_TZ=\(timeZone)", at: 0) }
        return parts.joined(separator: " ")
    }
}

/// The two notations that write times as fields.
enum FieldNotation {
    case cron
    case calendar
}

extension CalendarFields {
    /// Returns the fields of the times, or nil if the times form no grid, or if the notation cannot express whether
    /// they follow the clock.
    func gridText(_ notation: FieldNotation) -> (hour: String, minute: String, second: String)? {
        guard case .grid(let hours, let minutes, let seconds) = times else { return nil }
        let everyHour = hours == TimesOfDay.allHours
        let plain = (values(hours, notation), values(minutes, notation), values(seconds, notation))
        let hashSteps = hashed.contains { $0.step != nil && ($0.field == .minute || $0.field == .second) }
        switch notation {
        case .calendar:
            // In an event of systemd, times that are the same in every hour always follow the clock.
            guard isStepping else { return everyHour ? nil : plain }
            let (minuteSteps, secondSteps) = (steps(minutes, notation), steps(seconds, notation))
            guard everyHour || minuteSteps ?? secondSteps != nil || hashSteps else { return nil }
            return (everyHour ? "*" : plain.0, minuteSteps ?? plain.1, secondSteps ?? plain.2)
        case .cron:
            guard isStepping else { return plain }
            var text = (
                hour: star(hours, 24) ?? plain.0, minute: steps(minutes, notation) ?? plain.1,
                second: steps(seconds, notation) ?? plain.2
            )
            if [text.hour, text.minute, text.second].contains(where: { $0.hasPrefix("*") }) || hashSteps {
                return text
            }
            // `*/60` matches only 0. It is printed so that the field begins with a star and the times therefore follow
            // the clock.
            if minutes.has(0) {
                text.minute = starred(minutes, 60)
            } else if hours.has(0) {
                text.hour = starred(hours, 24)
            } else if seconds.has(0) {
                text.second = starred(seconds, 60)
            } else {
                return nil
            }
            return text
        }
    }

    /// The values as `*` or `*/5`; nil if neither can express them.
    private func star(_ bits: UInt64, _ count: Int) -> String? {
        if bits.nonzeroBitCount == count { return "*" }
        guard let (first, step, last) = NumberSet.progression(bits.setBits), first == 0, last + step >= count else {
            return nil
        }
        return "*/\(step)"
    }

    private func starred(_ bits: UInt64, _ count: Int) -> String {
        (["*/\(count)"] + (bits == 1 ? [] : [NumberSet.list((bits & ~1).setBits, range: "-")])).joined(separator: ",")
    }

    private func values(_ bits: UInt64, _ notation: FieldNotation) -> String {
        notation == .cron
            ? NumberSet.list(bits.setBits, range: "-") : NumberSet.list(bits.setBits, range: "..") { padded($0) }
    }

    private func steps(_ bits: UInt64, _ notation: FieldNotation) -> String? {
        if bits == TimesOfDay.allSixty { return "*" }
        guard let (first, step, last) = NumberSet.progression(bits.setBits) else { return nil }
        let open = last + step > 59
        if notation == .cron { return first == 0 && open ? "*/\(step)" : "\(first)-\(last)/\(step)" }
        return open ? "\(padded(first))/\(step)" : "\(padded(first))..\(padded(last))/\(step)"
    }
}

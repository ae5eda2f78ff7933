/// Reads the tokens of a phrase from left to right, by the meanings of a language.
struct PhraseReader {
    let text: String
    let vocabulary: Vocabulary
    let tokens: [PhraseToken]
    var index = 0

    init(_ text: String, tokens: [PhraseToken]? = nil, vocabulary: Vocabulary? = nil) {
        let tokens = tokens ?? PhraseToken.split(text)
        (self.text, self.tokens) = (text, tokens)
        self.vocabulary = vocabulary ?? Vocabulary.of(tokens)
    }

    /// The next token; at the end one without text.
    var next: PhraseToken { tokens[index] }

    var isAtEnd: Bool { next.kind == .end }

    func ahead(_ count: Int) -> PhraseToken { tokens[min(max(index + count, 0), tokens.count - 1)] }

    mutating func skip(_ count: Int = 1) { index = min(index + count, tokens.count - 1) }

    /// Reads by a function, or nothing at all if it throws.
    func attempt<Value>(_ body: (inout PhraseReader) throws -> Value) -> (value: Value, index: Int)? {
        var copy = self
        guard let value = try? body(&copy) else { return nil }
        return (value, copy.index)
    }

    // MARK: Meanings

    func senses(_ token: PhraseToken) -> [Vocabulary.Sense] {
        token.kind == .word ? vocabulary.senses[token.lower] ?? [] : []
    }

    func has(_ meaning: Meaning, ahead count: Int = 0) -> Bool {
        senses(ahead(count)).contains { $0.meaning == meaning }
    }

    /// The first meaning of the next word for which a function has a value.
    func value<Value>(ahead count: Int = 0, _ body: (Vocabulary.Sense) -> Value?) -> Value? {
        for sense in senses(ahead(count)) { if let value = body(sense) { return value } }
        return nil
    }

    mutating func take(_ meanings: Meaning...) -> Bool {
        guard meanings.contains(where: { has($0) }) else { return false }
        skip()
        return true
    }

    mutating func takeValue<Value>(_ body: (Vocabulary.Sense) -> Value?) -> Value? {
        guard let value = value(body) else { return nil }
        skip()
        return value
    }

    func isSymbol(_ character: String, ahead count: Int = 0, glued: Bool = false) -> Bool {
        let token = ahead(count)
        return token.kind == .symbol && token.text == character && (!glued || token.isGlued)
    }

    mutating func takeSymbol(_ character: String, glued: Bool = false) -> Bool {
        guard isSymbol(character, glued: glued) else { return false }
        skip()
        return true
    }

    /// Reads what separates the members of a list: a comma, *and*, or both.
    mutating func takeSeparator() -> Bool {
        let comma = takeSymbol(",")
        return take(.and) || takeSymbol("&") || comma
    }

    /// Reads one or more members. A separator before another part of the phrase is not read.
    mutating func list<Member>(
        _ member: (inout PhraseReader) throws(ScheduleTextError) -> Member
    ) throws(ScheduleTextError) -> [Member] {
        var members = [try member(&self)]
        while true {
            var rest = self
            guard rest.takeSeparator() else { return members }
            let beginsAnotherClause = rest.beginsAnotherClause
            do throws(ScheduleTextError) { members.append(try member(&rest)) } catch {
                if beginsAnotherClause { return members }
                throw error
            }
            self = rest
        }
    }

    /// Whether what follows a separator is another part of the schedule: `at 9:00 and on sundays`.
    private var beginsAnotherClause: Bool {
        [.at, .on, .every, .inside, .from, .between, .since, .until, .except].contains { has($0) }
    }

    // MARK: Errors

    /// The text from a token to the next space or comma.
    func chunk(_ token: PhraseToken) -> String {
        let rest = text.utf8.dropFirst(token.range.lowerBound)
        return String(
            decoding: rest.prefix { $0 != 0x20 && $0 != 0x2C && $0 != 0x09 && $0 != 0x0A }, as: UTF8.self)
    }

    func error(
        _ expected: String, at token: PhraseToken? = nil, readings: [String] = [], candidates: [String] = []
    ) -> ScheduleTextError {
        let token = token ?? next
        let before = String(decoding: text.utf8.prefix(token.range.lowerBound), as: UTF8.self)
        return ScheduleTextError(
            column: before.count + 1, found: chunk(token), expected: expected, understood: before.trimmingWhitespace,
            readings: readings, candidates: candidates)
    }

    // MARK: Numbers

    /// Reads a number in digits or as a word.
    mutating func count() -> Int? {
        if let number = next.number {
            skip()
            return number
        }
        return takeValue { if case .number(let number) = $0.meaning { number } else { nil } }
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

    /// Reads `1st`, `first` or `last`, which is −1; nil if the next token is none of these.
    mutating func ordinal() throws(ScheduleTextError) -> (value: Int, isWord: Bool)? {
        if let value = takeValue({ if case .ordinal(let number) = $0.meaning { number } else { nil } }) {
            return (value, true)
        }
        guard let number = next.number else { return nil }
        let after = ahead(1)
        guard after.isGlued, after.kind != .number else { return nil }
        if vocabulary.ordinalSuffixes.isEmpty {
            guard ["st", "nd", "rd", "th"].contains(after.lower) else { return nil }
            guard after.lower == Self.suffix(of: number) else {
                throw error("\(number)\(Self.suffix(of: number)), or another day such as 22nd or last")
            }
        } else if !vocabulary.ordinalSuffixes.contains(after.lower) || after.kind == .symbol && ahead(2).isGlued {
            return nil
        }
        skip(2)
        return (number, false)
    }

    // MARK: Zones

    /// Reads `UTC` or a name with a slash, and after *in* any name, in which case a name must follow.
    mutating func zone(afterIn: Bool = false) throws(ScheduleTextError) -> String? {
        if ["utc", "gmt"].contains(next.lower), !isSymbol("/", ahead: 1, glued: true) {
            defer { skip() }
            return next.lower.uppercased()
        }
        let name = chunk(next)
        guard ZoneDatabase.isName(name), afterIn || name.contains("/") else {
            guard afterIn else { return nil }
            throw error("a time zone such as Europe/Berlin")
        }
        skip(chunk: name)
        return name
    }

    private mutating func skip(chunk: String) {
        let end = next.range.lowerBound + chunk.utf8.count
        while !isAtEnd, next.range.lowerBound < end { skip() }
    }

    // MARK: Days of the week and months

    static let weekdayForms = "weekdays such as monday,thursday or mon-fri"

    /// Reads `monday`, `mon-fri`, `monday to friday`, `weekdays`, as bits.
    mutating func weekdays() throws(ScheduleTextError) -> (bits: UInt64, isPlural: Bool) {
        func day(_ sense: Vocabulary.Sense) -> (UInt64, Bool)? {
            switch sense.meaning {
            case .workday: (CalendarFields.workdays, sense.isPlural)
            case .weekend: (CalendarFields.weekend, sense.isPlural)
            default: nil
            }
        }
        func weekday(_ sense: Vocabulary.Sense) -> (Int, Bool)? {
            if case .weekday(let number) = sense.meaning { (number, sense.isPlural) } else { nil }
        }
        _ = take(.the)
        if let set = takeValue(day) { return set }
        guard let first = takeValue(weekday) else { throw error(Self.weekdayForms) }
        var rest = self
        let dots = rest.isSymbol(".") && rest.isSymbol(".", ahead: 1, glued: true)
        if dots { rest.skip(2) }
        guard dots || rest.takeSymbol("-") || rest.takeSymbol("–") || rest.take(.to, .until) else {
            return (1 << UInt64(first.0), first.1)
        }
        guard let last = rest.takeValue(weekday) else {
            // `monday until …` is the end of the schedule, and `lundi à …` the time.
            if has(.until) || has(.at) { return (1 << UInt64(first.0), first.1) }
            throw rest.error(Self.weekdayForms)
        }
        self = rest
        let days = first.0...(last.0 < first.0 ? last.0 + 7 : last.0)
        return (UInt64(bits: days.map { ($0 - 1) % 7 + 1 }), first.0 != last.0)
    }

    var beginsWeekdays: Bool {
        value { sense in
            switch sense.meaning {
            case .workday, .weekend, .weekday: true
            default: nil
            }
        } ?? false
    }

    func month(ahead count: Int = 0) -> Int? {
        value(ahead: count) { if case .month(let month) = $0.meaning { month } else { nil } }
    }

    /// Reads `january`, `january and july`, `june to august`, as bits.
    mutating func months() throws(ScheduleTextError) -> UInt64 {
        try list { reader throws(ScheduleTextError) in
            guard let first = reader.month() else { throw reader.error("a month") }
            reader.skip()
            guard reader.isSymbol("-") || reader.has(.to), let last = reader.month(ahead: 1) else {
                return 1 << UInt64(first)
            }
            reader.skip(2)
            return UInt64(bits: (first...(last < first ? last + 12 : last)).map { ($0 - 1) % 12 + 1 })
        }.reduce(0, |)
    }
}

extension String {
    /// The text without white space around it.
    var trimmingWhitespace: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

extension CalendarFields {
    static let workdays = UInt64(bits: 1...5)
    static let weekend = UInt64(bits: 6...7)
}

// MARK: - Times of day

/// A time of day as it is typed.
struct DayTime: Hashable, Sendable {
    var second: Int
    var nanosecond = 0
}

extension PhraseReader {
    static let timeForms = "a time of day such as 9:00, 17:30:15, 9am, 5:30 pm, noon or midnight"

    /// Whether a time of day follows that needs no *at*: `9:00`, `9am`, `noon`.
    var beginsTime: Bool {
        if next.kind == .number {
            return isSymbol(":", ahead: 1) && ahead(2).kind == .number || attempt { try $0.time(bare: false) } != nil
        }
        return timeWord != nil
    }

    private var timeWord: Int? {
        value { if case .timeOfDay(let second) = $0.meaning { second } else { nil } }
    }

    /// Reads a time of day.
    ///
    /// A number alone is an hour only after *at*, and only if it is one hour of a day: 0 and 8 to 23. Without am or pm,
    /// 1 to 7 are as often meant after noon as before it.
    mutating func time(bare: Bool) throws(ScheduleTextError) -> DayTime {
        let start = next
        func wrong(_ expected: String = Self.timeForms, _ readings: [String] = []) -> ScheduleTextError {
            error(expected, at: start, readings: readings)
        }
        if let second = timeWord {
            skip()
            return DayTime(second: second)
        }
        if next.number == 12,
            let second = value(
                ahead: 1,
                { sense -> Int? in
                    if case .timeOfDay(let second) = sense.meaning, second != 57_600 { second } else { nil }
                })
        {
            skip(2)
            return DayTime(second: second)
        }
        guard let first = next.number else { throw wrong() }
        let digits = next.text.utf8.count
        skip()
        var (hour, minute, second, nanosecond) = (first, 0, 0, 0)
        var isClock = false
        if isSymbol(":"), ahead(1).kind == .number {
            (minute, isClock) = (try twoDigits("minutes", start), true)
            if isSymbol(":", glued: true) {
                second = try twoDigits("seconds", start)
                if isSymbol(".", glued: true), ahead(1).kind == .number, ahead(1).isGlued {
                    skip()
                    nanosecond = Self.nanoseconds(next.text)
                    skip()
                }
            }
        } else if vocabulary.language == "de", isSymbol(".", glued: true), ahead(1).text.utf8.count == 2,
            ahead(1).number != nil, ahead(2).lower == "uhr"
        {
            (minute, isClock) = (try twoDigits("minutes", start), true)
        } else if digits == 4 {
            guard bare else { throw wrong() }
            (hour, minute, isClock) = (first / 100, first % 100, true)
        }
        guard isClock || digits <= 2, hour < 100 else { throw wrong() }
        guard minute < 60, second < 60 else { throw wrong("minutes and seconds from 00 to 59") }
        let isMarked = (!isClock || vocabulary.language == "de") && take(.hourMark)
        if isMarked {
            isClock = isClock || vocabulary.language != "en"
            // `9h30`, `9 Uhr 30`.
            if vocabulary.language != "en", minute == 0, next.text.utf8.count == 2, let number = next.number,
                number < 60, !isSymbol(":", ahead: 1)
            {
                minute = number
                skip()
            }
        }
        if let half = takeHalf() {
            guard (1...12).contains(hour) else { throw wrong("an hour from 1 to 12 before am or pm") }
            hour = hour % 12 + half
        } else if let part = takeDayPart() {
            guard (1...11).contains(hour) || hour == 12 && part == 12 else {
                throw wrong("an hour from 1 to 11 before the part of the day")
            }
            hour = hour % 12 + part
        } else if !isClock {
            guard bare || isMarked else { throw wrong("am, pm or minutes after \(hour), as in \(hour):00") }
            guard !(1...7).contains(hour) else {
                throw wrong(
                    "\(hour):00 or \(hour + 12):00; \(hour) alone can be either", ["\(hour):00", "\(hour + 12):00"])
            }
        }
        guard let time = CivilTime(hour: hour, minute: minute, second: second) else {
            throw wrong("a time of day with an hour from 0 to 23, such as 9:00, 17:30:15, 9am, noon or midnight")
        }
        return DayTime(second: time.secondOfDay, nanosecond: nanosecond)
    }

    private mutating func twoDigits(_ what: String, _ start: PhraseToken) throws(ScheduleTextError) -> Int {
        skip()
        guard next.text.utf8.count == 2, let number = next.number else {
            throw error("two digits of \(what), as in 9:05", at: start)
        }
        skip()
        return number
    }

    /// The digits after a decimal point as nanoseconds of a second; digits after the ninth are dropped.
    static func nanoseconds(_ digits: String) -> Int {
        let digits = Array(digits.utf8.prefix(9))
        return (0..<9).reduce(0) { $0 * 10 + ($1 < digits.count ? Int(digits[$1]) - 0x30 : 0) }
    }

    /// Reads `am`, `p.m.`.
    private mutating func takeHalf() -> Int? {
        if let half = takeValue({ if case .meridiem(let half) = $0.meaning { half } else { nil } }) { return half }
        guard vocabulary.language == "en", ["a", "p"].contains(next.lower), isSymbol(".", ahead: 1, glued: true),
            ahead(2).lower == "m"
        else { return nil }
        let half = next.lower == "a" ? 0 : 12
        skip(3)
        _ = takeSymbol(".", glued: true)
        return half
    }

    /// Reads `in the morning`.
    private mutating func takeDayPart() -> Int? {
        guard has(.inside), has(.the, ahead: 1) else { return nil }
        var rest = self
        rest.skip(2)
        let part: Int? = rest.takeValue { if case .dayPart(let later) = $0.meaning, later <= 12 { later } else { nil } }
        if part != nil { self = rest }
        return part
    }

    /// Reads `at 9:00 and 17:00`, after its *at*. A number alone may stand in it.
    mutating func times(bare: Bool) throws(ScheduleTextError) -> [DayTime] {
        try list { reader throws(ScheduleTextError) in
            _ = reader.take(.at)
            return try reader.time(bare: bare)
        }
    }
}

// MARK: - Dates

/// A day as it is typed.
enum PhraseDay: Hashable, Sendable {
    /// So many days after today.
    case relative(Int)
    /// The next such day; with *next* before it never today.
    case weekday(Int, isNext: Bool)
    /// Today or one of the six days after it.
    case thisWeekday(Int)
    case date(CivilDate)
    /// A date without its year: the next one.
    case yearly(month: Int, day: Int)
    /// One unit from now: `next week`.
    case following(SpanUnit)

    /// The date, for a phrase of which today counts.
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

    /// Reads a day: `tomorrow`, `next friday`, `24 december 2026`, `2026-12-24`, `24.12.2026`. Nil if none follows.
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

    /// The year after a day and a month, if one follows.
    private mutating func named(
        month: Int, day: Int, _ start: PhraseToken
    ) throws(ScheduleTextError) -> PhraseDay {
        let name = Names.months[month - 1]
        // 2028 has all days of all years.
        guard (1...CivilDate.days(inMonth: month, year: 2028)).contains(day) else {
            throw error("a day that \(name) has", at: start)
        }
        guard let year = next.number, !isSymbol(":", ahead: 1), !has(.meridiem(0), ahead: 1),
            !has(.meridiem(12), ahead: 1), !has(.hourMark, ahead: 1)
        else { return .yearly(month: month, day: day) }
        guard next.text.utf8.count == 4, CivilDate.years.contains(year), year >= 1970 else {
            throw error("a year of four digits, or a time such as 18:00")
        }
        guard let date = CivilDate(year: year, month: month, day: day) else {
            throw error("a day that \(name) \(year) has", at: start)
        }
        skip()
        return .date(date)
    }

    /// Reads a date in digits: year-month-day or day.month.year. Other orders are refused, because they are read
    /// differently in different countries.
    private mutating func numeric() throws(ScheduleTextError) -> PhraseDay? {
        let (start, first) = (next, next.number ?? 0)
        let separator = ahead(1)
        guard separator.isGlued, ["-", ".", "/"].contains(separator.text), let second = ahead(2).number,
            ahead(2).isGlued
        else { return nil }
        let third = isSymbol(separator.text, ahead: 3, glued: true) && ahead(4).isGlued ? ahead(4).number : nil
        switch separator.text {
        case "/":
            let year = third ?? 0
            guard third != nil else { return nil }
            let full = year < 100 ? 2000 + year : year
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

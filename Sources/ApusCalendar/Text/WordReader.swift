/// Reads the words of a schedule from left to right. Commas are words of their own.
struct WordReader {
    private let tokens: [Token]
    private let end: Int
    private var index = 0

    init(_ text: String) {
        end = text.count + 1
        tokens = Token.split(text).flatMap { token in
            var result: [Token] = []
            for part in token.parts(",") {
                if part.column > token.column { result.append(Token(text: ",", column: part.column - 1)) }
                if !part.text.isEmpty { result.append(part) }
            }
            return result
        }
    }

    /// The next word, empty at the end.
    var next: Token {
        index < tokens.count ? tokens[index] : Token(text: "", column: end)
    }

    var isAtEnd: Bool { index == tokens.count }

    mutating func skip() { index += 1 }

    /// Reads the next word if it is one of these.
    mutating func take(_ words: String...) -> Bool {
        guard words.contains(next.text.lowercased()) else { return false }
        skip()
        return true
    }

    mutating func require(_ word: String, _ expected: String) throws(ScheduleTextError) {
        if !take(word) { throw next.error(expected) }
    }

    /// Reads what separates the members of a list: a comma, `and`, or both.
    mutating func takeSeparator() -> Bool {
        let comma = take(",")
        return take("and") || comma
    }

    /// Reads one or more members.
    mutating func list<Member>(
        _ member: (inout WordReader) throws(ScheduleTextError) -> Member
    ) throws(ScheduleTextError) -> [Member] {
        var members = [try member(&self)]
        while takeSeparator() { members.append(try member(&self)) }
        return members
    }

    // MARK: Times and dates

    static let timeForms = "a time of day such as 9:00, 17:30:15, 9am, 5:30 pm, noon or midnight"

    /// Reads a time of day, as seconds since midnight.
    mutating func time() throws(ScheduleTextError) -> Int {
        let token = next
        if take("noon") { return 43_200 }
        if take("midnight") { return 0 }
        var text = token.text.lowercased()
        var half = ["am", "pm"].first { text.hasSuffix($0) }
        if half != nil { text.removeLast(2) }
        let parts = Token(text: text, column: token.column).parts(":")
        guard (1...3).contains(parts.count) else { throw token.error(Self.timeForms) }
        var numbers: [Int] = []
        for part in parts {
            guard let number = part.number, part.text.count <= 2 else { throw token.error(Self.timeForms) }
            numbers.append(number)
        }
        skip()
        if half == nil { half = take("am") ? "am" : take("pm") ? "pm" : nil }
        // A number alone is no time of day.
        guard half != nil || numbers.count > 1 else { throw token.error(Self.timeForms) }
        if let half {
            guard (1...12).contains(numbers[0]) else { throw token.error("an hour from 1 to 12 before am or pm") }
            numbers[0] = numbers[0] % 12 + (half == "pm" ? 12 : 0)
        }
        numbers += [0, 0]
        guard let time = CivilTime(hour: numbers[0], minute: numbers[1], second: numbers[2]) else {
            throw token.error(Self.timeForms)
        }
        return time.secondOfDay
    }

    /// Reads `2026-12-24`.
    mutating func date() throws(ScheduleTextError) -> CivilDate {
        let token = next
        let parts = token.parts("-")
        guard parts.count == 3, let year = parts[0].number, let month = parts[1].number, let day = parts[2].number,
            CivilDate.years.contains(year), let date = CivilDate(year: year, month: month, day: day)
        else { throw token.error("a date such as 2026-12-24") }
        skip()
        return date
    }

    // MARK: Days

    static let weekdayForms = "weekdays such as monday,thursday or mon-fri"

    /// Reads `monday`, or `mon-fri`, as bits.
    mutating func weekdays() throws(ScheduleTextError) -> UInt64 {
        let token = next
        let ends = token.parts("-")
        guard ends.count <= 2, let first = Names.weekday(ends[0].text.withoutPlural),
            let last = Names.weekday(ends[ends.count - 1].text.withoutPlural)
        else { throw token.error(Self.weekdayForms) }
        skip()
        return UInt64(bits: (first...(last < first ? last + 7 : last)).map { ($0 - 1) % 7 + 1 })
    }

    /// Reads `weekdays`, `weekends`, or a list of weekdays, as bits.
    mutating func weekdaySet() throws(ScheduleTextError) -> UInt64 {
        if take("weekday", "weekdays") { return WordsParser.workdays }
        if take("weekend", "weekends") { return WordsParser.weekend }
        return try list { reader throws(ScheduleTextError) in try reader.weekdays() }.reduce(0, |)
    }

    /// Reads `1st`, `22nd` or `last`, the latter as nil.
    mutating func ordinal(_ range: ClosedRange<Int>, _ expected: String) throws(ScheduleTextError) -> Int? {
        if take("last") { return nil }
        let token = next
        let suffix = String(token.text.lowercased().suffix(2))
        guard let number = Token(text: String(token.text.dropLast(2)), column: token.column).number,
            range.contains(number), suffix == WordsParser.suffix(of: number)
        else { throw token.error(expected) }
        skip()
        return number
    }
}

extension String {
    /// `mondays` is `monday`.
    fileprivate var withoutPlural: String {
        lowercased().hasSuffix("days") ? String(dropLast()) : self
    }
}

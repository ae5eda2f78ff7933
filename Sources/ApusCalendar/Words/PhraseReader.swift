/// Reads the tokens of a phrase from left to right, by the meanings of a language.
struct PhraseReader {
    let text: String
    let vocabulary: Vocabulary
    let tokens: [PhraseToken]
    /// The part of the day of the whole phrase, as in `every friday afternoon at 4`; nil if it has none, or several.
    private(set) var dayPart: DayPart?
    var index = 0

    init(_ text: String) {
        (self.text, tokens) = (text, PhraseToken.split(text))
        vocabulary = Vocabulary.of(tokens)
        let parts = tokens.indices.compactMap { index -> DayPart? in
            // In `at 4 in the afternoon`, the part of the day belongs to one time, not to the whole phrase.
            var before = self
            before.index = index
            while before.index > 0, ([.the] + dayPartLinks).contains(where: { before.has($0, ahead: -1) }) {
                before.index -= 1
            }
            if isInLimit(index) { return nil }
            let isOfTime = before.ahead(-1).kind == .number || before.has(.hourMark, ahead: -1)
            return isOfTime && (before.index < index || vocabulary.language != "en")
                ? nil : value(ahead: index, Self.dayPart)
        }
        if Set(parts).count == 1 { dayPart = parts[0] }
    }

    /// The next token; at the end, a token without text.
    var next: PhraseToken { tokens[index] }

    var isAtEnd: Bool { next.kind == .end }

    func ahead(_ count: Int) -> PhraseToken { tokens[min(max(index + count, 0), tokens.count - 1)] }

    mutating func skip(_ count: Int = 1) { index = min(index + count, tokens.count - 1) }

    /// Returns the value that a function reads, and the index after it; nil if the function throws.
    ///
    /// The function gets a copy, so that this reader does not move.
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

    /// The connectives between a time and its part of the day: `4 in the afternoon`, `8 Uhr am Abend`.
    var dayPartLinks: [Meaning] { [.inside, .at, .of] + (vocabulary.language == "en" ? [] : [.on]) }

    /// Whether the token at an index is in a limit, as `evening` in `starting friday evening`.
    func isInLimit(_ index: Int) -> Bool {
        let limits: [Meaning] = [.since, .until, .except, .not]
        for index in tokens[..<index].indices.reversed() {
            let meanings = senses(tokens[index]).map(\.meaning)
            if meanings.contains(.at) || meanings.contains(.every) { return false }
            guard meanings.contains(where: limits.contains) else { continue }
            // In `Montag bis Freitag`, *bis* is no limit.
            let isRange =
                meanings.contains(.to) && index > 0
                && senses(tokens[index - 1]).contains { if case .weekday = $0.meaning { true } else { false } }
            if !isRange { return true }
        }
        return false
    }

    /// Returns the first value that a function returns for a meaning of the next word, or of the word `count` tokens
    /// later.
    func value<Value>(ahead count: Int = 0, _ body: (Vocabulary.Sense) -> Value?) -> Value? {
        for sense in senses(ahead(count)) { if let value = body(sense) { return value } }
        return nil
    }

    mutating func take(_ meanings: Meaning...) -> Bool {
        guard meanings.contains(where: { has($0) }) else { return false }
        skip()
        return true
    }

    static func dayPart(_ sense: Vocabulary.Sense) -> DayPart? {
        if case .dayPart(let part) = sense.meaning { part } else { nil }
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

    /// Reads a separator of the members of a list, and returns whether there was one: a comma, *and*, or both.
    mutating func takeSeparator() -> Bool {
        let comma = takeSymbol(",")
        return take(.and) || takeSymbol("&") || comma
    }

    /// Reads the members of a list, of which there is at least one.
    ///
    /// A separator before another part of the phrase is not read.
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

    /// Whether the next word, after a separator, begins another part of the schedule: `on` in `at 9:00 and on sundays`.
    private var beginsAnotherClause: Bool {
        [.at, .on, .every, .inside, .from, .between, .since, .until, .except].contains { has($0) }
    }

    // MARK: Errors

    /// The text from a token to the next space or comma.
    func chunk(_ token: PhraseToken) -> String {
        let rest = text.utf8.dropFirst(token.range.lowerBound)
        return String(
            decoding: rest.prefix { $0 > 0x20 && $0 != 0x2C }, as: UTF8.self)
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

    /// Reads `1st`, `first` or `last`; nil if the next token is none of these.
    ///
    /// The value of `last` is −1.
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

    /// Reads the name of a zone: `UTC`, `GMT` or a name with a slash.
    ///
    /// After *in*, a name must follow, and may lack a slash.
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
            // In `monday until …`, the end of the schedule follows. In `lundi à …`, a time of day follows.
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
    package var trimmingWhitespace: String {
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

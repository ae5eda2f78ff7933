/// The rules by which the fields of a cron expression are read, because programs differ in them.
public enum CronDialect: String, Sendable, Hashable, Codable, CaseIterable {
    /// Five fields, six with the seconds first, or seven with the year last; days of the week are 0 to 7 from Sunday.
    case standard
    /// Quartz: the seconds first, and the year last if there are seven fields.
    ///
    /// Days of the week are 1 to 7 from Sunday, and exactly one of the two day fields is `?`.
    case quartz
    /// Amazon EventBridge: six fields, the minutes first and the year last, with or without `cron(…)` around them.
    ///
    /// Days of the week are 1 to 7 from Sunday, and exactly one of the two day fields is `?`. EventBridge's rules are
    /// in UTC.
    case aws
    /// Spring: six fields, seconds first; both day fields must match.
    case spring
    /// croniter: five fields, then the seconds, then the year.
    ///
    /// The last Friday is `L5`. Only a day field that is `*` and nothing else leaves the days unrestricted.
    case croniter

    var hasNicknames: Bool { self != .quartz && self != .aws }

    var weekdayNumbers: ClosedRange<Int> { self == .quartz || self == .aws ? 1...7 : 0...7 }

    /// Returns the fields in the order of the standard, with a field for the seconds.
    func ordered(_ given: [Token], _ end: Token) throws(ScheduleTextError) -> [Token] {
        var tokens = given
        if self == .aws, let first = tokens.first, let last = tokens.last, first.text.lowercased().hasPrefix("cron("),
            last.text.hasSuffix(")")
        {
            tokens[tokens.count - 1].text.removeLast()
            tokens[0] = tokens[0].suffix(from: 5)
            if tokens[0].text.isEmpty { tokens.removeFirst() }
            if tokens.last?.text.isEmpty == true { tokens.removeLast() }
        }
        let (counts, forms) = accepted
        guard counts.contains(tokens.count) else {
            throw (tokens.count > counts.upperBound ? tokens[counts.upperBound] : end).error(forms)
        }
        let zero = Token(text: "0", column: 1)
        switch self {
        case .standard, .quartz, .spring: return tokens.count == 5 ? [zero] + tokens : tokens
        case .aws: return [zero] + tokens
        case .croniter:
            let second = tokens.count > 5 ? tokens.remove(at: 5) : zero
            return [second] + tokens
        }
    }

    private var accepted: (counts: ClosedRange<Int>, forms: String) {
        switch self {
        case .standard: (5...7, "5 fields (minute hour day month weekday), 6 (second first) or 7 (year last)")
        case .quartz: (6...7, "6 fields (second minute hour day month weekday) or 7 (year last)")
        case .aws: (6...6, "6 fields (minute hour day month weekday year)")
        case .spring: (6...6, "6 fields (second minute hour day month weekday)")
        case .croniter: (5...7, "5 fields (minute hour day month weekday), 6 (second last) or 7 (year last)")
        }
    }

    /// Checks that exactly one of the two day fields is `?`, as Quartz and EventBridge require.
    func checkDays(_ day: Token, _ weekday: Token) throws(ScheduleTextError) {
        guard self == .quartz || self == .aws, (day.text == "?") == (weekday.text == "?") else { return }
        throw weekday.error("? in exactly one of the two fields for days")
    }

    /// Returns one element of a day-of-week field in the notation of the standard dialect.
    func weekdayPart(_ part: Token) -> Token {
        let text = part.text.uppercased()
        if self == .croniter, text.hasPrefix("L"), text.count > 1 {
            return Token(text: String(part.text.dropFirst()) + "L", column: part.column)
        }
        // `L` alone is the last day of the week, Saturday.
        if self == .quartz || self == .aws, text == "L" { return Token(text: "7", column: part.column) }
        return part
    }
}

extension Token {
    /// The value after `CRON_TZ=` or `TZ=`; nil if the token has neither of these prefixes.
    var cronZone: String? {
        ["CRON_TZ=", "TZ="].first { text.hasPrefix($0) }.map { String(text.dropFirst($0.count)) }
    }
}

/// A day of the week; the raw values are those of ISO 8601.
public enum Weekday: Int, Sendable, Hashable, CaseIterable, Codable {
    /// Monday, the first day of an ISO week.
    case monday = 1
    /// Tuesday.
    case tuesday
    /// Wednesday.
    case wednesday
    /// Thursday.
    case thursday
    /// Friday.
    case friday
    /// Saturday.
    case saturday
    /// Sunday, the last day of an ISO week.
    case sunday

    /// The English name in lower case.
    public var name: String { Names.weekdays[rawValue - 1] }
}

/// The English names that the four notations share.
enum Names {
    static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ]

    /// Reads a weekday: the full name or its first three letters.
    static func weekday(_ text: some StringProtocol) -> Int? {
        let text = text.lowercased()
        if text == "tues" { return 2 }
        if text == "thur" || text == "thurs" { return 4 }
        return weekdays.firstIndex { $0 == text || $0.prefix(3) == text }.map { $0 + 1 }
    }

    /// Reads a month: the full name or its first three letters.
    static func month(_ text: some StringProtocol) -> Int? {
        let text = text.lowercased()
        if text == "sept" { return 9 }
        return months.firstIndex { $0 == text || $0.prefix(3) == text }.map { $0 + 1 }
    }
}

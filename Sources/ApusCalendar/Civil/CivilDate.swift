/// A date in the proleptic Gregorian calendar, without a time zone.
public struct CivilDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The years that dates in schedules may have.
    public static let years = 1...2200

    /// The year.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, 1 to 31.
    public let day: Int

    /// Creates a date, or nil if there is no such date in the years 1 to 9999.
    ///
    /// - Parameters:
    ///   - year: The year, 1 to 9999.
    ///   - month: The month, 1 to 12.
    ///   - day: The day of the month.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(inMonth: month, year: year)
        else { return nil }
        self.init(unchecked: year, month, day)
    }

    init(unchecked year: Int, _ month: Int, _ day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date that is a number of days after 1970-01-01.
    ///
    /// - Parameter dayNumber: The number of days; negative before 1970.
    public init(dayNumber: Int) {
        // Here, years and eras of 400 years start on 1 March, so that the leap day is the last day of its year.
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.init(
            unchecked: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The number of days since 1970-01-01; negative before 1970.
    public var dayNumber: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The day of the week.
    public var weekday: Weekday { Weekday.allCases[Self.weekdayIndex(dayNumber)] }

    /// The ordinal day of the year, from 1.
    public var dayOfYear: Int { dayNumber - CivilDate(unchecked: year, 1, 1).dayNumber + 1 }

    /// The number of the ISO 8601 week, and the year to which the week belongs.
    public var isoWeek: (year: Int, week: Int) {
        let thursday = dayNumber - Self.weekdayIndex(dayNumber) + 3
        let date = CivilDate(dayNumber: thursday)
        return (date.year, (date.dayOfYear - 1) / 7 + 1)
    }

    /// Returns whether a year has a 29 February.
    ///
    /// - Parameter year: The year.
    /// - Returns: True for a leap year.
    public static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Returns the length of a month.
    ///
    /// - Parameters:
    ///   - month: The month, 1 to 12.
    ///   - year: The year.
    /// - Returns: The number of days.
    public static func days(inMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the weekday of a day number; Monday is 0, Sunday is 6.
    static func weekdayIndex(_ dayNumber: Int) -> Int { floorMod(dayNumber + 3, 7) }

    /// Orders dates by time.
    ///
    /// - Parameters:
    ///   - left: A date.
    ///   - right: Another date.
    /// - Returns: True if `left` is earlier.
    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// The date as `2026-12-24`.
    public var description: String { "\(padded(year, 4))-\(padded(month))-\(padded(day))" }
}

func floorMod(_ value: Int, _ divisor: Int) -> Int {
    let remainder = value % divisor
    return remainder < 0 ? remainder + divisor : remainder
}

func floorDiv(_ value: Int, _ divisor: Int) -> Int {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
}

func padded(_ value: Int, _ width: Int = 2) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// A day of the week, with the number of ISO 8601 as the raw value.
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

/// The English names that all four notations use.
enum Names {
    static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ]

    /// Parses a weekday's full name or its first three letters.
    static func weekday(_ text: some StringProtocol) -> Int? {
        let text = text.lowercased()
        if text == "tues" { return 2 }
        if text == "thur" || text == "thurs" { return 4 }
        return weekdays.firstIndex { $0 == text || $0.prefix(3) == text }.map { $0 + 1 }
    }

    /// Parses a month's full name or its first three letters.
    static func month(_ text: some StringProtocol) -> Int? {
        let text = text.lowercased()
        if text == "sept" { return 9 }
        return months.firstIndex { $0 == text || $0.prefix(3) == text }.map { $0 + 1 }
    }
}

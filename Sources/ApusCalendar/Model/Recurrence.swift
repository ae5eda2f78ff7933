/// A recurrence rule of RFC 5545 with its start, its extra dates and its exceptions.
///
/// Lists are sorted, and contain each value only once.
public struct Recurrence: Sendable, Hashable {
    /// The unit of the interval.
    public enum Frequency: String, Sendable, Hashable, CaseIterable {
        /// Every year.
        case yearly = "YEARLY"
        /// Every month.
        case monthly = "MONTHLY"
        /// Every week.
        case weekly = "WEEKLY"
        /// Every day.
        case daily = "DAILY"
        /// Every hour.
        case hourly = "HOURLY"
        /// Every minute.
        case minutely = "MINUTELY"
        /// Every second.
        case secondly = "SECONDLY"

        /// The length of the unit in seconds; nil if the unit is a day or longer.
        var seconds: Int? {
            switch self {
            case .hourly: 3600
            case .minutely: 60
            case .secondly: 1
            case .yearly, .monthly, .weekly, .daily: nil
            }
        }
    }

    /// A day of the week, which may have an ordinal if the frequency is monthly or yearly.
    public struct Day: Sendable, Hashable, Comparable {
        /// The ordinal of the day in its month or year: 1 is the first, −1 is the last, and 0 stands for all.
        public var ordinal: Int
        /// The day of the week.
        public var weekday: Weekday

        /// Creates a day.
        ///
        /// - Parameters:
        ///   - ordinal: 1 for the first, −1 for the last, 0 for all.
        ///   - weekday: The day of the week.
        public init(ordinal: Int = 0, weekday: Weekday) {
            self.ordinal = ordinal
            self.weekday = weekday
        }

        /// Orders days as they are printed.
        ///
        /// - Parameters:
        ///   - left: A day.
        ///   - right: Another day.
        /// - Returns: True if `left` comes first.
        public static func < (left: Self, right: Self) -> Bool {
            (left.weekday.rawValue, left.ordinal) < (right.weekday.rawValue, right.ordinal)
        }
    }

    /// FREQ.
    public var frequency: Frequency
    /// INTERVAL.
    public var interval = 1
    /// COUNT, at most 10000.
    public var count: Int?
    /// UNTIL, on the clock of the zone, or in UTC if ``untilIsUTC`` is true.
    public var until: CivilDateTime?
    /// Whether UNTIL was written in UTC.
    public var untilIsUTC = false
    /// DTSTART.
    ///
    /// It is an occurrence only if it matches the rule.
    public var start: CivilDateTime
    /// BYMONTH.
    public var months: [Int] = [] { didSet { months.sortUniquely() } }
    /// BYMONTHDAY.
    public var monthDays: [Int] = [] { didSet { monthDays.sortUniquely() } }
    /// BYYEARDAY.
    public var yearDays: [Int] = [] { didSet { yearDays.sortUniquely() } }
    /// BYWEEKNO.
    public var weekNumbers: [Int] = [] { didSet { weekNumbers.sortUniquely() } }
    /// BYDAY.
    public var days: [Day] = [] { didSet { days.sortUniquely() } }
    /// BYHOUR.
    public var hours: [Int] = [] { didSet { hours.sortUniquely() } }
    /// BYMINUTE.
    public var minutes: [Int] = [] { didSet { minutes.sortUniquely() } }
    /// BYSECOND.
    public var seconds: [Int] = [] { didSet { seconds.sortUniquely() } }
    /// BYSETPOS.
    public var positions: [Int] = [] { didSet { positions.sortUniquely() } }
    /// WKST.
    public var weekStart = Weekday.monday
    /// EXDATE, on the clock of the zone.
    public var exceptions: [CivilDateTime] = [] { didSet { exceptions.sortUniquely() } }
    /// EXDATE in UTC, if the schedule has another zone.
    public var utcExceptions: [CivilDateTime] = [] { didSet { utcExceptions.sortUniquely() } }
    /// RDATE, on the clock of the zone.
    public var extras: [CivilDateTime] = [] { didSet { extras.sortUniquely() } }
    /// RDATE in UTC, if the schedule has another zone.
    public var utcExtras: [CivilDateTime] = [] { didSet { utcExtras.sortUniquely() } }

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - frequency: The unit of the interval.
    ///   - start: The first date-time that can match.
    public init(frequency: Frequency, start: CivilDateTime) {
        self.frequency = frequency
        self.start = start
    }
}

extension Array where Element: Comparable & Hashable {
    fileprivate mutating func sortUniquely() { self = Set(self).sorted() }
}

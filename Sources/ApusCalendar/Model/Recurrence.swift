/// A recurrence rule of RFC 5545 with its start, its extra dates and its exceptions.
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

        /// The length of the units below a day, in seconds.
        var seconds: Int? {
            switch self {
            case .hourly: 3600
            case .minutely: 60
            case .secondly: 1
            case .yearly, .monthly, .weekly, .daily: nil
            }
        }
    }

    /// A day of the week, with an ordinal where the frequency is monthly or yearly.
    public struct Day: Sendable, Hashable {
        /// 1 for the first, −1 for the last, 0 for all.
        public var ordinal: Int
        /// The day of the week.
        public var weekday: Weekday
    }

    /// FREQ.
    public var frequency: Frequency
    /// INTERVAL.
    public var interval = 1
    /// COUNT, at most 10000.
    public var count: Int?
    /// UNTIL, on the clock of the zone; with `untilIsUTC` in UTC.
    public var until: CivilDateTime?
    /// Whether UNTIL was written in UTC.
    public var untilIsUTC = false
    /// DTSTART. It is an occurrence only if it matches the rule.
    public var start: CivilDateTime
    /// BYMONTH.
    public var months: [Int] = []
    /// BYMONTHDAY.
    public var monthDays: [Int] = []
    /// BYYEARDAY.
    public var yearDays: [Int] = []
    /// BYWEEKNO.
    public var weekNumbers: [Int] = []
    /// BYDAY.
    public var days: [Day] = []
    /// BYHOUR.
    public var hours: [Int] = []
    /// BYMINUTE.
    public var minutes: [Int] = []
    /// BYSECOND.
    public var seconds: [Int] = []
    /// BYSETPOS.
    public var positions: [Int] = []
    /// WKST.
    public var weekStart = Weekday.monday
    /// EXDATE, sorted.
    public var exceptions: [CivilDateTime] = []
    /// RDATE, sorted.
    public var extras: [CivilDateTime] = []

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

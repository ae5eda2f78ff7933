/// A rule that is due at times of day, on the days that its other properties match.
public struct CalendarFields: Sendable, Hashable {
    /// A field of a cron expression.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// Seconds.
        case second
        /// Minutes.
        case minute
        /// Hours.
        case hour
        /// Days of the month.
        case day
        /// Months.
        case month
        /// Days of the week.
        case weekday
    }

    /// A field whose value is hashed from the schedule's identifier (`H` in cron).
    public struct Hashed: Sendable, Hashable {
        /// The field.
        public var field: Field
        /// The smallest value.
        public var lower: Int
        /// The largest value.
        public var upper: Int
        /// The distance between several values; nil for a single value.
        public var step: Int?
    }

    /// An interval between the weeks whose days match.
    public struct WeekInterval: Sendable, Hashable {
        /// The distance between matching weeks, in weeks; 1 matches every week.
        public var weeks: Int
        /// A date in the first matching week; no earlier date matches.
        public var anchor: CivilDate
    }

    /// The times of day.
    public var times: TimesOfDay
    /// Whether the times follow the clock through gaps and repeated hours, instead of using ``ClockPolicy``.
    public internal(set) var isStepping: Bool
    /// The days of the month and week.
    public var days: DayRule
    /// The months as bits 1 to 12; all bits mean no restriction.
    public var months: UInt64
    /// The years, sorted; nil for all.
    public var years: [Int]?
    /// The interval between matching weeks; nil for every week.
    public var weekInterval: WeekInterval?
    /// The fields whose values are hashed from the identifier.
    public var hashed: [Hashed]

    static let allMonths: UInt64 = 0x1FFE

    /// Creates a rule.
    ///
    /// The initializer adjusts two properties. Times that are the same in every hour of the day always follow the
    /// clock, and times that are not evenly spaced within the minute, the hour or the day never do. If only one of the
    /// day of the month and the day of the week is restricted, their combination becomes ``DayRule/Combination/and``.
    ///
    /// - Parameters:
    ///   - times: The times of day.
    ///   - isStepping: Whether evenly spaced times follow the clock.
    ///   - days: The days.
    ///   - months: The months as bits 1 to 12.
    ///   - years: The years, or nil for all.
    ///   - weekInterval: The interval between matching weeks, or nil for every week.
    ///   - hashed: The hashed fields.
    public init(
        times: TimesOfDay, isStepping: Bool = false, days: DayRule = DayRule(), months: UInt64 = 0x1FFE,
        years: [Int]? = nil, weekInterval: WeekInterval? = nil, hashed: [Hashed] = []
    ) {
        self.times = times
        let hashesSteps = hashed.contains { $0.step != nil && ($0.field == .minute || $0.field == .second) }
        let hasSteps = times.hasEvenSteps || hashesSteps
        self.isStepping = isStepping && hasSteps || times.coversEveryHour
        self.days = days
        self.months = months
        self.years = years.map { Set($0).sorted() }
        self.weekInterval = weekInterval
        self.hashed = hashed.sorted { $0.field.rawValue < $1.field.rawValue }
        if !days.restrictsMonthDay || !days.restrictsWeekday,
            !hashed.contains(where: { $0.field == .day || $0.field == .weekday })
        {
            self.days.combination = .and
        }
    }

    /// Returns the rule with the hashed fields replaced by their values for an identifier.
    func resolved(identifier: String) -> CalendarFields {
        guard !hashed.isEmpty else { return self }
        var copy = self
        for hash in hashed {
            let span = hash.upper - hash.lower + 1
            let first =
                hash.lower + StableHash.slot(identifier, hash.field.rawValue, below: min(hash.step ?? span, span))
            var bits = UInt64(
                bits: hash.step.map { Array(stride(from: first, through: hash.upper, by: $0)) } ?? [first])
            switch hash.field {
            case .day: copy.days.monthDays = bits
            case .month: copy.months = bits
            case .weekday:
                if bits.has(0) { bits = bits & ~1 | 1 << 7 }
                copy.days.weekdays = bits
            case .second, .minute, .hour:
                guard case .grid(var hours, var minutes, var seconds) = copy.times else { continue }
                if hash.field == .hour { hours = bits }
                if hash.field == .minute { minutes = bits }
                if hash.field == .second { seconds = bits }
                copy.times = .grid(hours: hours, minutes: minutes, seconds: seconds)
            }
        }
        copy.hashed = []
        return copy
    }
}

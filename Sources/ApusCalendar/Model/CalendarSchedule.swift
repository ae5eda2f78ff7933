/// A schedule on the clock of a time zone: a rule, its bounds and its exclusions.
public struct CalendarSchedule: Sendable, Hashable {
    /// The rule of a schedule.
    public enum Rule: Sendable, Hashable {
        /// Times of day on matching days.
        case fields(CalendarFields)
        /// A recurrence of RFC 5545.
        case recurrence(Recurrence)
    }

    /// Occurrences to leave out.
    public enum Exclusion: Sendable, Hashable {
        /// All occurrences on a range of dates.
        case dates(ClosedRange<CivilDate>)
        /// All occurrences on the dates on which another schedule has an occurrence.
        case schedule(CalendarSchedule)
    }

    /// The largest value of ``count``, small enough to find the last occurrence quickly.
    public static let largestCount = 10_000
    /// The largest value of ``spread``: 366 days in seconds.
    public static let largestSpread = 366 * 86_400

    /// The rule that the bounds and exclusions restrict.
    public var rule: Rule
    /// The IANA name of the time zone, if the schedule's text has one.
    public var timeZone: String?
    /// The first local date-time that can be an occurrence.
    public var from: CivilDateTime?
    /// The last local date-time that can be an occurrence.
    public var until: CivilDateTime?
    /// The maximum number of local date-times of the rule that are used; nil for all of them.
    ///
    /// The date-times are counted from ``from``. If that is nil, they are counted from 1970, or from the start of a
    /// recurrence rule. Excluded date-times are counted too.
    public var count: Int?
    /// Occurrences to leave out.
    public var exclusions: [Exclusion] = []
    /// The exclusive upper bound of the schedule's delay, in seconds; at most ``largestSpread``.
    ///
    /// The delay is hashed from the identifier, so it is the same for all occurrences. The delay of an occurrence is
    /// shortened if it would not end before the next occurrence is due.
    public var spread = 0

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - timeZone: The IANA name of its time zone.
    public init(_ rule: Rule, timeZone: String? = nil) {
        self.rule = rule
        self.timeZone = timeZone
    }

    /// Sentences about parts of the schedule that may be misunderstood.
    public var warnings: [String] {
        guard case .fields(let fields) = rule, fields.days.combination == .or else { return [] }
        return [
            "both the day of the month and the day of the week are restricted: a day that matches one of them is due; "
                + "write + before the day of the week for days that match both"
        ]
    }
}

/// Decides what happens to a fixed time of day that the clock skips.
public enum GapPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The time is due at the first instant after the gap.
    case after
    /// The time is not due.
    case skip
}

/// Decides what happens to a fixed time of day that the clock shows twice.
public enum RepeatedPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The time is due once, the first time.
    case first
    /// The time is due both times.
    case both
}

/// The policies for fixed times near a change of the clock; stepping schedules do not use them.
public struct ClockPolicy: Sendable, Hashable, Codable {
    /// The policy for times that the clock skips.
    public var gap: GapPolicy
    /// The policy for times that the clock shows twice.
    public var repeated: RepeatedPolicy

    /// Creates the policies.
    ///
    /// - Parameters:
    ///   - gap: The policy for times that the clock skips.
    ///   - repeated: The policy for times that the clock shows twice.
    public init(gap: GapPolicy = .after, repeated: RepeatedPolicy = .first) {
        self.gap = gap
        self.repeated = repeated
    }
}

/// One instant at which a schedule is due.
public struct Occurrence: Sendable, Hashable {
    /// The effect of a change of the clock on an occurrence.
    public enum ClockNote: Sendable, Hashable {
        /// The clock skips the local date-time, so the occurrence is at the first instant after the gap.
        case movedAfterGap(from: CivilDateTime)
        /// The clock shows the local date-time twice; this is the first time.
        case firstOfRepeated
        /// The clock shows the local date-time twice; this is the second time.
        case secondOfRepeated
    }

    /// The instant in seconds since 1970, delayed by the schedule's spread.
    public let instant: Int64
    /// The date-time that the clock shows at the instant.
    public let local: CivilDateTime
    /// The offset at the instant, in seconds east of UTC.
    public let offset: Int
    /// The effect of a change of the clock; nil if there is none.
    public let note: ClockNote?
}

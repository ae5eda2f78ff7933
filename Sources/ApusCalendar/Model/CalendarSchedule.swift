/// When something is due, on the clock of a time zone.
public struct CalendarSchedule: Sendable, Hashable {
    /// The kinds of rules.
    public enum Rule: Sendable, Hashable {
        /// Times of day on days.
        case fields(CalendarFields)
        /// A recurrence of RFC 5545.
        case recurrence(Recurrence)
    }

    /// Occurrences that do not count.
    public enum Exclusion: Sendable, Hashable {
        /// All of these dates.
        case dates(ClosedRange<CivilDate>)
        /// The dates on which another schedule has an occurrence.
        case schedule(CalendarSchedule)
    }

    /// The largest count, so that the last occurrence is found quickly.
    public static let largestCount = 10_000
    /// The largest spread: 366 days in seconds.
    public static let largestSpread = 366 * 86_400

    /// The rule.
    public var rule: Rule
    /// The IANA name of the time zone that the text names, if it names one.
    public var timeZone: String?
    /// The first local date-time that can be an occurrence.
    public var from: CivilDateTime?
    /// The last local date-time that can be an occurrence.
    public var until: CivilDateTime?
    /// The number of local date-times of the rule that count, from `from` on (1970 without one). Exclusions are
    /// applied afterwards: an excluded date-time has been counted.
    public var count: Int?
    /// Occurrences that do not count.
    public var exclusions: [Exclusion] = []
    /// Each occurrence is delayed by a number of seconds below this one, hashed from the identifier; at most
    /// ``largestSpread``.
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

    /// What a reader of the schedule may misunderstand.
    public var warnings: [String] {
        guard case .fields(let fields) = rule, fields.days.combination == .or else { return [] }
        return [
            "both the day of the month and the day of the week are restricted: a day that matches one of them is due; "
                + "write + before the day of the week for days that match both"
        ]
    }
}

/// What happens to a fixed time of day that the clock skips.
public enum GapPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Due at the first instant after the gap.
    case after
    /// Not due.
    case skip
}

/// What happens to a fixed time of day that the clock shows twice.
public enum RepeatedPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Due once, the first time.
    case first
    /// Due both times.
    case both
}

/// The policies for the changes of the clock. Stepping schedules do not use them.
public struct ClockPolicy: Sendable, Hashable, Codable {
    /// For times that are skipped.
    public var gap: GapPolicy
    /// For times that are repeated.
    public var repeated: RepeatedPolicy

    /// Creates the policies.
    ///
    /// - Parameters:
    ///   - gap: For times that are skipped.
    ///   - repeated: For times that are repeated.
    public init(gap: GapPolicy = .after, repeated: RepeatedPolicy = .first) {
        self.gap = gap
        self.repeated = repeated
    }
}

/// One time at which a schedule is due.
public struct Occurrence: Sendable, Hashable {
    /// What a change of the clock did to the occurrence.
    public enum ClockNote: Sendable, Hashable {
        /// The local date-time was skipped; this is the first instant after the gap.
        case movedAfterGap(from: CivilDateTime)
        /// The clock shows the local date-time twice; this is the first time.
        case firstOfRepeated
        /// The clock shows the local date-time twice; this is the second time.
        case secondOfRepeated
    }

    /// The instant in seconds since 1970.
    public let instant: Int64
    /// What the clock shows at the instant.
    public let local: CivilDateTime
    /// The offset at the instant, in seconds east of UTC.
    public let offset: Int
    /// What a change of the clock did.
    public let note: ClockNote?
}

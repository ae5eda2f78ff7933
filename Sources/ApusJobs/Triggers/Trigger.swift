public import ApusCalendar
public import ApusTimers

/// The rule that says when a job's occurrences are due.
///
/// Occurrences are numbered from 1. Due instants are computed from the first one, or from the calendar, never from the
/// previous run, so they do not drift.
///
/// ``name`` and the properties that belong to it describe a trigger completely: a store keeps them, and recreates the
/// trigger with the function of that name.
public struct Trigger: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case at(WallInstant)
        case after(Duration)
        case every(Duration, anchor: WallInstant?, count: Int?)
        indirect case calendar(CalendarTrigger)
    }

    package var kind: Kind
    package init(kind: Kind) { self.kind = kind }

    /// Returns a trigger that is due once, at an instant of the wall clock.
    ///
    /// If the clock is set, the job follows the clock.
    public static func at(_ instant: WallInstant) -> Trigger { Trigger(kind: .at(instant)) }

    /// Returns a trigger that is due once, a duration after the submission; zero means immediately.
    ///
    /// The time continues to count while the process is dead or the machine sleeps. Setting the wall clock neither
    /// shortens nor lengthens it.
    public static func after(_ duration: Duration) -> Trigger { Trigger(kind: .after(duration)) }

    /// Returns a trigger that is due repeatedly.
    ///
    /// Without an anchor, occurrence *n* is due *n* intervals after the submission, and setting the wall clock has no
    /// effect. With an anchor, the job follows the wall clock: it is due at all instants `anchor + k × interval`, where
    /// *k* is 0 or more, that are later than the submission.
    /// - Parameters:
    ///   - interval: The time between two occurrences; at least 1 ms.
    ///   - anchor: The instant from which the intervals are counted, past or future.
    ///   - count: The number of occurrences; `nil` for no end.
    /// - Returns: The trigger.
    public static func every(_ interval: Duration, anchoredAt anchor: WallInstant? = nil, count: Int? = nil) -> Trigger
    {
        Trigger(kind: .every(interval, anchor: anchor, count: count))
    }

    /// Returns a trigger that is due on dates and at times of day, by the clock of a zone: `every weekday at 9:00`.
    ///
    /// The job follows the wall clock. `every(.seconds(86_400))` is not "daily": it is 24 hours, even on a day of 23
    /// hours.
    /// - Parameters:
    ///   - schedule: The rule of the calendar; a zone that it names takes precedence over `timeZone`.
    ///   - timeZone: The IANA name of the zone, such as `Europe/Berlin`. Its rules are read where the scheduler runs.
    ///   - gap: The rule for a time of day that the clock skips. Schedules that step within the hour (`*/15`) follow
    ///     elapsed time, and use neither `gap` nor `repeated`.
    ///   - repeated: The rule for a time of day that the clock shows twice.
    ///   - count: The number of occurrences from the submission on; `nil` for no end.
    /// - Returns: The trigger.
    public static func calendar(
        _ schedule: CalendarSchedule, timeZone: String, gap: GapPolicy = .after, repeated: RepeatedPolicy = .first,
        count: Int? = nil
    ) -> Trigger {
        let policy = ClockPolicy(gap: gap, repeated: repeated)
        return Trigger(kind: .calendar(CalendarTrigger(schedule, timeZone: timeZone, policy: policy, count: count)))
    }

    /// The name of the kind of trigger: `at`, `after`, `every` or `calendar`.
    ///
    /// Later versions may have more.
    public var name: String {
        switch kind {
        case .at: "at"
        case .after: "after"
        case .every: "every"
        case .calendar: "calendar"
        }
    }

    /// The instant of a trigger ``at(_:)``; `nil` for the others.
    public var instant: WallInstant? {
        if case .at(let instant) = kind { instant } else { nil }
    }

    /// The duration of a trigger ``after(_:)``; `nil` for the others.
    public var delay: Duration? {
        if case .after(let delay) = kind { delay } else { nil }
    }

    /// The time between two occurrences of ``every(_:anchoredAt:count:)``; `nil` for the others.
    public var interval: Duration? {
        if case .every(let interval, _, _) = kind { interval } else { nil }
    }

    /// The anchor of ``every(_:anchoredAt:count:)``, if it has one; `nil` for the others.
    public var anchor: WallInstant? {
        if case .every(_, let anchor, _) = kind { anchor } else { nil }
    }

    /// The arguments of ``calendar(_:timeZone:gap:repeated:count:)``; `nil` for the others.
    public var calendar: CalendarTrigger? {
        if case .calendar(let calendar) = kind { calendar } else { nil }
    }

    /// The number of occurrences of a trigger that repeats.
    ///
    /// It is `nil` for a trigger without an end, and for one that is due once.
    public var count: Int? {
        switch kind {
        case .at, .after: nil
        case .every(_, _, let count): count
        case .calendar(let calendar): calendar.count
        }
    }

    /// Whether the trigger counts elapsed time, so that its due instants on the wall clock move when that clock is set.
    public var isRelative: Bool {
        switch kind {
        case .at, .calendar: false
        case .after: true
        case .every(_, let anchor, _): anchor == nil
        }
    }

    /// Whether the trigger repeats on the wall clock.
    package var isAnchored: Bool {
        switch kind {
        case .at, .after: false
        case .every(_, let anchor, _): anchor != nil
        case .calendar: true
        }
    }
}

/// A schedule of the calendar with its zone and the rules for changes of the zone's clock.
///
/// Occurrences are computed by the present rules of the zone. When the rules change, future occurrences are computed
/// again within an hour and a quarter (``JobScheduler/Configuration/timeZones``).
public struct CalendarTrigger: Hashable, Sendable {
    /// The rule that says when occurrences are due.
    ///
    /// The values of `H`, and the delay that `spread` allows, are computed from a hash of the job's identifier. The
    /// schedule's own `timeZone` is `nil`, because ``timeZone`` has the zone.
    public let schedule: CalendarSchedule
    /// The IANA name of the zone, such as `Europe/Berlin`.
    public let timeZone: String
    /// The rules for times of day that the clock skips or shows twice.
    public let policy: ClockPolicy
    /// The number of occurrences from the submission on; `nil` for no end.
    ///
    /// `schedule.count`, if there is one, is another limit: it counts the dates of the rule from the rule's beginning,
    /// including those before the submission.
    public let count: Int?

    /// Creates a trigger; a zone in the schedule takes precedence over `timeZone`.
    public init(_ schedule: CalendarSchedule, timeZone: String, policy: ClockPolicy = .init(), count: Int? = nil) {
        var schedule = schedule
        self.timeZone = schedule.timeZone ?? timeZone
        schedule.timeZone = nil
        self.schedule = schedule
        self.policy = policy
        self.count = count
    }
}

public import ApusCalendar
public import ApusTimers

/// When a job's occurrences are due.
///
/// Occurrences are numbered from 1. Due instants are computed from the first one, or from the calendar, never from the
/// previous run, so that nothing drifts.
///
/// ``name`` and the properties that go with it are all there is to a trigger: a store keeps them, and reads them with
/// the function of that name.
public struct Trigger: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case at(WallInstant)
        case after(Duration)
        case every(Duration, anchor: WallInstant?, count: Int?)
        indirect case calendar(CalendarTrigger)
    }

    package var kind: Kind
    package init(kind: Kind) { self.kind = kind }

    /// Once, at an instant of the wall clock. If the clock is set, the job follows the clock.
    public static func at(_ instant: WallInstant) -> Trigger { Trigger(kind: .at(instant)) }

    /// Once, that much time after the submission; at once if it is zero. The time continues to count while the process
    /// is dead or the machine sleeps; setting the wall clock neither shortens nor lengthens it.
    public static func after(_ duration: Duration) -> Trigger { Trigger(kind: .after(duration)) }

    /// Again and again: occurrence *n* is due *n* intervals after the submission, or, with an anchor, at the *n*th
    /// instant `anchor + k × interval` after the submission.
    ///
    /// Without an anchor, setting the wall clock moves nothing. With an anchor, the job follows the wall clock.
    /// - Parameters:
    ///   - interval: at least 1 ms.
    ///   - anchor: an instant of the grid, past or future.
    ///   - count: how many occurrences there are; `nil` for no end.
    /// - Returns: the trigger.
    public static func every(_ interval: Duration, anchoredAt anchor: WallInstant? = nil, count: Int? = nil) -> Trigger
    {
        Trigger(kind: .every(interval, anchor: anchor, count: count))
    }

    /// On dates and at times of day, by the clock of a zone: `every weekday at 9:00`.
    ///
    /// The job follows the wall clock. `every(.seconds(86_400))` is not "daily": it is 24 hours, also on a day of 23.
    /// - Parameters:
    ///   - schedule: when it is due; a zone that it names comes before `timeZone`.
    ///   - timeZone: the IANA name of the zone, such as `Europe/Berlin`. Its rules are read where the scheduler runs.
    ///   - gap: what happens to a time of day that the clock skips. Schedules that step within the hour (`*/15`) follow
    ///     elapsed time, and use neither policy.
    ///   - repeated: what happens to a time of day that the clock shows twice.
    ///   - count: how many occurrences there are from the submission on; `nil` for no end.
    /// - Returns: the trigger.
    public static func calendar(
        _ schedule: CalendarSchedule, timeZone: String, gap: GapPolicy = .after, repeated: RepeatedPolicy = .first,
        count: Int? = nil
    ) -> Trigger {
        let policy = ClockPolicy(gap: gap, repeated: repeated)
        return Trigger(kind: .calendar(CalendarTrigger(schedule, timeZone: timeZone, policy: policy, count: count)))
    }

    /// `at`, `after`, `every` or `calendar`. Later versions may have more.
    public var name: String {
        switch kind {
        case .at: "at"
        case .after: "after"
        case .every: "every"
        case .calendar: "calendar"
        }
    }

    /// When ``at(_:)`` is due; `nil` for the others.
    public var instant: WallInstant? {
        if case .at(let instant) = kind { instant } else { nil }
    }

    /// How long ``after(_:)`` waits from the submission on; `nil` for the others.
    public var delay: Duration? {
        if case .after(let delay) = kind { delay } else { nil }
    }

    /// The time between two occurrences of ``every(_:anchoredAt:count:)``; `nil` for the others, which are due once.
    public var interval: Duration? {
        if case .every(let interval, _, _) = kind { interval } else { nil }
    }

    /// The anchor of ``every(_:anchoredAt:count:)``, if it has one; `nil` for the others.
    public var anchor: WallInstant? {
        if case .every(_, let anchor, _) = kind { anchor } else { nil }
    }

    /// What ``calendar(_:timeZone:gap:repeated:count:)`` was given; `nil` for the others.
    public var calendar: CalendarTrigger? {
        if case .calendar(let calendar) = kind { calendar } else { nil }
    }

    /// The count of a trigger that repeats, `nil` for no end; `nil` also for the others, which are due once.
    public var count: Int? {
        switch kind {
        case .at, .after: nil
        case .every(_, _, let count): count
        case .calendar(let calendar): calendar.count
        }
    }

    /// Whether the trigger counts elapsed time (its due instants move when the wall clock is set), rather than
    /// following the wall clock.
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

/// A schedule of the calendar, the zone whose clock it is read on, and what the changes of that clock do to it.
///
/// The schedule is computed by the rules that the zone has when the scheduler looks at them. When the rules change,
/// occurrences that are still to come are computed again, within an hour (``JobScheduler/Configuration/timeZones``).
public struct CalendarTrigger: Hashable, Sendable {
    /// When occurrences are due. `H` and the spread are hashed from the job's identifier. Its `timeZone` is `nil`:
    /// ``timeZone`` has it.
    public let schedule: CalendarSchedule
    /// The IANA name of the zone, such as `Europe/Berlin`.
    public let timeZone: String
    /// What happens to times of day that the clock skips or shows twice.
    public let policy: ClockPolicy
    /// How many occurrences there are from the submission on; `nil` for no end. `schedule.count`, if there is one, counts
    /// the dates of the rule from its first one on, whenever the job is submitted.
    public let count: Int?

    /// A trigger; a zone in the schedule comes before `timeZone`.
    public init(_ schedule: CalendarSchedule, timeZone: String, policy: ClockPolicy = .init(), count: Int? = nil) {
        var schedule = schedule
        self.timeZone = schedule.timeZone ?? timeZone
        schedule.timeZone = nil
        self.schedule = schedule
        self.policy = policy
        self.count = count
    }
}

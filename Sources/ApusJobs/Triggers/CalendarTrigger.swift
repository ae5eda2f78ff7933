public import ApusCalendar

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

import ApusCalendar

/// A program that computes the occurrences of schedules independently.
enum Oracle: String, CaseIterable {
    case systemd, croniter, dateutil, java, zoneinfo
}

/// A question to Apus and to an oracle about a schedule.
struct Comparison {
    var oracle: Oracle
    var text: String
    var schedule: CalendarSchedule
    var zone: String
    var rules: TimeZoneRules
    var base: Int64
    /// The number of instants that are requested.
    var count: Int
    /// The last instant that is requested, 2100-12-31 for most oracles.
    var end: Int64
    /// The policies at changes of the clock; the defaults if the oracle has no choice.
    var policy = ClockPolicy()

    /// Returns the occurrences that Apus finds and `isKept` accepts, up to the requested number.
    func ours(_ policy: ClockPolicy? = nil, where isKept: (Occurrence) -> Bool = { _ in true }) -> [Int64] {
        let search = PreparedSchedule(schedule, in: rules, policy: policy ?? self.policy)
        var (result, instant) = ([Int64](), base)
        // `isKept` leaves out only occurrences in an hour that the clock shows twice. There are few of them, so 8000
        // additional steps are enough.
        for _ in 0..<count + 8000 {
            guard result.count < count, let next = search.next(after: instant), next.instant <= end else { break }
            if isKept(next) { result.append(next.instant) }
            instant = next.instant
        }
        return result
    }

    /// The same question for a schedule in which a day matches by its day of the month or by its day of the week.
    ///
    /// It is `nil` if the schedule does not restrict both the days of the month and the days of the week.
    var withEitherDay: Comparison? {
        guard case .fields(var fields) = schedule.rule, fields.days.restrictsMonthDay, fields.days.restrictsWeekday
        else { return nil }
        fields.days.combination = .or
        var copy = self
        copy.schedule.rule = .fields(fields)
        return copy
    }

    /// The same question for the schedule without its days of the week.
    ///
    /// It is `nil` if the schedule does not restrict both the days of the month and the days of the week.
    var withoutWeekdays: Comparison? {
        guard case .fields(var fields) = schedule.rule, fields.days.restrictsMonthDay, fields.days.restrictsWeekday
        else { return nil }
        (fields.days.weekdays, fields.days.ordinals) = (0, 0)
        var copy = self
        copy.schedule.rule = .fields(fields)
        return copy
    }
}

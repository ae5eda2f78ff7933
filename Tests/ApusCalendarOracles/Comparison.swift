import ApusCalendar

/// An oracle.
enum Oracle: String, CaseIterable {
    case systemd, croniter, dateutil, java, zoneinfo
}

/// A schedule that Apus and an oracle were asked about.
struct Comparison {
    var oracle: Oracle
    var text: String
    var schedule: CalendarSchedule
    var zone: String
    var rules: TimeZoneRules
    var base: Int64
    /// How many instants were asked.
    var count: Int
    /// The last instant that was asked, 2100-12-31 for most.
    var end: Int64
    /// The policy that was asked; the default one where the oracle has none to choose.
    var policy = ClockPolicy()

    /// The occurrences of Apus that are kept, as many as were asked.
    func ours(_ policy: ClockPolicy? = nil, where isKept: (Occurrence) -> Bool = { _ in true }) -> [Int64] {
        let search = PreparedSchedule(schedule, in: rules, policy: policy ?? self.policy)
        var (result, instant) = ([Int64](), base)
        // Those that are not kept are few: the copies of one hour.
        for _ in 0..<count + 8000 {
            guard result.count < count, let next = search.next(after: instant), next.instant <= end else { break }
            if isKept(next) { result.append(next.instant) }
            instant = next.instant
        }
        return result
    }

    /// The schedule with one of day of the month and day of the week being enough, if both are restricted.
    var withEitherDay: Comparison? {
        guard case .fields(var fields) = schedule.rule, fields.days.restrictsMonthDay, fields.days.restrictsWeekday
        else { return nil }
        fields.days.combination = .or
        var copy = self
        copy.schedule.rule = .fields(fields)
        return copy
    }

    /// The schedule with the days of the month alone, if both are restricted.
    var withoutWeekdays: Comparison? {
        guard case .fields(var fields) = schedule.rule, fields.days.restrictsMonthDay, fields.days.restrictsWeekday
        else { return nil }
        (fields.days.weekdays, fields.days.ordinals) = (0, 0)
        var copy = self
        copy.schedule.rule = .fields(fields)
        return copy
    }
}

extension SchedulePhrase {
    func rule() throws(ScheduleTextError) -> CalendarSchedule.Rule {
        guard isRecurring else {
            throw reader.error(
                "“every”, as in “every day at 9:00”", at: reader.tokens[0],
                candidates: ["every", "every day", "every week", "every month", "every year"].map {
                    "\($0) \(reader.text)"
                })
        }
        // `mornings at 9` means each day.
        let isDaily = dayPart != nil && weekdays == nil && monthDays == nil && date == nil
        let (count, unit) = try rate.map(stepOfRate) ?? step?.value ?? (1, isDaily ? .day : nil)
        if let unit, unit.rawValue < SpanUnit.second.rawValue {
            throw reader.error("seconds or longer units", at: step?.token)
        }
        if let unit, let seconds = unit.nanoseconds.map({ Int($0 / 1_000_000_000) }),
            unit.rawValue < SpanUnit.day.rawValue
        {
            return .fields(try steps(of: count * seconds))
        }
        for slot in [
            offset.map { ($0.token, "hours, as in “every hour at :30”") },
            window.map { ($0.token, "seconds, minutes or hours, as in “every 15 minutes between 9:00 and 17:00”") },
        ] {
            if let (token, what) = slot { throw reader.error("this part only after a number of \(what)", at: token) }
        }
        let days = try dayRule(unit)
        guard let times else {
            throw reader.error(
                "“at” and a time of day, as in “at 9:00”", at: reader.tokens.last,
                candidates: [
                    "\(reader.text) at 9:00"
                ])
        }
        // With `sunday night`, times after midnight are refused, because 1:00 can be on Sunday or on Monday. With
        // `every night`, they are accepted, because both readings have the same times.
        if let part = dayPart?.value {
            let hours = unit == .day ? part.hours : part.hours.clamped(to: 0..<24)
            let other = times.value.first { time in
                ![time.second / 3_600, time.second / 3_600 + 24].contains(where: hours.contains)
            }
            if let other { throw reader.error(part.expected(for: other.second), at: times.token) }
        }
        if let weekdays, unit == .day, !severalDays {
            throw reader.error("every week, or no day of the week", at: weekdays.token)
        }
        guard times.value.allSatisfy({ $0.nanosecond == 0 }) else {
            throw reader.error("whole seconds", at: times.token)
        }
        let seconds = TimesOfDay(times.value.map(\.second))
        var months = self.months?.value ?? CalendarFields.allMonths
        if let date { months = 1 << UInt64(date.value.month) }
        if let quarters {
            guard self.months == nil else { throw reader.error("no months", at: self.months?.token) }
            guard let ofQuarters = days.monthsOfQuarters else {
                throw reader.error(
                    "days of the quarter: the 1st to the 30th, the 1st to the 4th of a day of the week, or the last one",
                    at: monthDays?.token ?? quarters)
            }
            months = ofQuarters
        }
        if let excluded { months &= ~excluded.value.months }
        guard months != 0 else { throw reader.error("a month that is not left out", at: excluded?.token) }
        guard count > 1, let unit else { return .fields(CalendarFields(times: seconds, days: days, months: months)) }
        guard let from = start?.value ?? today else {
            throw reader.error(
                "the date of the first \(unit), as in “starting 2026-11-24”", at: reader.tokens.last)
        }
        guard var anchor = days.first(onOrAfter: from, months: months) else {
            throw reader.error("days that occur", at: monthDays?.token)
        }
        if isStored, unit == .week, anchor.monday > from.monday {
            guard let later = days.first(onOrAfter: CivilDate(dayNumber: from.monday + 7 * count), months: months)
            else {
                throw reader.error("days that occur", at: step?.token)
            }
            anchor = later
        }
        if !isStored, let end, end.value < anchor {
            throw reader.error("a day that is not before \(anchor), which is the first one", at: end.token)
        }
        if unit == .week {
            guard months == CalendarFields.allMonths else { throw reader.error("no months", at: self.months?.token) }
            return .fields(
                CalendarFields(times: seconds, days: days, weekInterval: .init(weeks: count, anchor: anchor)))
        }
        guard unit == .year || excluded?.value.months ?? 0 == 0 else {
            throw reader.error("no months that are left out", at: excluded?.token)
        }
        return .recurrence(try recurrence(count, unit, anchor, days, months, seconds))
    }

    /// Returns the step that a rate means: `twice a day` is every 12 hours, unless the text has two times of day.
    private func stepOfRate(
        _ rate: Slot<(count: Int, unit: SpanUnit)>
    ) throws(ScheduleTextError) -> (count: Int, unit: SpanUnit?) {
        let (count, unit) = rate.value
        if unit == .day, let times {
            guard times.value.count == count else { throw reader.error("\(count) times of day", at: times.token) }
            return (1, .day)
        }
        if unit == .day, let window {
            throw reader.error("times of day, as in “at 9:00 and 17:00”, or no window", at: window.token)
        }
        let parts = unit == .day ? (24, SpanUnit.hour) : unit == .hour ? (60, .minute) : (60, .second)
        guard [.day, .hour, .minute].contains(unit), parts.0 % count == 0 else {
            throw reader.error("a number of times that divides a day, an hour or a minute evenly", at: rate.token)
        }
        return (parts.0 / count, parts.1)
    }

    /// Returns fields with times in steps of a number of seconds, within the window if the text has one.
    private func steps(of step: Int) throws(ScheduleTextError) -> CalendarFields {
        for token in [monthDays?.token, date?.token, times?.token, months?.token, dayPart?.token] {
            if let token {
                throw reader.error("a window such as “between 9:00 and 17:00”, or days of the week", at: token)
            }
        }
        if let dates = excluded, dates.value.months != 0 { throw reader.error("days of the week", at: dates.token) }
        let place = self.step?.token
        if let offset, step % 3600 != 0 {
            throw reader.error("the minute of hours, as in “every hour at :30”", at: offset.token)
        }
        if window == nil, step >= 86_400 || 86_400 % step != 0 || 3600 % step != 0 && step % 3600 != 0 {
            throw reader.error(
                "a number that divides an hour or a day evenly, or a window: “between 9:00 and 17:00”", at: place)
        }
        let (first, last) = window?.value ?? (0, 86_399)
        var start = first
        if let offset {
            start = first / 3600 * 3600 + offset.value * 60
            if start < first { start += 3600 }
        }
        guard step <= last - start else { throw reader.error("a step within the window", at: place) }
        var days = DayRule()
        days.weekdays = try weekdayBits()
        let times = TimesOfDay(stride(from: start, through: last, by: step))
        return CalendarFields(times: times, isStepping: true, days: days)
    }

    /// Returns the days of the week without the excluded ones; 0 means all days.
    private func weekdayBits() throws(ScheduleTextError) -> UInt64 {
        guard let left = excluded?.value.weekdays, left != 0 else { return weekdays?.value ?? 0 }
        let bits = (weekdays?.value ?? 0xFE) & ~left
        guard bits != 0 else { throw reader.error("a day that is not left out", at: excluded?.token) }
        return bits
    }

    private func dayRule(_ unit: SpanUnit?) throws(ScheduleTextError) -> DayRule {
        let isInterval = (step?.value.count ?? 1) > 1
        var days = monthDays?.value ?? DayRule()
        if let date {
            guard monthDays == nil, months == nil else { throw reader.error("the date alone", at: monthDays?.token) }
            days.monthDays = 1 << UInt64(date.value.day)
        }
        let weekdays = try weekdayBits()
        if weekdays != 0, days.restrictsMonthDay || days.restrictsWeekday {
            throw reader.error(
                "either days of the month or days of the week, not both",
                at: self.weekdays?.token ?? excluded?.token)
        }
        days.weekdays = weekdays
        switch unit {
        case .week:
            if days.restrictsMonthDay || days.ordinals != 0 {
                throw reader.error("days of the week", at: monthDays?.token ?? date?.token)
            }
            guard weekdays != 0 else {
                throw reader.error(
                    "“on” and the day of the week, as in “every week on friday at 17:00”", at: reader.tokens.last,
                    candidates: ["\(reader.text) on monday"])
            }
        case .month:
            guard monthDays != nil else {
                throw reader.error(
                    "“on the” and the days, as in “on the 1st and 15th”, “on the last day” or “on the 2nd tuesday”",
                    at: reader.tokens.last, candidates: quarters == nil ? ["\(reader.text) on the 1st"] : [])
            }
            if isInterval, let months { throw reader.error("the number of months alone", at: months.token) }
        case .year:
            guard date != nil || months != nil && monthDays != nil else {
                throw reader.error(
                    "“on” and a date, as in “every year on 24 dec at 18:00”", at: reader.tokens.last,
                    candidates: ["\(reader.text) on 24 dec"])
            }
        case .day where isInterval:
            if days.restrictsMonthDay || days.restrictsWeekday || months != nil {
                throw reader.error(
                    "no other days beside every \(step?.value.count ?? 2) days",
                    at: self.weekdays?.token ?? monthDays?.token ?? date?.token ?? months?.token)
            }
        case .day:
            if days.restrictsMonthDay || days.ordinals != 0 {
                throw reader.error("every month, or no days of the month", at: monthDays?.token ?? date?.token)
            }
        default:
            if monthDays == nil, weekdays == 0, date == nil, months == nil {
                throw reader.error("“every” and the days, as in “every day at 9:00”", at: reader.tokens[0])
            }
            if months != nil, monthDays == nil, weekdays == 0, date == nil {
                throw reader.error(
                    "“on the” and the days, as in “on the 1st and 15th”, “on the last day” or “on the 2nd tuesday”",
                    at: reader.tokens.last, candidates: ["\(reader.text) on the 1st"])
            }
        }
        return days
    }

    /// Returns an interval of days, months or years as a rule of RFC 5545.
    private func recurrence(
        _ count: Int, _ unit: SpanUnit, _ anchor: CivilDate, _ days: DayRule, _ months: UInt64, _ times: TimesOfDay
    ) throws(ScheduleTextError) -> Recurrence {
        guard days.nearestWeekdays | days.nearestWeekdaysFromEnd == 0 else {
            throw reader.error(
                "days such as “the 1st”, “the last day” or “the last friday”; the first or the last weekday is for every month",
                at: monthDays?.token)
        }
        guard case .grid(let hours, let minutes, let seconds) = times, let first = times.secondsOfDay.first else {
            throw reader.error("one time of day, or several with the same minutes", at: self.times?.token)
        }
        let frequency: Recurrence.Frequency = unit == .day ? .daily : unit == .month ? .monthly : .yearly
        var rule = Recurrence(
            frequency: frequency, start: CivilDateTime(date: anchor, time: CivilTime(unchecked: first)))
        rule.interval = count
        if times.secondsOfDay.count > 1 {
            (rule.hours, rule.minutes, rule.seconds) = (hours.setBits, minutes.setBits, seconds.setBits)
        }
        rule.monthDays = days.monthDays.setBits + (days.fromEnd != 0 ? [-1] : [])
        rule.days = days.ordinals.setBits.compactMap { bit in
            Weekday(rawValue: bit / 8 + 1).map { .init(ordinal: bit % 8 == 6 ? -1 : bit % 8, weekday: $0) }
        }
        if unit == .year { rule.months = months.setBits }
        return rule
    }

    func limit(_ schedule: inout CalendarSchedule) throws(ScheduleTextError) {
        if let start, let end, end.value < start.value {
            throw reader.error("a day that is not before \(start.value)", at: end.token)
        }
        var hasAnchor = false
        if case .fields(let fields) = schedule.rule { hasAnchor = fields.weekInterval != nil } else { hasAnchor = true }
        if let start, !hasAnchor {
            schedule.from = CivilDateTime(date: start.value, time: CivilTime(unchecked: 0))
        }
        if let end { schedule.until = CivilDateTime(date: end.value, time: CivilTime(unchecked: 86_399)) }
        schedule.exclusions = (excluded?.value.dates ?? []).map { .dates($0...$0) }
    }
}

extension DayRule {
    /// The months that contain the days, as bits: the first month of each quarter, or the last one for days that are
    /// counted from its end.
    ///
    /// It is `nil` if there are no days, or if they are counted from both ends. It is also `nil` with a 31st or a fifth
    /// day of the week, because the month may lack such a day.
    fileprivate var monthsOfQuarters: UInt64? {
        let last = fromEnd | nearestWeekdaysFromEnd != 0 || ordinals.setBits.contains { $0 % 8 == 6 }
        let first = monthDays | nearestWeekdays != 0 || ordinals.setBits.contains { $0 % 8 != 6 }
        guard first != last, !monthDays.has(31), !ordinals.setBits.contains(where: { $0 % 8 == 5 }) else { return nil }
        return UInt64(bits: stride(from: last ? 3 : 1, through: 12, by: 3))
    }
}

extension CivilDate {
    /// The day number of the Monday in the week of this date.
    fileprivate var monday: Int { dayNumber - Self.weekdayIndex(dayNumber) }
}

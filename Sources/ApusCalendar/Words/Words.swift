extension CalendarSchedule {
    /// Reads a schedule in words, such as `every weekday at 18:30`, in English, German or French.
    ///
    /// - Parameters:
    ///   - words: The words; letters may be in either case.
    ///   - today: The date from which an interval such as `every 2 weeks` is counted, unless the text names one. A date
    ///     without a year is the first such date that is not before `today`. If `today` is nil, a text that needs it is
    ///     refused.
    /// - Throws: ``ScheduleTextError`` with the column.
    public init(words: String, today: CivilDate? = nil) throws(ScheduleTextError) {
        try self.init(words: words, today: today, impliesEvery: false)
    }

    /// Reads a schedule in words, in which the word *every* may be missing: `weekday at 18:30`.
    ///
    /// The columns of errors refer to the text as it was typed.
    package init(words: String, today: CivilDate?, impliesEvery: Bool) throws(ScheduleTextError) {
        func read(_ text: String) throws(ScheduleTextError) -> CalendarSchedule {
            try SchedulePhrase.parse(text, today: today, impliesEvery: impliesEvery)
        }
        do { self = try read(words) } catch {
            throw error.suggesting(instead: words) { text throws(ScheduleTextError) in
                let schedule = try read(text)
                return schedule.words ?? text
            }
        }
    }

    /// The schedule in words that ``init(words:today:)`` reads, or nil if words cannot say the schedule exactly.
    ///
    /// It is also nil if the words would have to list more than twelve times of day.
    public var words: String? {
        guard count == nil, spread == 0, let (days, times, anchor) = sentence else { return nil }
        var text = "every \(days)\(times)"
        if let from {
            guard anchor == nil, from.time.secondOfDay == 0 else { return nil }
            text += " starting \(from.date)"
        }
        if let anchor { text += " starting \(anchor)" }
        if let until {
            guard until.time.secondOfDay == 86_399 else { return nil }
            text += " until \(until.date)"
        }
        if !exclusions.isEmpty {
            var dates: [String] = []
            for exclusion in exclusions {
                guard case .dates(let range) = exclusion, range.lowerBound == range.upperBound else { return nil }
                dates.append(range.lowerBound.description)
            }
            text += " except \(dates.listed)"
        }
        if let timeZone { text += " in \(timeZone)" }
        guard case .recurrence = rule else { return text }
        // A rule may have parts that the sentence does not say.
        return (try? SchedulePhrase.parse(text, today: nil)) == self ? text : nil
    }

    /// The words for the stored form, or nil if earlier versions cannot read them.
    ///
    /// Earlier versions have no words for recurrence rules or for nearest weekdays. They can limit a rule to some
    /// months only if it also names days within the month, such as `1st` or `2nd tuesday`.
    var storedWords: String? {
        guard case .fields(let fields) = rule, fields.days.nearestWeekdays | fields.days.nearestWeekdaysFromEnd == 0,
            fields.months == CalendarFields.allMonths || !fields.days.onlyWeekdays
        else { return nil }
        return words
    }

    /// The days, the times, and the date from which an interval is counted.
    private var sentence: (days: String, times: String, anchor: CivilDate?)? {
        switch rule {
        case .fields(let fields):
            guard fields.hashed.isEmpty, fields.years == nil else { return nil }
            if fields.isStepping { return fields.steps.map { ($0, "", nil) } }
            guard let times = fields.times.words, let days = fields.dayWords else { return nil }
            return (days, " at \(times)", fields.weekInterval?.anchor)
        case .recurrence(let rule):
            guard rule.interval > 1, let days = rule.dayWords else { return nil }
            func all(_ values: [Int], _ first: Int) -> [Int] { values.isEmpty ? [first] : values }
            let start = rule.start.time
            let times = TimesOfDay(
                all(rule.hours, start.hour).flatMap { hour in
                    all(rule.minutes, start.minute).flatMap { minute in
                        all(rule.seconds, start.second).map { hour * 3_600 + minute * 60 + $0 }
                    }
                })
            return times.words.map { (days, " at \($0)", rule.start.date) }
        }
    }
}

extension TimesOfDay {
    /// The times, as in `9:00 and 17:00`; nil if there are none, or more than twelve.
    fileprivate var words: String? {
        let seconds = secondsOfDay
        guard (1...12).contains(seconds.count) else { return nil }
        return seconds.map { "\(CivilTime(unchecked: $0))" }.listed
    }
}

extension CalendarFields {
    fileprivate var steps: String? {
        let seconds = times.secondsOfDay
        guard weekInterval == nil, months == Self.allMonths, days.onlyWeekdays,
            let (first, step, last) = NumberSet.progression(seconds)
        else { return nil }
        var text = unit(step)
        if first + 86_400 - last == step, 3600 % step == 0 || step % 3600 == 0,
            first == 0 || step % 3600 == 0 && first < 3600 && first % 60 == 0
        {
            if first > 0 { text += " at :\(padded(first / 60))" }
        } else {
            text += " between \(CivilTime(unchecked: first)) and \(CivilTime(unchecked: last))"
        }
        guard days.weekdays != 0 else { return text }
        return "\(text) on \(weekdayWords(days.weekdays, plural: true))"
    }

    private func unit(_ step: Int) -> String {
        let (count, name) =
            step % 3600 == 0 ? (step / 3600, "hour") : step % 60 == 0 ? (step / 60, "minute") : (step, "second")
        return count == 1 ? name : "\(count) \(name)s"
    }

    fileprivate var dayWords: String? {
        if let weekInterval {
            // Words are always read with an anchor that is a day of the schedule, so no words express another anchor.
            guard months == Self.allMonths, days.onlyWeekdays, days.weekdays.has(weekInterval.anchor.weekday.rawValue)
            else { return nil }
            return "\(weekInterval.weeks) weeks on \(weekdayWords(days.weekdays, plural: true))"
        }
        let names = months.setBits.map { Names.months[$0 - 1] }
        if days.onlyWeekdays {
            let name = days.weekdays == 0 ? "day" : weekdayWords(days.weekdays, plural: false)
            return months == Self.allMonths ? name : "\(name) in \(names.listed)"
        }
        guard let inMonth = days.inMonth else { return nil }
        return (months == Self.allMonths ? "month" : names.listed) + " on the \(inMonth)"
    }

    private func weekdayWords(_ bits: UInt64, plural: Bool) -> String {
        if bits == Self.workdays { return plural ? "weekdays" : "weekday" }
        if bits == Self.weekend { return plural ? "weekends" : "weekend" }
        return bits.setBits.map { Names.weekdays[$0 - 1] }.listed
    }
}

extension DayRule {
    /// Whether the rule restricts neither days of the month nor ordinal days of the week.
    fileprivate var onlyWeekdays: Bool { !restrictsMonthDay && ordinals == 0 }

    /// The days within a month, such as `1st and last day` or `2nd tuesday`; nil if words cannot say them.
    fileprivate var inMonth: String? {
        guard (nearestWeekdays | nearestWeekdaysFromEnd) & ~2 == 0, weekdays == 0, fromEnd & ~2 == 0,
            restrictsMonthDay != restrictsWeekday
        else { return nil }
        var items = monthDays.setBits.map { "\($0)\(PhraseReader.suffix(of: $0))" }
        if fromEnd != 0 { items.append("last day") }
        if nearestWeekdays != 0 { items.append("1st weekday") }
        if nearestWeekdaysFromEnd != 0 { items.append("last weekday") }
        items += ordinals.setBits.map { bit in
            let (number, weekday) = (bit % 8, Names.weekdays[bit / 8])
            return (number == 6 ? "last" : "\(number)\(PhraseReader.suffix(of: number))") + " \(weekday)"
        }
        return items.listed
    }
}

extension Recurrence {
    /// The interval and its days, such as `2 days` or `3 months on the 1st`; nil if words cannot say them.
    fileprivate var dayWords: String? {
        switch frequency {
        case .daily: return "\(interval) days"
        case .monthly, .yearly:
            var rule = DayRule()
            for day in monthDays {
                if day > 0 {
                    rule.monthDays |= 1 << UInt64(day)
                } else if day == -1 {
                    rule.fromEnd = 2
                } else {
                    return nil
                }
            }
            for day in days {
                guard (1...5).contains(day.ordinal) || day.ordinal == -1 else { return nil }
                rule.ordinals |= DayRule.ordinal(day.weekday.rawValue, day.ordinal < 0 ? 6 : day.ordinal)
            }
            if frequency == .monthly { return rule.inMonth.map { "\(interval) months on the \($0)" } }
            guard months.count == 1, monthDays.count == 1, days.isEmpty, monthDays[0] > 0 else { return nil }
            return "\(interval) years on \(monthDays[0]) \(Names.months[months[0] - 1])"
        case .weekly, .hourly, .minutely, .secondly: return nil
        }
    }
}

extension [String] {
    /// The elements as an English list, such as `a, b and c`.
    fileprivate var listed: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1]
    }
}

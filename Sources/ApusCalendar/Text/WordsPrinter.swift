extension CalendarSchedule {
    /// The schedule in words, or nil if words as ``init(words:today:)`` reads them cannot say it exactly.
    public var words: String? {
        guard case .fields(let fields) = rule, from == nil, until == nil, count == nil, exclusions.isEmpty, spread == 0,
            let text = fields.words
        else { return nil }
        return "every \(text)" + (timeZone.map { " in \($0)" } ?? "")
    }
}

extension CalendarFields {
    fileprivate var words: String? {
        guard hashed.isEmpty, years == nil else { return nil }
        if isStepping { return steps }
        let seconds = times.secondsOfDay
        // More are no sentence any more.
        guard (1...12).contains(seconds.count), let days = dayWords else { return nil }
        let anchor = weekInterval.map { " starting \($0.anchor)" } ?? ""
        return "\(days) at \(seconds.map { "\(CivilTime(unchecked: $0))" }.listed)\(anchor)"
    }

    private var steps: String? {
        let seconds = times.secondsOfDay
        guard weekInterval == nil, months == Self.allMonths, days.onlyWeekdays,
            let (first, step, last) = NumberSet.progression(seconds)
        else { return nil }
        var text = unit(step)
        if first + 86_400 - last == step, first == 0 || step % 3600 == 0 && first < 3600 && first % 60 == 0 {
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

    private var dayWords: String? {
        if let weekInterval {
            guard months == Self.allMonths, days.onlyWeekdays, days.weekdays != 0 else { return nil }
            return "\(weekInterval.weeks) weeks on \(weekdayWords(days.weekdays, plural: true))"
        }
        if months == Self.allMonths, days.onlyWeekdays {
            return days.weekdays == 0 ? "day" : weekdayWords(days.weekdays, plural: false)
        }
        guard let inMonth = daysOfMonth else { return nil }
        if months == Self.allMonths { return "month on the \(inMonth)" }
        let names = months.setBits.map { Names.months[$0 - 1] }
        return "\(names.listed) on the \(inMonth)"
    }

    /// `1st and last day`, `2nd tuesday`.
    private var daysOfMonth: String? {
        guard days.nearestWeekdays == 0, !days.lastWeekday, days.weekdays == 0, days.fromEnd & ~2 == 0,
            days.restrictsMonthDay != days.restrictsWeekday
        else { return nil }
        var items = days.monthDays.setBits.map { "\($0)\(WordsParser.suffix(of: $0))" }
        if days.fromEnd != 0 { items.append("last day") }
        items += days.ordinals.setBits.map { bit in
            let (number, weekday) = (bit % 8, Names.weekdays[bit / 8])
            return (number == 6 ? "last" : "\(number)\(WordsParser.suffix(of: number))") + " \(weekday)"
        }
        return items.listed
    }

    private func weekdayWords(_ bits: UInt64, plural: Bool) -> String {
        if bits == WordsParser.workdays { return plural ? "weekdays" : "weekday" }
        if bits == WordsParser.weekend { return plural ? "weekends" : "weekend" }
        return bits.setBits.map { Names.weekdays[$0 - 1] }.listed
    }
}

extension DayRule {
    /// Whether nothing but days of the week is restricted, if anything is.
    fileprivate var onlyWeekdays: Bool { !restrictsMonthDay && ordinals == 0 }
}

extension [String] {
    /// `a`, `a and b`, `a, b and c`.
    fileprivate var listed: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1]
    }
}

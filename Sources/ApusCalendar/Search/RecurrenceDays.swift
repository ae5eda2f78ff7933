/// Finds the days of a recurrence rule, one month at a time.
///
/// The interval of the rule is included if its unit is a day or longer.
struct RecurrenceDays: Sendable {
    private let frequency: Recurrence.Frequency
    private let interval: Int
    private let start: CivilDate
    private let startDay: Int
    /// The day of the week on which weeks begin; Monday is 0.
    private let weekOffset: Int
    let months: UInt64
    /// BYMONTHDAY from the start and from the end of the month.
    ///
    /// In a yearly or monthly rule that names no day, it is the day of DTSTART.
    private var monthDays: UInt64
    private var monthDaysFromEnd: UInt64
    private let yearDays: NumberedDays
    private let yearDaysFromEnd: NumberedDays
    private let weeks: UInt64
    private let weeksFromEnd: UInt64
    /// BYDAY: first the days of the week without an ordinal, then the ordinals of each day of the week, counted from
    /// the start and from the end.
    private var weekdays: UInt64
    private var ordinals = [UInt64](repeating: 0, count: 8)
    private var ordinalsFromEnd = [UInt64](repeating: 0, count: 8)
    private let hasOrdinals: Bool
    private let ordinalsOfMonth: Bool

    init(rule: Recurrence) {
        frequency = rule.frequency
        interval = max(1, rule.interval)
        start = rule.start.date
        startDay = start.dayNumber
        weekOffset = rule.weekStart.rawValue - 1
        let namesDay =
            !(rule.monthDays.isEmpty && rule.yearDays.isEmpty && rule.weekNumbers.isEmpty && rule.days.isEmpty)
        var (months, monthDays) = (rule.months, rule.monthDays)
        weekdays = UInt64(bits: rule.days.filter { $0.ordinal == 0 }.map(\.weekday.rawValue))
        if !namesDay {
            switch rule.frequency {
            case .yearly:
                if months.isEmpty { months = [start.month] }
                monthDays = [start.day]
            case .monthly: monthDays = [start.day]
            case .weekly: weekdays = 1 << UInt64(start.weekday.rawValue)
            case .daily, .hourly, .minutely, .secondly: break
            }
        } else if rule.frequency == .yearly, rule.days.isEmpty, !rule.weekNumbers.isEmpty, monthDays.isEmpty,
            rule.yearDays.isEmpty
        {
            // If a rule names weeks of the year but no day, it matches the weekday of DTSTART (RFC 5545 3.3.10, table).
            weekdays = 1 << UInt64(start.weekday.rawValue)
        }
        self.months = months.isEmpty ? CalendarFields.allMonths : UInt64(bits: months)
        self.monthDays = UInt64(bits: monthDays)
        monthDaysFromEnd = UInt64(bits: monthDays.map { -$0 })
        yearDays = NumberedDays(rule.yearDays)
        yearDaysFromEnd = NumberedDays(rule.yearDays.map { -$0 })
        weeks = UInt64(bits: rule.weekNumbers)
        weeksFromEnd = UInt64(bits: rule.weekNumbers.map { -$0 })
        for day in rule.days where day.ordinal != 0 {
            if day.ordinal > 0 {
                ordinals[day.weekday.rawValue] |= UInt64(bits: [day.ordinal])
            } else {
                ordinalsFromEnd[day.weekday.rawValue] |= UInt64(bits: [-day.ordinal])
            }
        }
        hasOrdinals = rule.days.contains { $0.ordinal != 0 }
        ordinalsOfMonth = rule.frequency == .monthly || !rule.months.isEmpty
    }

    /// Returns the matching days of a month, as bits 1 to 31, in the periods that the interval does not skip.
    func days(_ month: Month) -> UInt64 {
        let counted = inInterval(month)
        return counted == 0 ? 0 : counted & daysOfAnyPeriod(month)
    }

    /// Returns the matching days of a month as bits 1 to 31, regardless of the interval.
    func daysOfAnyPeriod(_ month: Month) -> UInt64 {
        guard months.has(month.month) else { return 0 }
        var bits = month.all
        if monthDays | monthDaysFromEnd != 0 {
            var named = monthDays
            monthDaysFromEnd.forEachBit { back in
                if back <= month.length { named |= 1 << UInt64(month.length + 1 - back) }
            }
            bits &= named
        }
        if !yearDays.isEmpty || !yearDaysFromEnd.isEmpty {
            let before = month.daysBefore
            var named = yearDays.bits(from: before + 1, count: month.length) << 1
            let lastFromEnd = month.yearLength - before - month.length + 1
            named |= yearDaysFromEnd.bits(from: lastFromEnd, count: month.length).reversed(month.length) << 1
            bits &= named
        }
        if bits != 0, weeks | weeksFromEnd != 0 { bits &= byWeekNumber(month) }
        if weekdays != 0 || hasOrdinals {
            var named = month.days(ofWeekdays: weekdays)
            if hasOrdinals { named |= byOrdinal(month) }
            bits &= named
        }
        return bits
    }

    /// Returns an upper bound of the number of matching days in a period.
    func mostDays(inPeriodOf frequency: Recurrence.Frequency) -> Int {
        let named = hasOrdinals || weekdays == 0 ? 7 : weekdays.nonzeroBitCount
        let namedWeeks = weeks.nonzeroBitCount + weeksFromEnd.nonzeroBitCount
        return switch frequency {
        case .weekly: named
        case .monthly: min(31, named * 5)
        // A calendar year may contain days of two weeks with the same number, one at its beginning and one at its end.
        default:
            min(366, named * (namedWeeks == 0 ? 53 : 2 * namedWeeks))
        }
    }

    // MARK: Intervals

    /// Returns all days of a month, as bits 1 to 31, in the periods that the interval does not skip.
    private func inInterval(_ month: Month) -> UInt64 {
        guard interval > 1 else { return month.all }
        switch frequency {
        case .yearly: return (month.year - start.year) % interval == 0 ? month.all : 0
        case .monthly:
            let distance = (month.year - start.year) * 12 + month.month - start.month
            return distance % interval == 0 ? month.all : 0
        case .weekly:
            return month.days(everyWeeks: interval, from: weekStart(of: startDay), offset: weekOffset) & month.all
        case .daily:
            var bits: UInt64 = 0
            var day = 1 + floorMod(startDay - month.first, interval)
            while day <= month.length {
                bits |= 1 << UInt64(day)
                day += interval
            }
            return bits
        case .hourly, .minutely, .secondly: return month.all
        }
    }

    /// Returns the first year at or after `year` that the interval does not skip.
    func nextYear(_ year: Int) -> Int {
        frequency == .yearly && interval > 1 ? year + floorMod(start.year - year, interval) : year
    }

    /// Returns the last year at or before `year` that the interval does not skip.
    func previousYear(_ year: Int) -> Int {
        frequency == .yearly && interval > 1 ? year - floorMod(year - start.year, interval) : year
    }

    // MARK: Weeks

    private func byWeekNumber(_ month: Month) -> UInt64 {
        var bits: UInt64 = 0
        let newYear = month.first - month.daysBefore
        let first = weekStart(of: newYear + 3)
        let end = weekStart(of: newYear + month.yearLength + 3)
        for week in month.weekStarts(offset: weekOffset) {
            // Only the few weeks that belong to the previous or the next year need a separate calculation.
            let isOfYear = first <= week && week < end
            let (number, count) = isOfYear ? ((week - first) / 7 + 1, (end - first) / 7) : weekNumber(week)
            if weeks.has(number) || weeksFromEnd.has(count + 1 - number) { bits |= month.days(in: week...week + 6) }
        }
        return bits
    }

    func weekStart(of day: Int) -> Int { day - floorMod(CivilDate.weekdayIndex(day) - weekOffset, 7) }

    /// Returns the number of the week that starts on a day, and the number of weeks in its year.
    ///
    /// Weeks begin on the day that WKST names.
    private func weekNumber(_ start: Int) -> (number: Int, count: Int) {
        // A week belongs to the year of its fourth day.
        let year = CivilDate(dayNumber: start + 3).year
        let first = weekStart(of: CivilDate(unchecked: year, 1, 4).dayNumber)
        let next = weekStart(of: CivilDate(unchecked: year + 1, 1, 4).dayNumber)
        return ((start - first) / 7 + 1, (next - first) / 7)
    }

    private func byOrdinal(_ month: Month) -> UInt64 {
        let before = ordinalsOfMonth ? 0 : month.daysBefore
        let length = ordinalsOfMonth ? month.length : month.yearLength
        var bits: UInt64 = 0
        var weekday = month.firstWeekday + 1
        for day in 1...month.length {
            let position = before + day
            if ordinals[weekday].has((position - 1) / 7 + 1)
                || ordinalsFromEnd[weekday].has((length - position) / 7 + 1)
            {
                bits |= 1 << UInt64(day)
            }
            weekday = weekday == 7 ? 1 : weekday + 1
        }
        return bits
    }
}

/// Days of the year as bits.
private struct NumberedDays: Sendable {
    private var words = [UInt64](repeating: 0, count: 8)
    let isEmpty: Bool

    init(_ numbers: [Int]) {
        let valid = numbers.filter { (1...366).contains($0) }
        for number in valid { words[number / 64] |= 1 << UInt64(number % 64) }
        isEmpty = valid.isEmpty
    }

    /// Returns `count` days from `first` on, as bits from 0.
    func bits(from first: Int, count: Int) -> UInt64 {
        let (word, shift) = (first / 64, UInt64(first % 64))
        var bits = words[word] >> shift
        if shift > 0, word + 1 < words.count { bits |= words[word + 1] << (64 - shift) }
        return bits & ((1 << UInt64(count)) - 1)
    }
}

extension UInt64 {
    /// Returns the lowest `count` bits in reverse order.
    fileprivate func reversed(_ count: Int) -> UInt64 {
        var (result, rest) = (UInt64(0), self)
        while rest != 0 {
            result |= 1 << UInt64(count - 1 - rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        return result
    }
}

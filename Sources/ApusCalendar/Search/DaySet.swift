/// The days of a recurrence rule and the periods that its interval counts.
struct DaySet: Sendable {
    private let rule: Recurrence
    private let months: UInt64
    /// BYMONTHDAY with the default of DTSTART where no other part names a day.
    private let monthDays: [Int]
    private let weekdays: UInt64
    private let startDay: Int
    private let weekOffset: Int

    init(rule: Recurrence) {
        self.rule = rule
        let start = rule.start.date
        startDay = start.dayNumber
        weekOffset = rule.weekStart.rawValue - 1
        let namesDay =
            !(rule.monthDays.isEmpty && rule.yearDays.isEmpty && rule.weekNumbers.isEmpty && rule.days.isEmpty)
        var (months, monthDays) = (rule.months, rule.monthDays)
        var weekdays = UInt64(bits: rule.days.filter { $0.ordinal == 0 }.map(\.weekday.rawValue))
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
            // A week of the year without a day is the day of the week of DTSTART (RFC 5545 3.3.10, table).
            weekdays = 1 << UInt64(start.weekday.rawValue)
        }
        self.months = months.isEmpty ? CalendarFields.allMonths : UInt64(bits: months)
        self.monthDays = monthDays
        self.weekdays = weekdays
    }

    /// The number of the period that contains a day, 0 for the one of DTSTART.
    func period(of day: Int) -> Int {
        let (date, start) = (CivilDate(dayNumber: day), rule.start.date)
        switch rule.frequency {
        case .yearly: return date.year - start.year
        case .monthly: return (date.year - start.year) * 12 + date.month - start.month
        case .weekly: return floorDiv(day - weekStart(of: startDay), 7)
        case .daily, .hourly, .minutely, .secondly: return day - startDay
        }
    }

    /// The days of a period, or nil after the last year.
    func range(ofPeriod period: Int) -> Range<Int>? {
        let start = rule.start.date
        let last = 84_371  // 2201-01-01
        switch rule.frequency {
        case .yearly:
            let year = start.year + period
            guard year <= 2200 else { return nil }
            let first = CivilDate(unchecked: year, 1, 1).dayNumber
            return first..<first + (CivilDate.isLeap(year) ? 366 : 365)
        case .monthly:
            let month = start.month - 1 + period
            let (year, number) = (start.year + month / 12, month % 12 + 1)
            guard year <= 2200 else { return nil }
            let first = CivilDate(unchecked: year, number, 1).dayNumber
            return first..<first + CivilDate.days(inMonth: number, year: year)
        case .weekly:
            let first = weekStart(of: startDay) + period * 7
            return first < last ? first..<first + 7 : nil
        case .daily, .hourly, .minutely, .secondly:
            let first = startDay + period
            return first < last ? first..<first + 1 : nil
        }
    }

    func days(in range: Range<Int>) -> [Int] {
        // Whole periods that BYMONTH leaves out are not laid out.
        if rule.frequency == .monthly || rule.frequency == .daily,
            !months.has(CivilDate(dayNumber: range.lowerBound).month)
        {
            return []
        }
        return range.filter(contains)
    }

    func contains(_ day: Int) -> Bool {
        let weekday = CivilDate.weekdayIndex(day) + 1
        if weekdays != 0, !weekdays.has(weekday), !rule.days.contains(where: { $0.ordinal != 0 }) { return false }
        let date = CivilDate(dayNumber: day)
        guard months.has(date.month) else { return false }
        if !monthDays.isEmpty {
            let length = CivilDate.days(inMonth: date.month, year: date.year)
            guard monthDays.contains(where: { $0 == date.day || $0 == date.day - length - 1 }) else { return false }
        }
        if !rule.yearDays.isEmpty {
            let (number, length) = (date.dayOfYear, CivilDate.isLeap(date.year) ? 366 : 365)
            guard rule.yearDays.contains(where: { $0 == number || $0 == number - length - 1 }) else { return false }
        }
        if !rule.weekNumbers.isEmpty {
            let (number, count) = week(of: day)
            guard rule.weekNumbers.contains(where: { $0 == number || $0 == number - count - 1 }) else { return false }
        }
        return rule.days.isEmpty || rule.days.contains { matches($0, weekday, date) }
    }

    private func matches(_ day: Recurrence.Day, _ weekday: Int, _ date: CivilDate) -> Bool {
        guard day.weekday.rawValue == weekday else { return false }
        if day.ordinal == 0 { return true }
        let byMonth = rule.frequency == .monthly || !rule.months.isEmpty
        let position = byMonth ? date.day : date.dayOfYear
        let length =
            byMonth ? CivilDate.days(inMonth: date.month, year: date.year) : CivilDate.isLeap(date.year) ? 366 : 365
        return day.ordinal > 0
            ? (position - 1) / 7 + 1 == day.ordinal : -((length - position) / 7 + 1) == day.ordinal
    }

    private func weekStart(of day: Int) -> Int { day - floorMod(CivilDate.weekdayIndex(day) - weekOffset, 7) }

    /// The number of the week that contains a day and the number of weeks of its year, with weeks as WKST says.
    private func week(of day: Int) -> (number: Int, count: Int) {
        let start = weekStart(of: day)
        // The year of a week is the one of its fourth day.
        let year = CivilDate(dayNumber: start + 3).year
        let first = weekStart(of: CivilDate(unchecked: year, 1, 4).dayNumber)
        let next = weekStart(of: CivilDate(unchecked: year + 1, 1, 4).dayNumber)
        return ((start - first) / 7 + 1, (next - first) / 7)
    }
}

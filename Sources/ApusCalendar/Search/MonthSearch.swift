/// The local seconds from 1900 to 2200, which searches cover.
let searchedLocals: ClosedRange<Int64> = -2_208_988_800...7_289_654_399

/// A function that returns days of a month as bits 1 to 31.
typealias DaysOfMonth = (Month) -> UInt64

/// Searches a rule month by month.
///
/// The matching days of a month and the times of a day are sets of bits.
struct MonthSearch: Sendable {
    enum Days: Sendable {
        case fields(CalendarFields)
        case recurrence(RecurrenceDays)
    }

    let days: Days
    let times: TimesOfDay
    let months: UInt64
    /// The interval of hours, minutes or seconds, for rules that have one.
    let cycle: UnitCycle?
    let isEmpty: Bool

    init(days: Days, times: TimesOfDay, cycle: UnitCycle? = nil) {
        self.days = days
        self.times = times
        self.cycle = cycle
        months =
            switch days {
            case .fields(let fields): fields.months & CalendarFields.allMonths
            case .recurrence(let days): days.months & CalendarFields.allMonths
            }
        isEmpty = months == 0 || times.next(atOrAfter: 0) == nil || cycle?.isEmpty == true
    }

    /// Returns the days of a month that have a match, as bits 1 to 31.
    func days(_ month: Month) -> UInt64 {
        guard !isEmpty, months.has(month.month) else { return 0 }
        var bits: UInt64
        switch days {
        case .fields(let fields):
            if let years = fields.years, !years.contains(sorted: month.year) { return 0 }
            bits = fields.days.days(month)
            if bits != 0, let interval = fields.weekInterval {
                let anchor = interval.anchor.dayNumber
                let monday = anchor - CivilDate.weekdayIndex(anchor)
                bits &= month.days(everyWeeks: max(1, interval.weeks), from: monday, offset: 0)
                bits &= month.days(in: anchor...max(anchor, 200_000))
            }
        case .recurrence(let days): bits = days.days(month)
        }
        guard let cycle, bits != 0 else { return bits }
        var rest = bits
        while rest != 0 {
            let day = rest.trailingZeroBitCount
            if !cycle.contains(day: month.first + day - 1) { bits &= ~(1 << UInt64(day)) }
            rest &= rest - 1
        }
        return bits
    }

    /// Returns the first match at or after a local second, and adds the number of examined months to `steps`.
    func next(atOrAfter local: Int64, steps: inout Int, except excluded: DaysOfMonth?) -> Int64? {
        guard !isEmpty else { return nil }
        let from = Int(max(local, searchedLocals.lowerBound))
        let fromDay = floorDiv(from, 86_400)
        let date = CivilDate(dayNumber: fromDay)
        var month = Month(containing: date, dayNumber: fromDay)
        var day = date.day
        while true {
            guard let year = nextYear(month.year), year <= Month.years.upperBound else { return nil }
            if year != month.year { (month, day) = (Month(year: year, month: 1), 1) }
            guard let number = months.next(month.month) else {
                (month, day) = (Month(year: month.year + 1, month: 1), 1)
                continue
            }
            while month.month != number {
                month.advance()
                day = 1
            }
            steps += 1
            var bits = days(month)
            if bits != 0, let excluded { bits &= ~excluded(month) }
            while let found = bits.next(day) {
                let dayNumber = month.first + found - 1
                let second = dayNumber == fromDay ? from - fromDay * 86_400 : 0
                if let time = time(atOrAfter: second, dayNumber) { return Int64(dayNumber * 86_400 + time) }
                day = found + 1
            }
            month.advance()
            day = 1
        }
    }

    /// Returns the last match at or before a local second, and adds the number of examined months to `steps`.
    func previous(atOrBefore local: Int64, steps: inout Int, except excluded: DaysOfMonth?) -> Int64? {
        guard !isEmpty else { return nil }
        let from = Int(min(local, searchedLocals.upperBound))
        let fromDay = floorDiv(from, 86_400)
        let date = CivilDate(dayNumber: fromDay)
        var month = Month(containing: date, dayNumber: fromDay)
        var day = date.day
        while true {
            guard let year = previousYear(month.year), year >= Month.years.lowerBound else { return nil }
            if year != month.year { (month, day) = (Month(year: year, month: 12), 31) }
            guard let number = months.previous(month.month) else {
                (month, day) = (Month(year: month.year - 1, month: 12), 31)
                continue
            }
            while month.month != number {
                month.retreat()
                day = 31
            }
            steps += 1
            var bits = days(month)
            if bits != 0, let excluded { bits &= ~excluded(month) }
            while let found = bits.previous(day) {
                let dayNumber = month.first + found - 1
                let second = dayNumber == fromDay ? from - fromDay * 86_400 : 86_399
                if let time = time(atOrBefore: second, dayNumber) { return Int64(dayNumber * 86_400 + time) }
                day = found - 1
            }
            month.retreat()
            day = 31
        }
    }

    private func time(atOrAfter second: Int, _ day: Int) -> Int? {
        cycle.map { $0.next(atOrAfter: second, day: day) } ?? times.next(atOrAfter: second)
    }

    private func time(atOrBefore second: Int, _ day: Int) -> Int? {
        cycle.map { $0.previous(atOrBefore: second, day: day) } ?? times.previous(atOrBefore: second)
    }

    func nextYear(_ year: Int) -> Int? {
        switch days {
        case .fields(let fields):
            guard let years = fields.years else { return year }
            return years.first { $0 >= year }
        case .recurrence(let days): return days.nextYear(year)
        }
    }

    private func previousYear(_ year: Int) -> Int? {
        switch days {
        case .fields(let fields):
            guard let years = fields.years else { return year }
            return years.last { $0 <= year }
        case .recurrence(let days): return days.previousYear(year)
        }
    }
}

extension [Int] {
    fileprivate func contains(sorted value: Int) -> Bool { first { $0 >= value } == value }
}

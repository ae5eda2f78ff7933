/// Finds local date-times of a rule, in seconds of the local clock since 1970-01-01 00:00.
protocol LocalSearch: Sendable {
    /// The first match at or after a local second; `steps` counts the months or periods that were examined.
    func next(atOrAfter local: Int64, steps: inout Int) -> Int64?
    /// The last match at or before a local second.
    func previous(atOrBefore local: Int64, steps: inout Int) -> Int64?
}

/// The local seconds that searches cover: the years 1900 to 2200.
let searchedLocals: ClosedRange<Int64> = -2_208_988_800...7_289_654_399

/// The search of fields: a month gives its days as bits, a day its times as bits.
struct FieldSearch: LocalSearch {
    let fields: CalendarFields
    private static let years = 1900...2200

    func next(atOrAfter local: Int64, steps: inout Int) -> Int64? {
        let from = CivilDateTime(localSeconds: max(local, searchedLocals.lowerBound))
        guard let firstTime = fields.times.next(atOrAfter: 0) else { return nil }
        var (year, month, day) = (from.date.year, from.date.month, from.date.day)
        if fields.times.next(atOrAfter: from.time.secondOfDay) == nil { day += 1 }
        while year <= Self.years.upperBound {
            if let years = fields.years, !years.contains(year) {
                guard let next = years.first(where: { $0 > year }) else { return nil }
                (year, month, day) = (next, 1, 1)
                continue
            }
            guard let found = fields.months.next(month) else {
                (year, month, day) = (year + 1, 1, 1)
                continue
            }
            if found != month { (month, day) = (found, 1) }
            steps += 1
            if let match = days(year, month).next(day) {
                let date = CivilDate(unchecked: year, month, match)
                let time = date == from.date ? fields.times.next(atOrAfter: from.time.secondOfDay) : firstTime
                if let time { return Int64(date.dayNumber * 86400 + time) }
            }
            (month, day) = (month + 1, 1)
        }
        return nil
    }

    func previous(atOrBefore local: Int64, steps: inout Int) -> Int64? {
        let from = CivilDateTime(localSeconds: min(local, searchedLocals.upperBound))
        guard let lastTime = fields.times.previous(atOrBefore: 86399) else { return nil }
        var (year, month, day) = (from.date.year, from.date.month, from.date.day)
        if fields.times.previous(atOrBefore: from.time.secondOfDay) == nil { day -= 1 }
        while year >= Self.years.lowerBound {
            if let years = fields.years, !years.contains(year) {
                guard let next = years.last(where: { $0 < year }) else { return nil }
                (year, month, day) = (next, 12, 31)
                continue
            }
            guard let found = fields.months.previous(month), found > 0 else {
                (year, month, day) = (year - 1, 12, 31)
                continue
            }
            if found != month { (month, day) = (found, 31) }
            steps += 1
            if let match = days(year, month).previous(day) {
                let date = CivilDate(unchecked: year, month, match)
                let time = date == from.date ? fields.times.previous(atOrBefore: from.time.secondOfDay) : lastTime
                if let time { return Int64(date.dayNumber * 86400 + time) }
            }
            (month, day) = (month - 1, 31)
        }
        return nil
    }

    private func days(_ year: Int, _ month: Int) -> UInt64 {
        let first = CivilDate(unchecked: year, month, 1).dayNumber
        var bits = fields.days.days(year: year, month: month, firstWeekday: CivilDate.weekdayIndex(first))
        if let interval = fields.weekInterval {
            let anchor = interval.anchor.dayNumber
            let monday = anchor - CivilDate.weekdayIndex(anchor)
            for day in bits.setBits {
                let number = first + day - 1
                let weeks = floorDiv(number - monday, 7)
                if number < anchor || weeks % interval.weeks != 0 { bits &= ~(1 << UInt64(day)) }
            }
        }
        return bits
    }
}

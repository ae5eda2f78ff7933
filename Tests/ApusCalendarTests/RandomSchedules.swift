@testable import ApusCalendar

/// A generator of pseudorandom numbers (SplitMix64), which depend only on the seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func below(_ bound: Int) -> Int { number(0...bound - 1) }

    mutating func chance(_ one: Int) -> Bool { number(1...one) == 1 }

    /// Returns a set of up to `most` random numbers in a range, as bits.
    mutating func bits(_ range: ClosedRange<Int>, _ most: Int = 5) -> UInt64 {
        UInt64(bits: (0..<number(0...most)).map { _ in number(range) })
    }

    mutating func numbers(_ range: ClosedRange<Int>, _ most: Int = 3, signed: Bool = false) -> [Int] {
        (0..<number(1...most)).map { _ in number(range) * (signed && chance(3) ? -1 : 1) }
    }
}

/// Random values for all parts of a schedule, in their documented ranges.
extension SeededGenerator {
    mutating func date(_ years: ClosedRange<Int> = 1900...2200) -> CivilDate {
        CivilDate(dayNumber: number((years.lowerBound - 1970) * 365...(years.upperBound - 1970) * 365))
    }

    mutating func dateTime(_ years: ClosedRange<Int> = 1900...2200) -> CivilDateTime {
        CivilDateTime(date: date(years), time: CivilTime(unchecked: number(0...86_399)))
    }

    mutating func times() -> TimesOfDay {
        switch number(1...4) {
        case 1: .grid(hours: bits(0...23), minutes: bits(0...59), seconds: bits(0...59, 2))
        case 2: .grid(hours: TimesOfDay.allHours, minutes: bits(0...59), seconds: 1)
        case 3: TimesOfDay((0..<number(0...20)).map { _ in number(0...86_399) })
        default: TimesOfDay([number(0...23) * 3600 + number(0...59) * 60])
        }
    }

    mutating func dayRule() -> DayRule {
        var days = DayRule()
        if chance(3) { days.monthDays = bits(1...31) }
        if chance(5) { days.fromEnd = bits(1...31, 2) }
        if chance(8) { days.nearestWeekdays = bits(1...31, 2) }
        if chance(8) { days.nearestWeekdaysFromEnd = bits(1...31, 2) }
        if chance(3) { days.weekdays = bits(1...7) }
        if chance(5) { days.ordinals = DayRule.ordinal(number(1...7), number(1...6)) }
        if chance(2) { days.combination = .or }
        return days
    }

    mutating func fields() -> CalendarFields {
        var hashed: [CalendarFields.Hashed] = []
        if chance(6) {
            let field = CalendarFields.Field.allCases[number(0...5)]
            let lower = number(field.limits)
            hashed = [
                .init(
                    field: field, lower: lower, upper: number(lower...field.limits.upperBound),
                    step: chance(2) ? number(1...20) : nil)
            ]
        }
        return CalendarFields(
            times: times(), isStepping: chance(2), days: dayRule(),
            months: chance(3) ? bits(1...12) : CalendarFields.allMonths,
            years: chance(5) ? numbers(1970...2200) : nil,
            weekInterval: chance(5) ? .init(weeks: number(1...60), anchor: date()) : nil, hashed: hashed)
    }

    mutating func recurrence() -> Recurrence {
        let frequency = Recurrence.Frequency.allCases[number(0...6)]
        var rule = Recurrence(frequency: frequency, start: dateTime(1970...2100))
        if chance(2) { rule.interval = number(1...40) }
        if chance(5) { rule.count = number(1...50) } else if chance(5) { rule.until = dateTime(2000...2200) }
        rule.untilIsUTC = rule.until != nil && chance(2)
        if chance(3) { rule.months = numbers(1...12) }
        if chance(3), frequency != .weekly { rule.monthDays = numbers(1...31, signed: true) }
        if chance(6), ![.daily, .weekly, .monthly].contains(frequency) {
            rule.yearDays = numbers(1...366, signed: true)
        }
        if chance(6), frequency == .yearly { rule.weekNumbers = numbers(1...53, signed: true) }
        if chance(2) {
            let counted = frequency == .monthly || frequency == .yearly && rule.weekNumbers.isEmpty
            rule.days = (0..<number(1...3)).map { _ in
                let ordinal = counted && chance(2) ? number(1...5) * (chance(2) ? -1 : 1) : 0
                return .init(ordinal: ordinal, weekday: Weekday.allCases[number(0...6)])
            }
        }
        if chance(3) { rule.hours = numbers(0...23) }
        if chance(3) { rule.minutes = numbers(0...59) }
        if chance(4) { rule.seconds = numbers(0...59) }
        if chance(5), frequency.seconds == nil, !rule.days.isEmpty || !rule.hours.isEmpty {
            rule.positions = numbers(1...5, signed: true)
        }
        if chance(5) { rule.weekStart = Weekday.allCases[number(0...6)] }
        if chance(5) { rule.exceptions = [dateTime(), rule.start] }
        if chance(5) { rule.extras = [dateTime(), dateTime()] }
        if chance(8) { (rule.utcExceptions, rule.utcExtras) = ([rule.start, dateTime()], [dateTime(), dateTime()]) }
        return rule
    }

    mutating func schedule(depth: Int = 2) -> CalendarSchedule {
        let zones = [nil, "Europe/Berlin", "Etc/GMT+5", "UTC"]
        var schedule = CalendarSchedule(
            chance(3) ? .recurrence(recurrence()) : .fields(fields()), timeZone: zones[number(0...3)])
        if chance(4) { schedule.from = dateTime() }
        if chance(4) { schedule.until = dateTime() }
        if chance(5) { schedule.count = number(0...CalendarSchedule.largestCount) }
        if chance(5) { schedule.spread = number(0...CalendarSchedule.largestSpread) }
        for _ in 0..<(chance(3) ? number(1...3) : 0) {
            let first = date()
            schedule.exclusions.append(
                depth > 0 && chance(3)
                    ? .schedule(self.schedule(depth: depth - 1))
                    : .dates(first...CivilDate(dayNumber: first.dayNumber + number(0...400))))
        }
        return schedule
    }
}

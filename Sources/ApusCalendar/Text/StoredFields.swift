/// The stored form of fields that no text can express.
///
/// Sets of numbers are written as in cron: `1-5,7`.
///
/// - `hours`, `minutes`, `seconds`: a grid of times; or `times`: seconds since midnight, ascending.
/// - `stepping`: whether the times follow the clock.
/// - `monthDays` 1–31; `fromEnd` 1–31, where 1 is the last day; `nearestWeekdays` 1–31.
/// - `lastWeekday`: whether the last day from Monday to Friday matches, which is bit 1 of
///   ``DayRule/nearestWeekdaysFromEnd``; `nearestWeekdaysFromEnd` 2–31: the other bits of that property.
/// - `weekdays` 1–7 from Monday; `ordinals`: `5#2` is the second Friday, and `5L` the last Friday.
/// - `either`: whether a day needs to match only one of the day of the month and the day of the week.
/// - `months` 1–12, `years` 1–9999.
/// - `weeks` and `starting`: the distance between matching weeks, and a date in the first one.
/// - `hashed`: the fields whose values are hashed from the identifier.
struct StoredFields: Codable {
    struct Hash: Codable {
        var field: String
        var lower: Int
        var upper: Int
        var step: Int?
    }

    var hours: String?
    var minutes: String?
    var seconds: String?
    var times: [Int]?
    var stepping: Bool?
    var monthDays: String?
    var fromEnd: String?
    var nearestWeekdays: String?
    var lastWeekday: Bool?
    var nearestWeekdaysFromEnd: String?
    var weekdays: String?
    var ordinals: [String]?
    var either: Bool?
    var months: String?
    var years: String?
    var weeks: Int?
    var starting: CivilDate?
    var hashed: [Hash]?

    init(_ fields: CalendarFields) {
        func text(_ bits: UInt64) -> String? { bits == 0 ? nil : NumberSet.list(bits.setBits, range: "-") }
        switch fields.times {
        case .grid(let hours, let minutes, let seconds):
            (self.hours, self.minutes, self.seconds) = (text(hours) ?? "", text(minutes) ?? "", text(seconds) ?? "")
        case .list(let list): times = list
        }
        stepping = fields.isStepping ? true : nil
        let days = fields.days
        monthDays = text(days.monthDays)
        fromEnd = text(days.fromEnd)
        nearestWeekdays = text(days.nearestWeekdays)
        lastWeekday = days.nearestWeekdaysFromEnd.has(1) ? true : nil
        nearestWeekdaysFromEnd = text(days.nearestWeekdaysFromEnd & ~2)
        weekdays = text(days.weekdays)
        let ordinals = days.ordinals.setBits.map { "\($0 / 8 + 1)" + ($0 % 8 == 6 ? "L" : "#\($0 % 8)") }
        self.ordinals = ordinals.isEmpty ? nil : ordinals
        either = days.combination == .or ? true : nil
        months = fields.months == CalendarFields.allMonths ? nil : text(fields.months) ?? ""
        years = fields.years.map { NumberSet.list($0, range: "-") }
        weeks = fields.weekInterval?.weeks
        starting = fields.weekInterval?.anchor
        let hashed = fields.hashed.map {
            Hash(field: $0.field.rawValue, lower: $0.lower, upper: $0.upper, step: $0.step)
        }
        self.hashed = hashed.isEmpty ? nil : hashed
    }

    /// The fields; the property throws a `DecodingError` if a stored value is out of range.
    var fields: CalendarFields {
        get throws {
            var days = DayRule()
            days.monthDays = try bits(monthDays, 1...31, "monthDays")
            days.fromEnd = try bits(fromEnd, 1...31, "fromEnd")
            days.nearestWeekdays = try bits(nearestWeekdays, 1...31, "nearestWeekdays")
            days.nearestWeekdaysFromEnd =
                try bits(nearestWeekdaysFromEnd, 2...31, "nearestWeekdaysFromEnd") | (lastWeekday == true ? 2 : 0)
            days.weekdays = try bits(weekdays, 1...7, "weekdays")
            for text in ordinals ?? [] { days.ordinals |= try ordinal(text) }
            var result = CalendarFields(
                times: try timesOfDay, days: days,
                months: try months.map { try bits($0, 1...12, "months") } ?? CalendarFields.allMonths,
                years: try years.map { try numbers($0, 1...9999, "years") }, weekInterval: try weekInterval,
                hashed: try (hashed ?? []).map(hash))
            // The initializer derives these two properties from its arguments. The stored values may differ, because
            // the properties can be changed later.
            result.isStepping = stepping ?? false
            result.days.combination = either == true ? .or : .and
            return result
        }
    }

    private var timesOfDay: TimesOfDay {
        get throws {
            if let times {
                guard zip(times, times.dropFirst()).allSatisfy(<), times.allSatisfy({ (0..<86_400).contains($0) })
                else {
                    throw invalid("times", "seconds since midnight, 0 to 86399, ascending")
                }
                return .list(times)
            }
            guard let hours, let minutes, let seconds else {
                throw invalid("times", "times, or hours, minutes and seconds")
            }
            return .grid(
                hours: try bits(hours, 0...23, "hours"), minutes: try bits(minutes, 0...59, "minutes"),
                seconds: try bits(seconds, 0...59, "seconds"))
        }
    }

    private var weekInterval: CalendarFields.WeekInterval? {
        get throws {
            guard weeks != nil || starting != nil else { return nil }
            guard let weeks, let starting, (1...10_000).contains(weeks) else {
                throw invalid("weeks", "1 to 10000, with a date as starting")
            }
            return .init(weeks: weeks, anchor: starting)
        }
    }

    private func hash(_ stored: Hash) throws -> CalendarFields.Hashed {
        guard let field = CalendarFields.Field(rawValue: stored.field), field.limits.contains(stored.lower),
            field.limits.contains(stored.upper), stored.lower <= stored.upper, (1...60).contains(stored.step ?? 1)
        else { throw invalid("hashed", "a field, bounds within it and a step from 1 to 60") }
        return .init(field: field, lower: stored.lower, upper: stored.upper, step: stored.step)
    }

    private func ordinal(_ text: String) throws -> UInt64 {
        let parts = text.hasSuffix("L") ? [text.dropLast(), "6"] : text.split(separator: "#")
        guard parts.count == 2, let weekday = Int(parts[0]), let number = Int(parts[1]), (1...7).contains(weekday),
            (1...5).contains(number) || text.hasSuffix("L")
        else { throw invalid("ordinals", "5#2 or 5L, with weekdays 1 to 7") }
        return DayRule.ordinal(weekday, number)
    }

    private func bits(_ text: String?, _ range: ClosedRange<Int>, _ key: String) throws -> UInt64 {
        UInt64(bits: try numbers(text ?? "", range, key))
    }

    private func numbers(_ text: String, _ range: ClosedRange<Int>, _ key: String) throws -> [Int] {
        var result: [Int] = []
        for part in text.split(separator: ",") {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
                .map { Token(text: String($0), column: 1).number }
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first <= last,
                range.contains(first), range.contains(last)
            else { throw invalid(key, "numbers and ranges from \(range.lowerBound) to \(range.upperBound)") }
            result += first...last
        }
        return result
    }

    private func invalid(_ key: String, _ expected: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "\(key): expected \(expected)"))
    }
}

extension CalendarFields.Field {
    /// The range of the field's values.
    var limits: ClosedRange<Int> {
        switch self {
        case .second, .minute: 0...59
        case .hour: 0...23
        case .day: 1...31
        case .month: 1...12
        case .weekday: 0...6
        }
    }
}

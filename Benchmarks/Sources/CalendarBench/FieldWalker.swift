import ApusCalendar

/// The search of the common cron libraries (cronexpr, robfig/cron, cron-parser).
///
/// It advances each field until the field matches, from the largest field to the smallest, and starts again when a
/// larger field carries.
struct FieldWalker {
    private let minutes: Set<Int>
    private let hours: Set<Int>
    private let days: Set<Int>
    private let months: Set<Int>
    private let weekdays: Set<Int>

    /// Creates a search; `nil` for an expression that contains more than numbers, ranges and steps.
    init?(_ cron: String) {
        let fields = cron.split(separator: " ")
        guard fields.count == 5, let minutes = Self.set(fields[0], 0...59), let hours = Self.set(fields[1], 0...23),
            let days = Self.set(fields[2], 1...31), let months = Self.set(fields[3], 1...12),
            let weekdays = Self.set(fields[4], 0...6)
        else { return nil }
        (self.minutes, self.hours, self.days, self.months, self.weekdays) = (minutes, hours, days, months, weekdays)
    }

    private static func set(_ field: Substring, _ range: ClosedRange<Int>) -> Set<Int>? {
        var result: Set<Int> = []
        for part in field.split(separator: ",") {
            let pieces = part.split(separator: "/")
            guard let step = pieces.count == 1 ? 1 : Int(pieces[1]) else { return nil }
            let ends = pieces[0].split(separator: "-")
            if pieces[0] == "*" {
                result.formUnion(stride(from: range.lowerBound, through: range.upperBound, by: step))
            } else if let first = Int(ends[0]), let last = Int(ends[ends.count - 1]) {
                result.formUnion(stride(from: first, through: last, by: step))
            } else {
                return nil
            }
        }
        return result
    }

    func next(after instant: Int64, in rules: TimeZoneRules) -> Int64? {
        var local = rules.local(at: instant).localSeconds / 60 * 60 + 60
        let end = local + 5 * 366 * 86_400
        while local < end {
            let now = CivilDateTime(localSeconds: local)
            let date = now.date
            if !months.contains(date.month) {
                let next = CivilDate(
                    year: date.month == 12 ? date.year + 1 : date.year, month: date.month % 12 + 1, day: 1)
                guard let next else { return nil }
                local = Int64(next.dayNumber) * 86_400
            } else if !days.contains(date.day) || !weekdays.contains(date.weekday.rawValue % 7) {
                local = Int64(date.dayNumber + 1) * 86_400
            } else if !hours.contains(now.time.hour) {
                local += 3600 - local % 3600
            } else if !minutes.contains(now.time.minute) {
                local += 60
            } else {
                switch rules.localToInstants(now) {
                case .one(let found): return found
                case .gap(_, let after): return after
                case .repeated(let first, let second): return first > instant ? first : second
                }
            }
        }
        return nil
    }
}

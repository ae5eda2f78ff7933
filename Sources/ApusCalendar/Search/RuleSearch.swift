/// Finds the local date-times of a rule, in seconds of the local clock since 1970-01-01 00:00.
struct RuleSearch: Sendable {
    enum Kind: Sendable {
        case months(MonthSearch)
        case positions(PositionSearch)
    }

    let kind: Kind
    /// The first local second that the rule can match.
    ///
    /// Extra dates may be earlier, and may be later than ``last``.
    let first: Int64
    private(set) var last: Int64
    /// The extra local seconds (RDATE), sorted.
    let extras: [Int64]
    /// The excluded local seconds (EXDATE).
    let exceptions: Set<Int64>
    /// The day numbers on which ``days(_:)`` may be wrong: those of the bounds, of extra dates and of exceptions.
    private(set) var partialDays: Set<Int> = []

    init(fields: CalendarFields) {
        kind = .months(MonthSearch(days: .fields(fields), times: fields.times))
        (first, last) = (searchedLocals.lowerBound, searchedLocals.upperBound)
        extras = []
        exceptions = []
    }

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - rules: The offsets of the zone, for date-times in UTC.
    init(recurrence rule: Recurrence, in rules: TimeZoneRules) {
        let start = rule.start.time
        let depth = Recurrence.Frequency.allCases.firstIndex(of: rule.frequency) ?? 0
        func bits(_ values: [Int], _ fallback: Int, _ all: UInt64, finerThan level: Int) -> UInt64 {
            if !values.isEmpty { return UInt64(bits: values) & all }
            return depth >= level ? all : 1 << UInt64(fallback)
        }
        var times = TimesOfDay.grid(
            hours: bits(rule.hours, start.hour, TimesOfDay.allHours, finerThan: 4),
            minutes: bits(rule.minutes, start.minute, TimesOfDay.allSixty, finerThan: 5),
            seconds: bits(rule.seconds, start.second, TimesOfDay.allSixty, finerThan: 6))
        let isByPosition = !rule.positions.isEmpty && rule.frequency.seconds == nil
        if isByPosition, rule.frequency == .daily {
            // The positions select among the times of one day. Every day has the same times, so this is done once.
            let count = times.count
            let chosen = rule.positions.map { $0 > 0 ? $0 - 1 : count + $0 }.filter { (0..<count).contains($0) }
            times = TimesOfDay(chosen.map { times[$0] })
        }
        if isByPosition, rule.frequency != .daily {
            kind = .positions(PositionSearch(rule: rule, times: times))
        } else {
            let interval = max(1, rule.interval)
            var cycle: UnitCycle?
            if let length = rule.frequency.seconds, interval > 1 {
                cycle = UnitCycle(times: times, length: length, interval: interval, start: rule.start)
            }
            kind = .months(
                MonthSearch(days: .recurrence(RecurrenceDays(rule: rule)), times: times, cycle: cycle))
        }
        first = max(rule.start.localSeconds, searchedLocals.lowerBound)
        last = searchedLocals.upperBound
        func locals(_ moments: [CivilDateTime], _ utc: [CivilDateTime]) -> Set<Int64> {
            Set(moments.map(\.localSeconds)).union(utc.map { rules.local(at: $0.localSeconds).localSeconds })
        }
        extras = locals(rule.extras, rule.utcExtras).sorted()
        exceptions = locals(rule.exceptions, rule.utcExceptions)
        if let until = rule.until {
            last = min(last, rule.untilIsUTC ? rules.furthestLocal(at: until.localSeconds) : until.localSeconds)
        }
        if let count = rule.count {
            let end = last
            var (steps, match) = (0, first - 1)
            for _ in 0..<min(count, CalendarSchedule.largestCount) {
                guard let next = nextOfRule(match + 1, &steps, nil), next <= end else { break }
                match = next
            }
            last = match
        }
        let instants = [first, last] + extras + exceptions
        partialDays = Set(instants.map { floorDiv(Int($0), 86_400) })
    }

    /// Whether every hour of the day has the same times, or the rule has an interval of several hours, minutes or
    /// seconds.
    var coversEveryHour: Bool {
        if case .months(let search) = kind { search.cycle != nil || search.times.coversEveryHour } else { false }
    }

    /// Whether searches leave out every match on an excluded day.
    var honoursExclusions: Bool {
        if case .months = kind { extras.isEmpty } else { false }
    }

    /// Returns the days of a month that have a match, as bits 1 to 31; the caller checks ``partialDays``.
    func days(_ month: Month) -> UInt64 {
        let range = floorDiv(Int(first), 86_400)...max(floorDiv(Int(first), 86_400), floorDiv(Int(last), 86_400))
        return switch kind {
        case .months(let search): search.days(month) & month.days(in: range)
        case .positions(let search): search.days(month) & month.days(in: range)
        }
    }

    /// Returns the first match at or after a local second.
    ///
    /// - Parameters:
    ///   - local: The local second.
    ///   - steps: Incremented for each month or period that is examined.
    ///   - excluded: The days to leave out. With positions or extra dates, some matches on these days may be returned.
    /// - Returns: The local second, or nil if there is none.
    func next(atOrAfter local: Int64, steps: inout Int, except excluded: DaysOfMonth?) -> Int64? {
        let extra = extras.isEmpty ? nil : extras.first { $0 >= local }
        guard let found = nextOfRule(max(local, first), &steps, excluded), found <= last else { return extra }
        return extra.map { min($0, found) } ?? found
    }

    /// Returns the last match at or before a local second.
    ///
    /// - Parameters:
    ///   - local: The local second.
    ///   - steps: Incremented for each month or period that is examined.
    ///   - excluded: The days to leave out, as in ``next(atOrAfter:steps:except:)``.
    /// - Returns: The local second, or nil if there is none.
    func previous(atOrBefore local: Int64, steps: inout Int, except excluded: DaysOfMonth?) -> Int64? {
        let extra = extras.isEmpty ? nil : extras.last { $0 <= local }
        let from = min(local, last)
        guard from >= first, let found = previousOfRule(from, &steps, excluded), found >= first else { return extra }
        return extra.map { max($0, found) } ?? found
    }

    private func nextOfRule(_ from: Int64, _ steps: inout Int, _ excluded: DaysOfMonth?) -> Int64? {
        switch kind {
        case .months(let search): search.next(atOrAfter: from, steps: &steps, except: excluded)
        case .positions(let search): search.next(atOrAfter: from, steps: &steps)
        }
    }

    private func previousOfRule(_ from: Int64, _ steps: inout Int, _ excluded: DaysOfMonth?) -> Int64? {
        switch kind {
        case .months(let search): search.previous(atOrBefore: from, steps: &steps, except: excluded)
        case .positions(let search): search.previous(atOrBefore: from, steps: &steps)
        }
    }
}

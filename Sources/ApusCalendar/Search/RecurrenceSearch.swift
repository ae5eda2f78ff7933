/// The search of a recurrence rule: period by period from the one that contains the start of the search.
struct RecurrenceSearch: LocalSearch {
    private let rule: Recurrence
    private let times: TimesOfDay
    private let daySet: DaySet
    private let hours: UInt64
    private let minutes: UInt64
    private let seconds: UInt64
    /// The last local second that the rule can match; the extra dates may be later.
    private var last = searchedLocals.upperBound

    /// - Parameters:
    ///   - rule: The rule.
    ///   - rules: The offsets of the zone, for an end in UTC.
    init(rule: Recurrence, in rules: TimeZoneRules) {
        self.rule = rule
        let start = rule.start.time
        let depth = Recurrence.Frequency.allCases.firstIndex(of: rule.frequency) ?? 0
        func bits(_ values: [Int], _ fallback: Int, _ all: UInt64, finerThan level: Int) -> UInt64 {
            if !values.isEmpty { return UInt64(bits: values) }
            return depth >= level ? all : 1 << UInt64(fallback)
        }
        hours = bits(rule.hours, start.hour, TimesOfDay.allHours, finerThan: 4)
        minutes = bits(rule.minutes, start.minute, TimesOfDay.allSixty, finerThan: 5)
        seconds = bits(rule.seconds, start.second, TimesOfDay.allSixty, finerThan: 6)
        times = .grid(hours: hours, minutes: minutes, seconds: seconds)
        daySet = DaySet(rule: rule)
        if let until = rule.until {
            last = min(last, rule.untilIsUTC ? rules.furthestLocal(at: until.localSeconds) : until.localSeconds)
        }
        guard let count = rule.count else { return }
        var (steps, match) = (0, rule.start.localSeconds - 1)
        for _ in 0..<min(count, CalendarSchedule.largestCount) {
            guard let next = nextOfRule(max(match + 1, searchedLocals.lowerBound), &steps), next <= last else { return }
            match = next
        }
        last = match
    }

    func next(atOrAfter local: Int64, steps: inout Int) -> Int64? {
        let from = max(local, rule.start.localSeconds, searchedLocals.lowerBound)
        let extra = rule.extras.first { $0.localSeconds >= local }?.localSeconds
        guard let found = nextOfRule(from, &steps), found <= last else { return extra }
        return extra.map { min($0, found) } ?? found
    }

    func previous(atOrBefore local: Int64, steps: inout Int) -> Int64? {
        let extra = rule.extras.last { $0.localSeconds <= local }?.localSeconds
        let from = min(local, last)
        guard from >= rule.start.localSeconds, let found = previousOfRule(from, &steps) else { return extra }
        return extra.map { max($0, found) } ?? found
    }

    // MARK: Periods of days

    private func nextOfRule(_ from: Int64, _ steps: inout Int) -> Int64? {
        guard rule.frequency.seconds == nil else { return nextUnit(from, &steps) }
        let day = floorDiv(Int(from), 86400)
        var period = max(0, daySet.period(of: day))
        period += (rule.interval - period % rule.interval) % rule.interval
        // The period of a week or an ISO year may start before the day that names it; look one period back.
        period = max(0, period - rule.interval)
        while let range = daySet.range(ofPeriod: period) {
            steps += 1
            if let found = candidates(range).first(where: { $0 >= from }) { return found }
            period += rule.interval
        }
        return nil
    }

    private func previousOfRule(_ from: Int64, _ steps: inout Int) -> Int64? {
        guard rule.frequency.seconds == nil else { return previousUnit(from, &steps) }
        var period = daySet.period(of: floorDiv(Int(from), 86400)) + 1
        period -= floorMod(period, rule.interval)
        let start = rule.start.localSeconds
        while period >= 0 {
            steps += 1
            if let range = daySet.range(ofPeriod: period),
                let found = candidates(range).last(where: { $0 <= from && $0 >= start })
            {
                return found
            }
            period -= rule.interval
        }
        return nil
    }

    /// All matches of a period, sorted.
    private func candidates(_ range: Range<Int>) -> [Int64] {
        let days = daySet.days(in: range)
        if days.isEmpty { return [] }
        let list = times.secondsOfDay
        guard !rule.positions.isEmpty else {
            return days.flatMap { day in list.map { Int64(day * 86400 + $0) } }
        }
        // A position picks a day and a time without laying out all pairs.
        let total = days.count * list.count
        let indices = Set(rule.positions.map { $0 > 0 ? $0 - 1 : total + $0 }).filter { (0..<total).contains($0) }
        return indices.sorted().map { Int64(days[$0 / list.count] * 86400 + list[$0 % list.count]) }
    }

    // MARK: Units below a day

    private func unit(_ local: Int64) -> Int { floorDiv(Int(local), rule.frequency.seconds ?? 1) }

    private func nextUnit(_ from: Int64, _ steps: inout Int) -> Int64? {
        let length = rule.frequency.seconds ?? 1
        let origin = unit(rule.start.localSeconds)
        var local = Int(from)
        while local <= Int(searchedLocals.upperBound) {
            steps += 1
            guard steps < 200_000 else { return nil }
            let day = floorDiv(local, 86400)
            guard daySet.contains(day), let time = times.next(atOrAfter: local - day * 86400) else {
                local = (day + 1) * 86400
                continue
            }
            local = day * 86400 + time
            let distance = floorDiv(local, length) - origin
            let behind = floorMod(distance, rule.interval)
            if behind == 0 { return Int64(local) }
            local = (floorDiv(local, length) + rule.interval - behind) * length
        }
        return nil
    }

    private func previousUnit(_ from: Int64, _ steps: inout Int) -> Int64? {
        let length = rule.frequency.seconds ?? 1
        let origin = unit(rule.start.localSeconds)
        var local = Int(from)
        while local >= Int(rule.start.localSeconds) {
            steps += 1
            guard steps < 200_000 else { return nil }
            let day = floorDiv(local, 86400)
            guard daySet.contains(day), let time = times.previous(atOrBefore: local - day * 86400) else {
                local = day * 86400 - 1
                continue
            }
            local = day * 86400 + time
            let behind = floorMod(floorDiv(local, length) - origin, rule.interval)
            if behind == 0 { return local >= Int(rule.start.localSeconds) ? Int64(local) : nil }
            local = (floorDiv(local, length) - behind + 1) * length - 1
        }
        return nil
    }
}

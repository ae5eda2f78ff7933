/// Searches a recurrence rule with BYSETPOS, which selects some of the matches of each year, month or week.
struct PositionSearch: Sendable {
    private let rule: Recurrence
    private let interval: Int
    private let days: RecurrenceDays
    private let times: TimesOfDay
    private let positions: [Int]

    init(rule: Recurrence, times: TimesOfDay) {
        self.rule = rule
        self.times = times
        interval = max(1, rule.interval)
        days = RecurrenceDays(rule: rule)
        // A position that no period reaches is dropped here. Otherwise the search would look for it in every period up
        // to the year 2200.
        let most = days.mostDays(inPeriodOf: rule.frequency) * times.count
        positions = rule.positions.filter { abs($0) <= most }
    }

    func next(atOrAfter local: Int64, steps: inout Int) -> Int64? {
        guard !positions.isEmpty else { return nil }
        let from = max(local, searchedLocals.lowerBound)
        var period = firstPeriod(from: Int(from))
        while let parts = parts(ofPeriod: period) {
            steps += 1
            if let found = matches(parts).first(where: { $0 >= from }) { return found }
            period += interval
        }
        return nil
    }

    /// Calls `body` with each match in a range of local seconds.
    func forEachMatch(in range: ClosedRange<Int64>, _ body: (Int64) -> Void) {
        guard !positions.isEmpty else { return }
        var period = firstPeriod(from: Int(range.lowerBound))
        while let parts = parts(ofPeriod: period) {
            // This period and all later ones begin more than a month after the range.
            if let first = parts.first?.first, first * 86_400 > Int(range.upperBound) + 31 * 86_400 { return }
            for match in matches(parts) where range.contains(match) { body(match) }
            period += interval
        }
    }

    /// Returns the period in which a search from a local second starts.
    ///
    /// It is the last multiple of the interval that is before the period of the local second, or period 0 if there is
    /// none.
    private func firstPeriod(from local: Int) -> Int {
        let period = max(0, period(of: floorDiv(local, 86_400)))
        return max(0, period + floorMod(-period, interval) - interval)
    }

    func previous(atOrBefore local: Int64, steps: inout Int) -> Int64? {
        guard !positions.isEmpty else { return nil }
        var period = period(of: floorDiv(Int(local), 86_400)) + 1
        period -= floorMod(period, interval)
        let start = rule.start.localSeconds
        // DTSTART may be in any year, but the search ends at the first year that searches cover.
        let earliest = max(0, self.period(of: floorDiv(Int(searchedLocals.lowerBound), 86_400)))
        while period >= earliest {
            steps += 1
            if let parts = parts(ofPeriod: period),
                let found = matches(parts).last(where: { $0 <= local && $0 >= start })
            {
                return found
            }
            period -= interval
        }
        return nil
    }

    /// Returns the days of a month that have a match, as bits 1 to 31.
    func days(_ month: Month) -> UInt64 {
        var (bits, steps) = (UInt64(0), 0)
        let end = Int64((month.first + month.length) * 86_400)
        var from = Int64(month.first * 86_400)
        while let match = next(atOrAfter: from, steps: &steps), match < end {
            let day = Int(match) / 86_400 - month.first + 1
            bits |= 1 << UInt64(day)
            from = Int64((month.first + day) * 86_400)
        }
        return bits
    }

    // MARK: Periods

    /// Returns the number of the period that contains a day; the period of DTSTART is 0.
    private func period(of day: Int) -> Int {
        let (date, start) = (CivilDate(dayNumber: day), rule.start.date)
        switch rule.frequency {
        case .yearly: return date.year - start.year
        case .monthly: return (date.year - start.year) * 12 + date.month - start.month
        default: return floorDiv(day - days.weekStart(of: start.dayNumber), 7)
        }
    }

    /// Returns the months of a period with the matching days of each; nil after the last searched year.
    private func parts(ofPeriod period: Int) -> [(first: Int, bits: UInt64)]? {
        let start = rule.start.date
        switch rule.frequency {
        case .yearly:
            let year = start.year + period
            guard year <= Month.years.upperBound else { return nil }
            return (1...12).map { number in
                let month = Month(year: year, month: number)
                return (month.first, days.daysOfAnyPeriod(month))
            }
        case .monthly:
            let number = start.month - 1 + period
            guard start.year + number / 12 <= Month.years.upperBound else { return nil }
            let month = Month(year: start.year + number / 12, month: number % 12 + 1)
            return [(month.first, days.daysOfAnyPeriod(month))]
        default:
            let first = days.weekStart(of: start.dayNumber) + period * 7
            guard first * 86_400 <= searchedLocals.upperBound else { return nil }
            var month = Month(containing: CivilDate(dayNumber: first), dayNumber: first)
            var parts = [(month.first, days.daysOfAnyPeriod(month) & month.days(in: first...first + 6))]
            if first + 6 >= month.first + month.length {
                month.advance()
                parts.append((month.first, days.daysOfAnyPeriod(month) & month.days(in: first...first + 6)))
            }
            return parts
        }
    }

    /// Returns the matches at the positions, sorted.
    private func matches(_ parts: [(first: Int, bits: UInt64)]) -> [Int64] {
        let total = parts.reduce(0) { $0 + $1.bits.nonzeroBitCount } * times.count
        guard total > 0 else { return [] }
        let indices = Set(positions.map { $0 > 0 ? $0 - 1 : total + $0 }).filter { (0..<total).contains($0) }
        return indices.sorted().map { index in
            var number = index / times.count
            for part in parts {
                let count = part.bits.nonzeroBitCount
                if number < count {
                    return Int64((part.first + part.bits.setBit(number) - 1) * 86_400 + times[index % times.count])
                }
                number -= count
            }
            preconditionFailure("an index below the total")
        }
    }
}

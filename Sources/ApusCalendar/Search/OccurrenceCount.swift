/// Counts the occurrences in a range without visiting each of them.
///
/// The number of local times in a whole day is known, so days are counted as a whole. For each change of the clock, the
/// count is corrected by the local times that the change skips, moves or repeats.
extension PreparedSchedule {
    /// Counts the occurrences in a range of instants, within milliseconds even if there are many.
    ///
    /// - Parameters:
    ///   - instant: The instant in seconds since 1970 after which occurrences are counted.
    ///   - last: The last instant at which an occurrence is counted.
    /// - Returns: The number of occurrences that repeated calls of ``next(after:)`` would find.
    public func count(after instant: Int64, through last: Int64) -> Int {
        let instants = TimeZoneRules.instants
        let instant = min(max(instant, instants.lowerBound), instants.upperBound)
        let last = min(max(last, instants.lowerBound), instants.upperBound - 1)
        guard instant < last else { return 0 }
        guard delay > 0 else { return dueCount(instant, last) }
        // Only the last due instant before a bound can be delayed past it.
        return dueCount(instant, last) + (isLastDelayed(past: instant) ? 1 : 0) - (isLastDelayed(past: last) ? 1 : 0)
    }

    private func isLastDelayed(past instant: Int64) -> Bool {
        var steps = 0
        guard let due = duePrevious(instant + 1, &steps) else { return false }
        let delayed = due.delayed(delay, before: dueNext(due.instant, &steps)?.instant)
        return delayed.instant + delayed.delay > instant
    }

    /// Counts the due instants after one instant, up to and including another, without the delay of the spread.
    private func dueCount(_ after: Int64, _ last: Int64) -> Int {
        if isStepping { return exactCount(after, last) }
        var (count, from) = (0, after)
        let reach = 4 * TimeZoneRules.largestOffset
        var change = rules.segment(at: after - reach)
        while change < rules.starts.count, rules.starts[change] <= last {
            var end = change
            while end + 1 < rules.starts.count, rules.starts[end + 1] - rules.starts[end] <= reach { end += 1 }
            if end > change {
                // Changes of the clock that are this close to each other may undo each other, so the occurrences near
                // them are counted one by one.
                let before = min(last, max(from, rules.starts[change] - reach))
                let beyond = max(before, min(last, rules.starts[end] + reach))
                count += fixedCount(from, before) + walkedCount(before, beyond)
                from = beyond
            }
            change = end + 1
        }
        return count + fixedCount(from, last)
    }

    private func walkedCount(_ after: Int64, _ last: Int64) -> Int {
        var (count, from, steps) = (0, after, 0)
        while let next = dueNext(from, &steps), next.instant <= last { (count, from) = (count + 1, next.instant) }
        return count
    }

    /// Counts every instant at which the clock shows a match.
    private func exactCount(_ after: Int64, _ last: Int64) -> Int {
        guard after < last else { return 0 }
        return (rules.segment(at: after + 1)...rules.segment(at: last)).reduce(0) { count, segment in
            let offset = Int64(rules.offsets[segment])
            let first = max(after + 1, rules.start(of: segment))
            return count + matchCount(first + offset, min(last, rules.end(of: segment) - 1) + offset)
        }
    }

    /// Counts fixed times in a range in which the changes of the clock are far from each other.
    private func fixedCount(_ after: Int64, _ last: Int64) -> Int {
        guard after < last else { return 0 }
        let isOnce = policy.repeated == .first
        var count =
            isOnce
            ? matchCount(rules.furthestLocal(at: after) + 1, rules.furthestLocal(at: last)) : exactCount(after, last)
        for segment in rules.segment(at: after)..<rules.segment(at: last) {
            let landing = rules.starts[segment] + Int64(rules.offsets[segment + 1])
            let skipped = rules.starts[segment] + Int64(rules.offsets[segment])
            guard skipped < landing else { continue }
            let inGap = matchCount(skipped, landing - 1)
            if isOnce { count -= inGap }
            // All times in a gap are due once, together with the time at which the clock continues.
            if inGap > 0, policy.gap == .after, matchCount(landing, landing) == 0 { count += 1 }
        }
        return count
    }

    /// Counts the matches in a range of local seconds that are within the bounds of the schedule and not excluded.
    private func matchCount(_ first: Int64, _ last: Int64) -> Int {
        let (first, last) = (max(first, lower), min(last, upper))
        guard first <= last else { return 0 }
        func counts(_ local: Int64) -> Bool {
            !search.exceptions.contains(local) && !(exclusions?.contains(day: floorDiv(Int(local), 86_400)) ?? false)
        }
        let excluded = exclusions.map { exclusions in { exclusions.days($0) } }
        var count = 0
        if max(first, search.first) <= min(last, search.last) {
            let range = max(first, search.first)...min(last, search.last)
            switch search.kind {
            case .months(let months):
                count = months.count(in: range, except: excluded)
                for exception in search.exceptions where range.contains(exception) {
                    count -= months.count(in: exception...exception, except: excluded)
                }
            case .positions(let positions):
                positions.forEachMatch(in: range) { if counts($0) { count += 1 } }
            }
        }
        for extra in Set(search.extras) where (first...last).contains(extra) && counts(extra) {
            if !search.hasMatchOfRule(at: extra) { count += 1 }
        }
        return count
    }
}

extension RuleSearch {
    /// Whether the rule, without its extra dates, has a match at a local second.
    fileprivate func hasMatchOfRule(at local: Int64) -> Bool {
        guard first <= local, local <= last else { return false }
        switch kind {
        case .months(let months): return months.count(in: local...local, except: nil) > 0
        case .positions(let positions):
            var count = 0
            positions.forEachMatch(in: local...local) { _ in count += 1 }
            return count > 0
        }
    }
}

extension MonthSearch {
    /// Returns the number of matches in a range of local seconds.
    fileprivate func count(in range: ClosedRange<Int64>, except excluded: DaysOfMonth?) -> Int {
        let range = range.clamped(to: searchedLocals)
        guard !isEmpty else { return 0 }
        let firstDay = floorDiv(Int(range.lowerBound), 86_400)
        let lastDay = floorDiv(Int(range.upperBound), 86_400)
        var month = Month(containing: CivilDate(dayNumber: firstDay), dayNumber: firstDay)
        var counts = [Int?](repeating: nil, count: cycle?.days ?? 1)
        func ofWholeDay(_ day: Int) -> Int {
            let index = floorMod(day, counts.count)
            if let known = counts[index] { return known }
            let count = cycle?.count(in: 0...86_399, day: day) ?? times.count
            counts[index] = count
            return count
        }
        var count = 0
        while month.first <= lastDay {
            guard let year = nextYear(month.year), year <= Month.years.upperBound else { break }
            if year != month.year {
                month = Month(year: year, month: 1)
                continue
            }
            if months.has(month.month) {
                var bits = days(month) & month.days(in: firstDay...lastDay)
                if bits != 0, let excluded { bits &= ~excluded(month) }
                let edges = [firstDay, lastDay].reduce(UInt64(0)) { $0 | month.days(in: $1...$1) } & bits
                edges.forEachBit { bit in
                    let day = month.first + bit - 1
                    let first = day == firstDay ? Int(range.lowerBound) - day * 86_400 : 0
                    let last = day == lastDay ? Int(range.upperBound) - day * 86_400 : 86_399
                    count += cycle?.count(in: first...last, day: day) ?? times.count(in: first...last)
                }
                bits &= ~edges
                if cycle == nil {
                    count += bits.nonzeroBitCount * times.count
                } else {
                    bits.forEachBit { count += ofWholeDay(month.first + $0 - 1) }
                }
            }
            month.advance()
        }
        return count
    }
}

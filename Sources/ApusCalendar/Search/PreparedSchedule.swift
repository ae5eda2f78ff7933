/// A schedule prepared for searches: hashed fields are resolved, and if it has a count, its last occurrence is known.
///
/// Keep a prepared schedule for repeated searches; ``CalendarSchedule/next(after:in:policy:identifier:)`` creates one
/// for each call.
public struct PreparedSchedule: Sendable {
    let search: RuleSearch
    let isStepping: Bool
    let rules: TimeZoneRules
    let policy: ClockPolicy
    let lower: Int64
    let upper: Int64
    let exclusions: ExcludedDays?
    /// The numbers of the days on which bounds, extra dates or exceptions may decide whether there is a match.
    private let partialDays: [Int]
    let delay: Int64

    /// The maximum number of steps of a search.
    ///
    /// A search examines the 3612 months from 1900 to 2200 at most four times: for the first copy of a repeated time
    /// and for the second one, in each case before and after a change of the clock. For positions in weeks, it examines
    /// the 15705 weeks instead. A spread triples this. Each EXDATE, and each excluded day of a rule with positions,
    /// adds one step.
    static let stepBound = 4 * 15_705 * 3

    /// Prepares a schedule.
    ///
    /// - Parameters:
    ///   - schedule: The schedule.
    ///   - rules: The rules of its time zone.
    ///   - policy: The policies for the changes of the clock.
    ///   - identifier: The text from which `H` and the spread are hashed.
    public init(
        _ schedule: CalendarSchedule, in rules: TimeZoneRules, policy: ClockPolicy = .init(), identifier: String = ""
    ) {
        var lower = schedule.from?.localSeconds ?? searchedLocals.lowerBound
        var upper = min(schedule.until?.localSeconds ?? .max, searchedLocals.upperBound)
        switch schedule.rule {
        case .fields(let fields):
            search = RuleSearch(fields: fields.resolved(identifier: identifier))
            isStepping = fields.isStepping
            if schedule.count != nil, schedule.from == nil { lower = 0 }
        case .recurrence(let rule):
            search = RuleSearch(recurrence: rule, in: rules)
            isStepping = rule.frequency.seconds != nil
        }
        if let count = schedule.count {
            var steps = 0
            var last = lower - 1
            for _ in 0..<max(0, min(count, CalendarSchedule.largestCount)) {
                guard let next = search.next(atOrAfter: last + 1, steps: &steps, except: nil), next <= upper else {
                    break
                }
                last = next
            }
            upper = min(upper, last)
        }
        self.rules = rules
        self.policy = policy
        self.lower = lower
        self.upper = upper
        let others = schedule.exclusions.compactMap { exclusion in
            if case .schedule(let other) = exclusion {
                PreparedSchedule(other, in: rules, policy: policy, identifier: identifier)
            } else {
                nil
            }
        }
        let dates = schedule.exclusions.compactMap { exclusion in
            if case .dates(let dates) = exclusion {
                dates.lowerBound.dayNumber...dates.upperBound.dayNumber
            } else {
                nil
            }
        }
        exclusions = schedule.exclusions.isEmpty ? nil : ExcludedDays(dates: dates, schedules: others)
        let bounds = [lower, upper].map { floorDiv(Int($0), 86_400) }
        partialDays = search.partialDays.union(bounds).sorted()
        delay = Int64(
            StableHash.slot(identifier, "spread", below: min(schedule.spread, CalendarSchedule.largestSpread)))
    }

    /// Returns the first occurrence after an instant.
    ///
    /// - Parameter instant: The instant in seconds since 1970.
    /// - Returns: The occurrence, or nil if there is none until the end of 2200.
    public func next(after instant: Int64) -> Occurrence? {
        var steps = 0
        return next(after: instant, steps: &steps)
    }

    /// Returns the last occurrence before an instant.
    ///
    /// - Parameter instant: The instant in seconds since 1970.
    /// - Returns: The occurrence, or nil if there is none since 1900.
    public func previous(before instant: Int64) -> Occurrence? {
        var steps = 0
        return previous(before: instant, steps: &steps)
    }

    /// Returns the first local date-time of the rule that the clock skips in a range of instants, and that is not due
    /// later instead.
    ///
    /// A schedule with the same times in every hour of the day has none, because it continues at even distances.
    ///
    /// - Parameters:
    ///   - instant: The instant in seconds since 1970 after which the clock changes.
    ///   - last: The last instant at which it may change.
    /// - Returns: The date-time, or nil if the clock skips none.
    public func skipped(after instant: Int64, through last: Int64) -> CivilDateTime? {
        guard isStepping || policy.gap == .skip, !search.coversEveryHour else { return nil }
        for change in rules.transitions(in: instant + 1..<max(instant, last) + 1) where change.before < change.after {
            var steps = 0
            let landing = change.at + Int64(change.after)
            if let match = matchNext(change.at + Int64(change.before), &steps), match < landing {
                return CivilDateTime(localSeconds: match)
            }
        }
        return nil
    }

    func next(after instant: Int64, steps: inout Int) -> Occurrence? {
        let instant = min(max(instant, TimeZoneRules.instants.lowerBound), TimeZoneRules.instants.upperBound)
        // The rules of the zone end at the upper bound, so nothing is due there.
        return occurrence(after: instant, &steps).flatMap { $0.instant < TimeZoneRules.instants.upperBound ? $0 : nil }
    }

    private func occurrence(after instant: Int64, _ steps: inout Int) -> Occurrence? {
        guard delay > 0 else { return dueNext(instant, &steps)?.occurrence(rules) }
        // Only the last due instant up to `instant` can be delayed past it.
        if let last = duePrevious(instant + 1, &steps) {
            let following = dueNext(last.instant, &steps)
            let delayed = last.delayed(delay, before: following?.instant)
            if delayed.instant + delayed.delay > instant { return delayed.occurrence(rules) }
            return following?.delayed(delay, before: following.flatMap { dueNext($0.instant, &steps)?.instant })
                .occurrence(rules)
        }
        guard let due = dueNext(instant, &steps) else { return nil }
        return due.delayed(delay, before: dueNext(due.instant, &steps)?.instant).occurrence(rules)
    }

    func previous(before instant: Int64, steps: inout Int) -> Occurrence? {
        let instant = min(max(instant, TimeZoneRules.instants.lowerBound), TimeZoneRules.instants.upperBound)
        guard let due = duePrevious(instant, &steps) else { return nil }
        guard delay > 0 else { return due.occurrence(rules) }
        let delayed = due.delayed(delay, before: dueNext(due.instant, &steps)?.instant)
        if delayed.instant + delayed.delay < instant { return delayed.occurrence(rules) }
        return duePrevious(due.instant, &steps)?.delayed(delay, before: due.instant).occurrence(rules)
    }

    // MARK: Instants

    /// A due instant, and the delay that the spread adds to it.
    struct Due {
        var instant: Int64
        /// The local second at which the rule has a match.
        var local: Int64
        var delay: Int64 = 0
        /// The offset, if no change of the clock is near and the local time is therefore shown once; otherwise nil.
        var plainOffset: Int?

        func delayed(_ delay: Int64, before next: Int64?) -> Due {
            Due(instant: instant, local: local, delay: min(delay, next.map { max(0, $0 - instant - 1) } ?? delay))
        }

        func occurrence(_ rules: TimeZoneRules) -> Occurrence {
            if let plainOffset, delay == 0 {
                let shown = CivilDateTime(localSeconds: local)
                return Occurrence(instant: instant, local: shown, offset: plainOffset, note: nil)
            }
            let note: Occurrence.ClockNote? =
                switch rules.resolve(local) {
                case .one: nil
                case .gap: .movedAfterGap(from: CivilDateTime(localSeconds: local))
                case .repeated(let first, _): instant == first ? .firstOfRepeated : .secondOfRepeated
                }
            let at = instant + delay
            let offset = rules.offset(at: at)
            let shown = CivilDateTime(localSeconds: at + Int64(offset))
            return Occurrence(instant: at, local: shown, offset: offset, note: note)
        }
    }

    func dueNext(_ instant: Int64, _ steps: inout Int) -> Due? {
        let exact = isStepping || policy.repeated == .both ? exactNext(instant, &steps) : nil
        guard !isStepping else { return exact }
        guard let fixed = fixedNext(instant, &steps) else { return exact }
        return exact.map { $0.instant <= fixed.instant ? $0 : fixed } ?? fixed
    }

    func duePrevious(_ instant: Int64, _ steps: inout Int) -> Due? {
        let exact = isStepping || policy.repeated == .both ? exactPrevious(instant, &steps) : nil
        guard !isStepping else { return exact }
        guard let fixed = fixedPrevious(instant, &steps) else { return exact }
        return exact.map { $0.instant >= fixed.instant ? $0 : fixed } ?? fixed
    }

    /// Returns the first due instant of a fixed time after `instant`.
    ///
    /// A fixed time is due when the clock first reaches or passes it, so the search starts after the furthest local
    /// time that was shown.
    private func fixedNext(_ instant: Int64, _ steps: inout Int) -> Due? {
        let segment = rules.segment(at: instant)
        var local = rules.furthestLocal(at: instant, segment: segment) + 1
        if rules.isPlain(instant, segment: segment) {
            // Usually the match has the same offset as `instant`, and no change of the clock is near.
            guard let match = matchNext(local, &steps) else { return nil }
            let offset = Int(rules.offsets[segment])
            let found = match - Int64(offset)
            if rules.isPlain(found, segment: segment) { return Due(instant: found, local: match, plainOffset: offset) }
            local = match
        }
        while let match = matchNext(local, &steps) {
            switch rules.resolve(match) {
            case .one(let first), .repeated(let first, _):
                if isReached(match, at: first) { return Due(instant: first, local: match) }
                local = match + 1
            case .gap(_, let after):
                if policy.gap == .after { return Due(instant: after, local: match) }
                local = after + Int64(rules.offset(at: after))
            }
        }
        return nil
    }

    /// Whether the clock reaches a local second for the first time at an instant.
    ///
    /// It is false if the local second was skipped earlier: the clock first moved forward over the local second, was
    /// set back within hours, and only then shows it. No real zone has such changes, but the contents of a zone file
    /// may describe them.
    private func isReached(_ match: Int64, at instant: Int64) -> Bool {
        let segment = rules.segment(at: instant - 1)
        return rules.isPlain(instant - 1, segment: segment)
            || rules.furthestLocal(at: instant - 1, segment: segment) < match
    }

    private func fixedPrevious(_ instant: Int64, _ steps: inout Int) -> Due? {
        var local = rules.furthestLocal(at: instant - 1)
        while let match = matchPrevious(local, &steps) {
            switch rules.resolve(match) {
            case .one(let first), .repeated(let first, _):
                if isReached(match, at: first) { return Due(instant: first, local: match) }
                local = match - 1
            case .gap(let before, let after):
                if policy.gap == .skip {
                    local = before + Int64(rules.offset(at: before))
                    continue
                }
                // Several local times in one gap are one occurrence with the first of these times, as in the forward
                // search.
                let shown = rules.furthestLocal(at: before) + 1
                return Due(instant: after, local: matchNext(shown, &steps) ?? match)
            }
        }
        return nil
    }

    /// Returns the first instant after `instant` at which the clock shows a match, including both copies of a repeated
    /// hour.
    private func exactNext(_ instant: Int64, _ steps: inout Int) -> Due? {
        var from = instant + 1
        var segment = rules.segment(at: from)
        while true {
            steps += 1
            let offset = Int64(rules.offsets[segment])
            let end = rules.end(of: segment)
            let local = from + offset
            let match = matchNext(local, &steps)
            if let match, match - offset < end {
                let isPlain = rules.isPlain(match - offset, segment: segment)
                return Due(instant: match - offset, local: match, plainOffset: isPlain ? Int(offset) : nil)
            }
            guard segment < rules.starts.count else { return nil }
            // The rule has no match from `local` until `match`, so segments that show only local times between these
            // are skipped. Only the segments that start soon after `from` can show a time before `local`.
            segment += 1
            let reachable = rules.segment(at: (match ?? upper) - 2 * TimeZoneRules.largestOffset)
            while segment < reachable, rules.start(of: segment) + Int64(rules.offsets[segment]) >= local {
                segment = rules.start(of: segment) > from + 2 * TimeZoneRules.largestOffset ? reachable : segment + 1
            }
            from = rules.start(of: segment)
        }
    }

    private func exactPrevious(_ instant: Int64, _ steps: inout Int) -> Due? {
        var last = instant - 1
        var segment = rules.segment(at: last)
        while true {
            steps += 1
            let offset = Int64(rules.offsets[segment])
            let local = last + offset
            let match = matchPrevious(local, &steps)
            if let match, match - offset >= rules.start(of: segment) {
                return Due(instant: match - offset, local: match)
            }
            guard segment > 0 else { return nil }
            segment -= 1
            let reachable = rules.segment(at: (match ?? lower) + 2 * TimeZoneRules.largestOffset)
            while segment > reachable, rules.end(of: segment) - 1 + Int64(rules.offsets[segment]) <= local {
                segment = rules.end(of: segment) < last - 2 * TimeZoneRules.largestOffset ? reachable : segment - 1
            }
            last = rules.end(of: segment) - 1
        }
    }

    // MARK: Local matches within the bounds

    func matchNext(_ local: Int64, _ steps: inout Int) -> Int64? {
        var from = max(local, lower)
        let excluded = exclusions.map { exclusions in { exclusions.days($0) } }
        while let match = search.next(atOrAfter: from, steps: &steps, except: excluded), match <= upper {
            if search.exceptions.contains(match) {
                from = match + 1
            } else if let exclusions, !search.honoursExclusions, exclusions.contains(day: floorDiv(Int(match), 86_400))
            {
                from = Int64(floorDiv(Int(match), 86_400) + 1) * 86_400
            } else {
                return match
            }
            steps += 1
        }
        return nil
    }

    private func matchPrevious(_ local: Int64, _ steps: inout Int) -> Int64? {
        var from = min(local, upper)
        let excluded = exclusions.map { exclusions in { exclusions.days($0) } }
        while let match = search.previous(atOrBefore: from, steps: &steps, except: excluded), match >= lower {
            if search.exceptions.contains(match) {
                from = match - 1
            } else if let exclusions, !search.honoursExclusions, exclusions.contains(day: floorDiv(Int(match), 86_400))
            {
                from = Int64(floorDiv(Int(match), 86_400)) * 86_400 - 1
            } else {
                return match
            }
            steps += 1
        }
        return nil
    }

    /// Returns the days of a month with a local match, as bits 1 to 31.
    func days(_ month: Month) -> UInt64 {
        let (first, last) = (floorDiv(Int(lower), 86_400), floorDiv(Int(upper), 86_400))
        guard first <= last else { return 0 }
        var bits = search.days(month) & month.days(in: first...last)
        if bits != 0, let exclusions { bits &= ~exclusions.days(month) }
        for day in partialDays where (month.first..<month.first + month.length).contains(day) {
            var steps = 0
            let midnight = Int64(day * 86_400)
            let hasMatch = matchNext(midnight, &steps).map { $0 < midnight + 86_400 } ?? false
            let bit: UInt64 = 1 << UInt64(day - month.first + 1)
            bits = hasMatch ? bits | bit : bits & ~bit
        }
        return bits
    }
}

/// The days that a schedule's exclusions leave out.
struct ExcludedDays: Sendable {
    /// Ranges of day numbers, sorted and without overlaps.
    private let dates: [ClosedRange<Int>]
    private let schedules: [PreparedSchedule]

    init(dates: [ClosedRange<Int>], schedules: [PreparedSchedule]) {
        var merged: [ClosedRange<Int>] = []
        for range in dates.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.dates = merged
        self.schedules = schedules
    }

    /// Returns the excluded days of a month as bits 1 to 31.
    func days(_ month: Month) -> UInt64 {
        var bits = schedules.reduce(0) { $0 | $1.days(month) }
        // Finds the first range that ends in the month or later.
        var (low, high) = (0, dates.count)
        while low < high {
            let middle = (low + high) / 2
            if dates[middle].upperBound < month.first { low = middle + 1 } else { high = middle }
        }
        while low < dates.count, dates[low].lowerBound < month.first + month.length {
            bits |= month.days(in: dates[low])
            low += 1
        }
        return bits
    }

    func contains(day: Int) -> Bool {
        let month = Month(containing: CivilDate(dayNumber: day), dayNumber: day)
        return days(month).has(day - month.first + 1)
    }
}

extension CalendarSchedule {
    /// Returns the first occurrence after an instant.
    ///
    /// - Parameters:
    ///   - instant: The instant in seconds since 1970.
    ///   - rules: The rules of the time zone.
    ///   - policy: The policies for the changes of the clock.
    ///   - identifier: The text from which `H` and the spread are hashed.
    /// - Returns: The occurrence, or nil if there is none until the end of 2200.
    public func next(
        after instant: Int64, in rules: TimeZoneRules, policy: ClockPolicy = .init(), identifier: String = ""
    ) -> Occurrence? {
        PreparedSchedule(self, in: rules, policy: policy, identifier: identifier).next(after: instant)
    }

    /// Returns the last occurrence before an instant.
    ///
    /// - Parameters:
    ///   - instant: The instant in seconds since 1970.
    ///   - rules: The rules of the time zone.
    ///   - policy: The policies for the changes of the clock.
    ///   - identifier: The text from which `H` and the spread are hashed.
    /// - Returns: The occurrence, or nil if there is none since 1900.
    public func previous(
        before instant: Int64, in rules: TimeZoneRules, policy: ClockPolicy = .init(), identifier: String = ""
    ) -> Occurrence? {
        PreparedSchedule(self, in: rules, policy: policy, identifier: identifier).previous(before: instant)
    }
}

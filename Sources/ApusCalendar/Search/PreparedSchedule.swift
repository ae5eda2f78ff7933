/// A schedule made ready for searches: hashed fields are resolved and the last occurrence of a count is known.
///
/// Keep one where the same schedule is asked often; ``CalendarSchedule/next(after:in:policy:identifier:)`` makes one
/// for each call.
public struct PreparedSchedule: Sendable {
    private let search: any LocalSearch
    private let isStepping: Bool
    private let rules: TimeZoneRules
    private let policy: ClockPolicy
    private let lower: Int64
    private let upper: Int64
    private let dates: [ClosedRange<Int>]
    private let others: [PreparedSchedule]
    private let exceptions: Set<Int64>
    private let delay: Int64

    /// The bound of a search without an excluded schedule: the months of 1900 to 2200, a segment of the zone each.
    static let stepBound = 8000

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - schedule: The schedule.
    ///   - rules: The offsets of its time zone.
    ///   - policy: The policies for the changes of the clock.
    ///   - identifier: What `H` and the spread are hashed from.
    public init(
        _ schedule: CalendarSchedule, in rules: TimeZoneRules, policy: ClockPolicy = .init(), identifier: String = ""
    ) {
        var lower = schedule.from?.localSeconds ?? searchedLocals.lowerBound
        var upper = min(schedule.until?.localSeconds ?? .max, searchedLocals.upperBound)
        switch schedule.rule {
        case .fields(let fields):
            search = FieldSearch(fields: fields.resolved(identifier: identifier))
            isStepping = fields.isStepping
            exceptions = []
            if schedule.count != nil, schedule.from == nil { lower = 0 }
        case .recurrence(let rule):
            search = RecurrenceSearch(rule: rule, in: rules)
            isStepping = rule.frequency.seconds != nil
            exceptions = Set(rule.exceptions.map(\.localSeconds))
        }
        if let count = schedule.count {
            var steps = 0
            var last = lower - 1
            for _ in 0..<max(0, min(count, CalendarSchedule.largestCount)) {
                guard let next = search.next(atOrAfter: last + 1, steps: &steps), next <= upper else { break }
                last = next
            }
            upper = min(upper, last)
        }
        self.rules = rules
        self.policy = policy
        self.lower = lower
        self.upper = upper
        var dates: [ClosedRange<Int>] = []
        var others: [PreparedSchedule] = []
        for exclusion in schedule.exclusions {
            switch exclusion {
            case .dates(let range): dates.append(range.lowerBound.dayNumber...range.upperBound.dayNumber)
            case .schedule(let other): others.append(.init(other, in: rules, policy: policy, identifier: identifier))
            }
        }
        self.dates = dates
        self.others = others
        delay = Int64(
            StableHash.slot(identifier, "spread", below: min(schedule.spread, CalendarSchedule.largestSpread)))
    }

    /// The first occurrence after an instant.
    ///
    /// - Parameter instant: The instant in seconds since 1970.
    /// - Returns: The occurrence, or nil if there is none until the end of 2200.
    public func next(after instant: Int64) -> Occurrence? {
        var steps = 0
        return next(after: instant, steps: &steps)
    }

    /// The last occurrence before an instant.
    ///
    /// - Parameter instant: The instant in seconds since 1970.
    /// - Returns: The occurrence, or nil if there is none since 1900.
    public func previous(before instant: Int64) -> Occurrence? {
        var steps = 0
        return previous(before: instant, steps: &steps)
    }

    func next(after instant: Int64, steps: inout Int) -> Occurrence? {
        let instant = min(max(instant, TimeZoneRules.instants.lowerBound), TimeZoneRules.instants.upperBound)
        guard delay > 0 else { return dueNext(instant, &steps)?.occurrence(rules) }
        // Only the last due instant up to now can still be delayed past it.
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

    /// A due instant before the spread.
    private struct Due {
        var instant: Int64
        /// The local second of the rule.
        var local: Int64
        var delay: Int64 = 0

        func delayed(_ delay: Int64, before next: Int64?) -> Due {
            Due(instant: instant, local: local, delay: min(delay, next.map { max(0, $0 - instant - 1) } ?? delay))
        }

        func occurrence(_ rules: TimeZoneRules) -> Occurrence {
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

    private func dueNext(_ instant: Int64, _ steps: inout Int) -> Due? {
        let exact = isStepping || policy.repeated == .both ? exactNext(instant, &steps) : nil
        guard !isStepping else { return exact }
        guard let fixed = fixedNext(instant, &steps) else { return exact }
        return exact.map { $0.instant <= fixed.instant ? $0 : fixed } ?? fixed
    }

    private func duePrevious(_ instant: Int64, _ steps: inout Int) -> Due? {
        let exact = isStepping || policy.repeated == .both ? exactPrevious(instant, &steps) : nil
        guard !isStepping else { return exact }
        guard let fixed = fixedPrevious(instant, &steps) else { return exact }
        return exact.map { $0.instant >= fixed.instant ? $0 : fixed } ?? fixed
    }

    /// A fixed time is due when the clock first reaches or passes it, so the furthest local time orders them.
    private func fixedNext(_ instant: Int64, _ steps: inout Int) -> Due? {
        var local = rules.furthestLocal(at: instant) + 1
        while let match = matchNext(local, &steps) {
            switch rules.resolve(match) {
            case .one(let first), .repeated(let first, _): return Due(instant: first, local: match)
            case .gap(_, let after):
                if policy.gap == .after { return Due(instant: after, local: match) }
                local = after + Int64(rules.offset(at: after))
            }
        }
        return nil
    }

    private func fixedPrevious(_ instant: Int64, _ steps: inout Int) -> Due? {
        var local = rules.furthestLocal(at: instant - 1)
        while let match = matchPrevious(local, &steps) {
            switch rules.resolve(match) {
            case .one(let first), .repeated(let first, _): return Due(instant: first, local: match)
            case .gap(let before, let after):
                if policy.gap == .skip {
                    local = before + Int64(rules.offset(at: before))
                    continue
                }
                // Several times in one gap are due once, in the name of the first, as the forward search finds it.
                let shown = rules.furthestLocal(at: before) + 1
                return Due(instant: after, local: matchNext(shown, &steps) ?? match)
            }
        }
        return nil
    }

    /// Every instant at which the clock shows a match, both copies of a repeated hour included.
    private func exactNext(_ instant: Int64, _ steps: inout Int) -> Due? {
        var from = instant + 1
        var segment = rules.segment(at: from)
        while true {
            steps += 1
            let offset = Int64(rules.offsets[segment])
            let end = rules.end(of: segment)
            let match = matchNext(from + offset, &steps)
            if let match, match - offset < end { return Due(instant: match - offset, local: match) }
            guard segment < rules.starts.count else { return nil }
            // No later clock shows a match before this one unless it goes back; skip the segments that cannot.
            segment += 1
            if let match {
                let reachable = rules.segment(at: match - 2 * TimeZoneRules.largestOffset)
                segment = max(segment, reachable)
            } else {
                segment = max(segment, rules.segment(at: upper - 2 * TimeZoneRules.largestOffset))
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
            let match = matchPrevious(last + offset, &steps)
            if let match, match - offset >= rules.start(of: segment) {
                return Due(instant: match - offset, local: match)
            }
            guard segment > 0 else { return nil }
            segment -= 1
            let limit = (match ?? lower) + 2 * TimeZoneRules.largestOffset
            segment = min(segment, rules.segment(at: limit))
            last = rules.end(of: segment) - 1
        }
    }

    // MARK: Local matches within the bounds

    private func matchNext(_ local: Int64, _ steps: inout Int) -> Int64? {
        var from = max(local, lower)
        while let match = search.next(atOrAfter: from, steps: &steps), match <= upper {
            guard let end = excluded(match) else { return match }
            steps += 1
            from = end + 1
        }
        return nil
    }

    private func matchPrevious(_ local: Int64, _ steps: inout Int) -> Int64? {
        var from = min(local, upper)
        while let match = search.previous(atOrBefore: from, steps: &steps), match >= lower {
            guard excluded(match) != nil else { return match }
            steps += 1
            let day = floorDiv(Int(match), 86400)
            if exceptions.contains(match) {
                from = match - 1
            } else if let range = dates.first(where: { $0.contains(day) }) {
                from = Int64(range.lowerBound * 86400) - 1
            } else {
                from = Int64(day * 86400) - 1
            }
        }
        return nil
    }

    /// The last local second of the exclusion that covers a match, or nil.
    private func excluded(_ match: Int64) -> Int64? {
        if exceptions.contains(match) { return match }
        let day = floorDiv(Int(match), 86400)
        if let range = dates.first(where: { $0.contains(day) }) { return Int64(range.upperBound * 86400 + 86399) }
        let midnight = Int64(day * 86400)
        var steps = 0
        for other in others {
            if let hit = other.matchNext(midnight, &steps), hit < midnight + 86400 { return midnight + 86399 }
        }
        return nil
    }
}

extension CalendarSchedule {
    /// The first occurrence after an instant.
    ///
    /// - Parameters:
    ///   - instant: The instant in seconds since 1970.
    ///   - rules: The offsets of the time zone.
    ///   - policy: The policies for the changes of the clock.
    ///   - identifier: What `H` and the spread are hashed from.
    /// - Returns: The occurrence, or nil if there is none until the end of 2200.
    public func next(
        after instant: Int64, in rules: TimeZoneRules, policy: ClockPolicy = .init(), identifier: String = ""
    ) -> Occurrence? {
        PreparedSchedule(self, in: rules, policy: policy, identifier: identifier).next(after: instant)
    }

    /// The last occurrence before an instant.
    ///
    /// - Parameters:
    ///   - instant: The instant in seconds since 1970.
    ///   - rules: The offsets of the time zone.
    ///   - policy: The policies for the changes of the clock.
    ///   - identifier: What `H` and the spread are hashed from.
    /// - Returns: The occurrence, or nil if there is none since 1900.
    public func previous(
        before instant: Int64, in rules: TimeZoneRules, policy: ClockPolicy = .init(), identifier: String = ""
    ) -> Occurrence? {
        PreparedSchedule(self, in: rules, policy: policy, identifier: identifier).previous(before: instant)
    }
}

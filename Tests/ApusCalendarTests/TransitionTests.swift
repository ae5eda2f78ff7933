import Testing

@testable import ApusCalendar

/// A model of a clock near its changes, which finds by trial what the clock shows, without the code under test.
struct WalkedClock {
    /// The changes near a time, in order.
    let changes: [TimeZoneRules.Transition]
    let first: Int
    private var offsets: [Int] { [first] + changes.map(\.after) }

    init(_ changes: ArraySlice<TimeZoneRules.Transition>) {
        self.changes = Array(changes)
        first = changes.first?.before ?? 0
    }

    func offset(_ instant: Int64) -> Int {
        var offset = first
        for change in changes where change.at <= instant { offset = change.after }
        return offset
    }

    /// Returns the instants at which a fixed local second is due.
    func due(_ local: Int64, _ policy: ClockPolicy) -> [Int64] {
        var shown: [Int64] = []
        for offset in Set(offsets) where self.offset(local - Int64(offset)) == offset {
            shown.append(local - Int64(offset))
        }
        shown.sort()
        if shown.isEmpty {
            let skips = { (change: TimeZoneRules.Transition) in
                change.at + Int64(change.before) <= local && local < change.at + Int64(change.after)
            }
            return policy.gap == .after ? changes.filter(skips).map(\.at) : []
        }
        return policy.repeated == .first ? [shown[0]] : shown
    }

    /// Returns the instants in a range at which the clock shows a multiple of a step.
    func multiples(of step: Int64, in range: ClosedRange<Int64>) -> [Int64] {
        var result: [Int64] = []
        var instant = range.lowerBound
        while instant <= range.upperBound {
            let past = (instant + Int64(offset(instant))) % step
            if past == 0 {
                result.append(instant)
                instant += 1
                continue
            }
            // Moves to the next multiple, or to a change that comes before that multiple.
            let following = instant + step - past
            instant = changes.first { $0.at > instant && $0.at < following }?.at ?? following
        }
        return result
    }
}

@Suite("Changes of the clock")
struct TransitionTests {
    /// Returns the occurrences in a range, as both directions of the search find them.
    private func found(
        _ schedule: CalendarSchedule, _ rules: TimeZoneRules, _ policy: ClockPolicy, in range: ClosedRange<Int64>
    ) -> (forwards: [Int64], backwards: [Int64]) {
        let search = PreparedSchedule(schedule, in: rules, policy: policy)
        var forwards: [Int64] = []
        var instant = range.lowerBound - 1
        while let next = search.next(after: instant), next.instant <= range.upperBound {
            forwards.append(next.instant)
            instant = next.instant
        }
        var backwards: [Int64] = []
        instant = range.upperBound + 1
        while let previous = search.previous(before: instant), previous.instant >= range.lowerBound {
            backwards.append(previous.instant)
            instant = previous.instant
        }
        return (forwards, backwards.reversed())
    }

    @Test("no occurrence is missed or doubled at any change of any zone")
    func allChanges() throws {
        let database = ZoneDatabase()
        let policies = GapPolicy.allCases.flatMap { gap in
            RepeatedPolicy.allCases.map { ClockPolicy(gap: gap, repeated: $0) }
        }
        let stepping = [
            (try CalendarSchedule(cron: "* * * * *"), Int64(60)), (try CalendarSchedule(cron: "*/15 * * * *"), 900),
            (try CalendarSchedule(cron: "0 * * * *"), 3600),
        ]
        var seen: Set<UInt64> = []
        var (zones, changes, occurrences) = (0, 0, 0)
        for name in database.names() {
            let zone = try database.zone(name)
            let all = zone.rules.transitions(in: 0..<utc("2101-01-01 00:00"))
            zones += 1
            changes += all.count
            // Zones whose names are links to each other have the same rules, so one of them is tested.
            guard seen.insert(zone.fingerprint).inserted else { continue }
            for (index, change) in all.enumerated() {
                let clock = WalkedClock(all[max(0, index - 3)..<min(all.count, index + 4)])
                let shown = [change.at + Int64(change.before), change.at + Int64(change.after)].sorted()
                let day: Int64 = 86_400
                let range = change.at - 2 * day...change.at + 2 * day
                // One of the times is in the middle of the change, and the other is six hours later.
                let middle = (shown[0] + shown[1]) / 2
                for local in [middle, middle + 21_600] {
                    let second = Int((local % day + day) % day)
                    let schedule = CalendarSchedule(.fields(CalendarFields(times: TimesOfDay([second]))))
                    for policy in policies {
                        let expected = Set((-4...4).flatMap { clock.due(local + $0 * day, policy) })
                            .filter(range.contains).sorted()
                        let found = found(schedule, zone.rules, policy, in: range)
                        occurrences += expected.count
                        if found.forwards != expected || found.backwards != expected {
                            Issue.record("\(name), \(change.at): \(second) s, \(policy): \(found) is not \(expected)")
                        }
                    }
                }
                let width = Int64(abs(change.after - change.before))
                for (schedule, step) in stepping {
                    let margin = width + 3 * step
                    let range = change.at - margin...change.at + margin
                    let expected = clock.multiples(of: step, in: range)
                    let found = found(schedule, zone.rules, ClockPolicy(), in: range)
                    occurrences += expected.count
                    if found.forwards != expected || found.backwards != expected {
                        Issue.record("\(name), \(change.at): every \(step) s: \(found) is not \(expected)")
                    }
                }
                // Each schedule is due on one date of the year: the local date on which the change begins, or on which
                // it ends. The range has only the hours around the change, because a search for occurrences on other
                // days would continue into another year.
                let near = change.at - width - 7_200...change.at + width + 7_200
                for local in shown {
                    let first = local - (local % day + day) % day
                    let date = CivilDateTime(localSeconds: first).date
                    let schedule = try CalendarSchedule(cron: "*/15 * \(date.day) \(date.month) *")
                    let expected = clock.multiples(of: 900, in: near).filter {
                        (first..<first + day).contains($0 + Int64(clock.offset($0)))
                    }
                    let found = found(schedule, zone.rules, ClockPolicy(), in: near)
                    occurrences += expected.count
                    if found.forwards != expected || found.backwards != expected {
                        Issue.record("\(name), \(change.at): \(date): \(found) is not \(expected)")
                    }
                }
            }
        }
        print("\(zones) zones, \(changes) changes of the clock, \(occurrences) occurrences, each once")
        #expect(zones > 500 && changes > 50_000 && occurrences > 2_000_000)
    }
}

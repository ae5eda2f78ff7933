import ApusCalendar
import ApusTimers

/// The due instants of a calendar trigger, by the present rules of its zone.
final class CalendarTimes: Sendable, Hashable {
    private let trigger: CalendarTrigger
    private let id: JobID
    private let fingerprint: UInt64
    private let search: PreparedSchedule

    init(_ trigger: CalendarTrigger, of id: JobID, in zones: any TimeZones) throws(ZoneError) {
        let zone = try zones.zone(trigger.timeZone)
        (self.trigger, self.id, fingerprint) = (trigger, id, zone.fingerprint)
        search = PreparedSchedule(
            trigger.schedule, in: zone.rules, policy: trigger.policy, identifier: id.rawValue)
    }

    /// Returns the first due instant after another one.
    func next(after instant: WallInstant) -> Due? { search.next(after: Self.seconds(instant)).map(Self.due) }

    private static func seconds(_ instant: WallInstant) -> Int64 {
        Int64(clamping: instant.nanoseconds / 1_000_000_000)
    }

    private static func due(_ occurrence: Occurrence) -> Due {
        Due(
            instant: WallInstant(secondsSince1970: occurrence.instant), note: occurrence.note.map(DueNote.init))
    }

    /// Returns the occurrences that have become due up to `now`, beginning with occurrence `number`.
    ///
    /// Occurrence `number` was due at `first`. The number of the last occurrence is at most `end`. Only the instants of
    /// the latest `kept` occurrences are computed; earlier occurrences are counted.
    func arrivals(
        through now: WallInstant, from number: Int, due first: Due, end: Int?, keeping kept: Int
    ) -> Arrivals {
        let start = Self.seconds(first.instant)
        var until = Self.seconds(now)
        var passed = search.count(after: start, through: until)
        let left = end.map { $0 - number } ?? .max
        if passed >= left {
            (passed, until) = (left, instant(ofPassed: left, after: start, through: until))
        }
        var dues: [Due] = []
        var before = until + 1
        while dues.count < min(kept, passed), let due = search.previous(before: before) {
            dues.append(Self.due(due))
            before = due.instant
        }
        dues.reverse()
        if passed < kept { dues.insert(first, at: 0) }
        return Arrivals(
            last: number + passed, dues: dues, following: passed == left ? nil : search.next(after: until).map(Self.due)
        )
    }

    /// Returns the due instant of an occurrence, counted from 1 after `start`; for number 0, returns `start` itself.
    private func instant(ofPassed number: Int, after start: Int64, through end: Int64) -> Int64 {
        var (low, high) = (start, end)
        while low < high {
            let middle = low + (high - low) / 2
            if search.count(after: start, through: middle) < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    static func == (lhs: CalendarTimes, rhs: CalendarTimes) -> Bool {
        lhs === rhs
            || (lhs.trigger, lhs.id, lhs.fingerprint) == (rhs.trigger, rhs.id, rhs.fingerprint)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(trigger)
        hasher.combine(id)
        hasher.combine(fingerprint)
    }
}

import ApusCalendar
import ApusTimers

/// The due instants of a calendar trigger, by the rules that its zone has now.
final class CalendarTimes: Sendable, Hashable {
    /// How many occurrences are counted at once. Counting a year of seconds takes a minute, for which nothing else would
    /// be decided; in pieces, each is a turn.
    static let countedAtOnce = 20_000

    private let trigger: CalendarTrigger
    private let id: JobID
    /// The version of the zone's rules.
    private let fingerprint: UInt64
    private let search: PreparedSchedule

    init(_ trigger: CalendarTrigger, of id: JobID, in zones: any TimeZones) throws(ZoneError) {
        let zone = try zones.zone(trigger.timeZone)
        (self.trigger, self.id, fingerprint) = (trigger, id, zone.fingerprint)
        search = PreparedSchedule(
            trigger.schedule, in: zone.rules, policy: trigger.policy, identifier: id.rawValue)
    }

    /// The first due instant after another one.
    func next(after instant: WallInstant) -> Due? {
        search.next(after: Int64(clamping: instant.nanoseconds / 1_000_000_000)).map { occurrence in
            Due(
                instant: WallInstant(nanoseconds: UInt64(clamping: occurrence.instant) * 1_000_000_000),
                note: occurrence.note.map(DueNote.init))
        }
    }

    /// What has come due at `now`, from occurrence `number` on, which was due at `first`. No occurrence is after
    /// `end`.
    func arrivals(
        through now: WallInstant, from number: Int, due first: Due, end: Int?, keeping kept: Int
    ) -> Arrivals {
        var (last, dues) = (number, [first])
        while last != end, let next = next(after: dues[dues.count - 1].instant) {
            guard next.instant <= now else { return Arrivals(last: last, dues: dues, following: next, keeping: kept) }
            dues.append(next)
            last += 1
            if dues.count > 2 * kept + 64 { dues.removeFirst(dues.count - kept - 1) }
            if last - number >= Self.countedAtOnce + kept {
                // The latest, of which the policy may keep so many, are left for the next turn.
                let following = dues[dues.count - kept]
                return Arrivals(
                    last: last - kept, dues: [dues[dues.count - kept - 1]], following: following, isPartial: true)
            }
        }
        return Arrivals(last: last, dues: dues, following: nil, keeping: kept)
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

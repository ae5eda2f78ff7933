import ApusCalendar
import ApusTimers

/// The due instants of a trigger that is due once or at intervals.
///
/// The arithmetic does not overflow; occurrences after ``WallInstant/lastDue`` do not exist.
struct TriggerSchedule: Hashable, Sendable {
    /// The due instant of occurrence `origin` + 1.
    var first: WallInstant
    /// The number of occurrences before the trigger's first one.
    var origin: Int
    /// The interval in nanoseconds; `nil` for a trigger that is due once.
    var interval: UInt64?
    /// The number of the trigger's occurrences; `nil` for no end.
    var count: Int?

    init(_ trigger: Trigger, first: WallInstant, origin: Int = 0) {
        self.first = first
        self.origin = origin
        switch trigger.kind {
        case .at, .after:
            interval = nil
            count = 1
        case .every(let duration, _, let count):
            interval = UInt64(max(1, duration.wholeNanoseconds))
            self.count = count
        case .calendar: preconditionFailure("the calendar has no intervals: CalendarTimes has its instants")
        }
    }

    /// Returns the due instant of an occurrence; `nil` if the trigger has no such occurrence.
    func due(_ number: Int) -> WallInstant? {
        let (place, overflow) = number.subtractingReportingOverflow(origin)
        guard !overflow, place >= 1, place <= count ?? .max else { return nil }
        guard place > 1, let interval else { return first }
        let (offset, overflow2) = UInt64(place - 1).multipliedReportingOverflow(by: interval)
        let (instant, overflow3) = first.nanoseconds.addingReportingOverflow(offset)
        let isOver = overflow2 || overflow3 || instant > WallInstant.lastDue.nanoseconds
        return isOver ? nil : WallInstant(nanoseconds: instant)
    }

    /// Returns the number of the latest occurrence that is due at `instant`; it is `next` or greater.
    ///
    /// Occurrence `next` must be due at `instant`.
    func latest(dueAt instant: WallInstant, from next: Int) -> Int {
        let instant = min(instant, .lastDue)
        guard let interval, instant > first else { return next }
        let passed = Int(clamping: (instant.nanoseconds - first.nanoseconds) / interval)
        let place = min(passed == .max ? Int.max : passed + 1, count ?? .max)
        let (latest, overflow) = place.addingReportingOverflow(origin)
        return max(next, overflow ? .max : latest)
    }

    /// Returns the occurrences that have become due up to `now`, beginning with occurrence `number`, which was due at
    /// `first`.
    func arrivals(
        through now: WallInstant, from number: Int, due first: WallInstant, keeping kept: Int
    ) -> Arrivals {
        let last = latest(dueAt: now, from: number)
        // The last occurrence is due at or before `now`, so it has an instant.
        let lastDue = due(last) ?? first
        var dues = [Due(instant: lastDue)]
        if kept > 1, last > number {
            dues = (max(number, last - kept + 1)...last).map { Due(instant: due($0) ?? lastDue) }
        }
        // `last + 1` cannot overflow, because the range of instants has far fewer than `Int.max` milliseconds.
        return Arrivals(last: last, dues: dues, following: due(last + 1).map { Due(instant: $0) })
    }

    /// Returns a schedule that has the same interval, and whose occurrence `number` is due at `instant`.
    func moved(soThat number: Int, isDueAt instant: WallInstant) -> TriggerSchedule {
        var moved = self
        let (offset, overflow) = UInt64(max(0, number - origin - 1)).multipliedReportingOverflow(by: interval ?? 0)
        if !overflow, offset <= instant.nanoseconds {
            moved.first = WallInstant(nanoseconds: instant.nanoseconds - offset)
        } else {
            // The first occurrence would be before 1970, so the schedule begins with this occurrence, and earlier
            // occurrences no longer count.
            (moved.first, moved.origin) = (instant, number - 1)
        }
        return moved
    }
}

extension Trigger {
    /// Returns the due instant of the first occurrence of a job that is submitted at `now`; `calendar` has the times of
    /// a calendar trigger.
    ///
    /// - Throws: ``JobError`` with `invalid`.
    func first(submittedAt now: WallInstant, _ calendar: CalendarTimes?) throws(JobError) -> Due {
        guard let calendar else {
            let first = try firstInterval(submittedAt: now)
            guard first <= .lastDue else {
                throw JobError(
                    code: .invalid,
                    message:
                        "\(argument): the first occurrence lies after the end of the year 2200; give an earlier one")
            }
            return Due(instant: first)
        }
        if let first = calendar.next(after: now) { return first }
        throw JobError(code: .invalid, message: "schedule: nothing is due after now until the end of the year 2200")
    }

    private func firstInterval(submittedAt now: WallInstant) throws(JobError) -> WallInstant {
        switch kind {
        case .calendar: preconditionFailure("a calendar trigger has times")
        case .at(let instant):
            guard instant >= now else {
                throw JobError(code: .invalid, message: "at: the instant has passed; give one in the future")
            }
            return instant
        case .after(let duration): return now.advanced(by: duration.clampedUp)
        case .every(let interval, let anchor, _):
            guard let anchor else { return now.advanced(by: interval.clampedUp) }
            // The interval was validated, so it is at least a millisecond.
            return anchor > now ? anchor : anchor.next(every: UInt64(interval.wholeNanoseconds), after: now)
        }
    }

    /// The name of the argument in errors.
    private var argument: String {
        switch kind {
        case .at: "at"
        case .after: "after"
        case .every: "every"
        case .calendar: "schedule"
        }
    }

    /// Checks that the numbers are within the limits.
    ///
    /// - Throws: ``JobError`` with `invalid`.
    func validate() throws(JobError) {
        switch kind {
        case .at: return
        case .after(let duration):
            guard duration >= .zero else {
                throw JobError(code: .invalid, message: "after: must be zero or longer, not \(duration)")
            }
            try Self.checkRange(duration, "after")
        case .every(let interval, _, let count):
            guard interval >= .milliseconds(1) else {
                throw JobError(code: .invalid, message: "every: the interval must be 1 ms or longer, not \(interval)")
            }
            try Self.checkRange(interval, "every")
            try Self.check(count: count)
        case .calendar(let calendar):
            try Self.check(count: calendar.count)
            try JobLimits.check(calendar.timeZone, "timeZone")
            guard calendar.isStorable else {
                throw JobError(
                    code: .invalid,
                    message:
                        "schedule: one of its values is out of range; make it from a text, whose errors name the accepted values"
                )
            }
        }
    }

    private static func check(count: Int?) throws(JobError) {
        guard let count, !(1...JobLimits.count).contains(count) else { return }
        throw JobError(code: .invalid, message: "count: must be 1 to \(JobLimits.count), not \(count)")
    }

    /// Returns the times of a calendar trigger; `nil` for the others.
    ///
    /// - Throws: ``JobError`` with `invalid` if the zone does not exist.
    func times(of id: JobID, in zones: any TimeZones) throws(JobError) -> CalendarTimes? {
        guard let calendar else { return nil }
        do { return try CalendarTimes(calendar, of: id, in: zones) } catch {
            throw JobError(code: .invalid, message: "timeZone: \(error)")
        }
    }

    static func checkRange(_ duration: Duration, _ argument: String) throws(JobError) {
        guard JobLimits.allows(duration) else {
            throw JobError(code: .invalid, message: "\(argument): must be shorter than 292 years")
        }
    }

    /// Returns the first `limit` occurrences of a job that is submitted at `now`.
    func upcoming(from now: WallInstant, limit: Int, in zones: any TimeZones) throws(JobError) -> [UpcomingOccurrence] {
        try validate()
        let calendar = try times(of: "", in: zones)
        let first = try first(submittedAt: now, calendar)
        let schedule = calendar == nil ? TriggerSchedule(self, first: first.instant) : nil
        let limit = min(limit, count ?? .max)
        var result = limit > 0 ? [UpcomingOccurrence(first)] : []
        while result.count < limit {
            let next =
                calendar.map { $0.next(after: result[result.count - 1].due) }
                ?? schedule?.due(result.count + 1).map { Due(instant: $0) }
            guard let next else { break }
            result.append(UpcomingOccurrence(next))
        }
        return result
    }
}

/// A due instant, with a note if a change of the clock or of the zone's rules has affected it.
struct Due: Hashable, Sendable {
    var instant: WallInstant
    var note: DueNote?
}

/// The occurrences that have become due since the job was last examined.
struct Arrivals: Hashable, Sendable {
    /// The number of the last occurrence.
    var last: Int
    /// The due instants of the latest occurrences, in ascending order; the last one is that of occurrence `last`.
    var dues: [Due]
    /// The first occurrence that is not due yet; `nil` if the trigger has no more.
    var following: Due?

    var lastDue: Due { dues[dues.count - 1] }

    /// Returns the due instant of an occurrence; `nil` if `dues` does not contain it.
    func due(_ number: Int) -> Due? {
        let index = dues.count - 1 - (last - number)
        return dues.indices.contains(index) ? dues[index] : nil
    }
}

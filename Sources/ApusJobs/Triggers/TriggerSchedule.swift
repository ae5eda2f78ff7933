import ApusTimers

/// The arithmetic of a trigger: which occurrence is due when. Nothing overflows; what lies behind the end of time does
/// not come.
struct TriggerSchedule: Hashable, Sendable {
    /// The due instant of occurrence `origin` + 1.
    var first: WallInstant
    /// How many occurrences came before the trigger's first one.
    var origin: Int
    /// The interval in nanoseconds; `nil` for a trigger that is due once.
    var interval: UInt64?
    /// How many occurrences the trigger has, if there is an end.
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
        }
    }

    /// When occurrence `number` is due; `nil` if the trigger has no such occurrence.
    func due(_ number: Int) -> WallInstant? {
        let (place, overflow) = number.subtractingReportingOverflow(origin)
        guard !overflow, place >= 1, place <= count ?? .max else { return nil }
        guard place > 1, let interval else { return first }
        let (offset, overflow2) = UInt64(place - 1).multipliedReportingOverflow(by: interval)
        let (instant, overflow3) = first.nanoseconds.addingReportingOverflow(offset)
        return overflow2 || overflow3 ? nil : WallInstant(nanoseconds: instant)
    }

    /// The latest occurrence that is due at `instant`, from `next` on, which must be due itself.
    func latest(dueAt instant: WallInstant, from next: Int) -> Int {
        guard let interval, instant > first else { return next }
        let passed = Int(clamping: (instant.nanoseconds - first.nanoseconds) / interval)
        let place = min(passed == .max ? Int.max : passed + 1, count ?? .max)
        let (latest, overflow) = place.addingReportingOverflow(origin)
        return max(next, overflow ? .max : latest)
    }

    /// The same intervals, with occurrence `number` due at `instant`.
    func moved(soThat number: Int, isDueAt instant: WallInstant) -> TriggerSchedule {
        var moved = self
        let (offset, overflow) = UInt64(max(0, number - origin - 1)).multipliedReportingOverflow(by: interval ?? 0)
        if !overflow, offset <= instant.nanoseconds {
            moved.first = WallInstant(nanoseconds: instant.nanoseconds - offset)
        } else {
            // The first occurrence would lie before 1970: the ones that were are left out of the count.
            (moved.first, moved.origin) = (instant, number - 1)
        }
        return moved
    }
}

extension Trigger {
    /// The due instant of the first occurrence of a job that is submitted at `now`.
    /// - Throws: ``JobError`` with `invalid`.
    func first(submittedAt now: WallInstant) throws(JobError) -> WallInstant {
        switch kind {
        case .at(let instant):
            guard instant >= now else {
                throw JobError(.invalid, "at: the instant has passed; give one in the future")
            }
            return instant
        case .after(let duration):
            return try later(now, by: duration, argument: "after")
        case .every(let interval, let anchor, _):
            guard let anchor else { return try later(now, by: interval, argument: "every") }
            if anchor > now { return anchor }
            // Validated before: at least a millisecond.
            let step = UInt64(interval.wholeNanoseconds)
            let passed = (now.nanoseconds - anchor.nanoseconds) / step
            let (offset, overflow) = (passed + 1).multipliedReportingOverflow(by: step)
            let (instant, overflow2) = anchor.nanoseconds.addingReportingOverflow(offset)
            guard !overflow, !overflow2 else { throw JobError(.invalid, "every: \(Self.endOfTime)") }
            return WallInstant(nanoseconds: instant)
        }
    }

    private static let endOfTime =
        "the first occurrence lies behind the end of time (the year 2554); give a shorter duration"

    private func later(_ now: WallInstant, by duration: Duration, argument: String) throws(JobError) -> WallInstant {
        let step = duration.wholeNanoseconds
        // Rounded up, so that not even a fraction of a nanosecond is missing.
        let exact = Duration.nanoseconds(step) < duration ? step.addingReportingOverflow(1).partialValue : step
        let (instant, overflow) = now.nanoseconds.addingReportingOverflow(UInt64(clamping: exact))
        guard !overflow else { throw JobError(.invalid, "\(argument): \(Self.endOfTime)") }
        return WallInstant(nanoseconds: instant)
    }

    /// Whether the numbers are ones that can be worked with.
    func validate() throws(JobError) {
        switch kind {
        case .at: return
        case .after(let duration):
            guard duration >= .zero else { throw JobError(.invalid, "after: must be zero or longer, not \(duration)") }
            try Self.checkRange(duration, "after")
        case .every(let interval, _, let count):
            guard interval >= .milliseconds(1) else {
                throw JobError(.invalid, "every: the interval must be 1 ms or longer, not \(interval)")
            }
            try Self.checkRange(interval, "every")
            if let count, count < 1 { throw JobError(.invalid, "count: must be 1 or more, not \(count)") }
        }
    }

    static func checkRange(_ duration: Duration, _ argument: String) throws(JobError) {
        guard duration.components.seconds < 9_223_372_036 else {
            throw JobError(.invalid, "\(argument): must be shorter than 292 years")
        }
    }

    /// The due instants of the first `limit` occurrences, if submitted at `now`.
    func preview(from now: WallInstant, limit: Int) throws(JobError) -> [WallInstant] {
        try validate()
        let schedule = TriggerSchedule(self, first: try first(submittedAt: now))
        var result: [WallInstant] = []
        var number = 1
        while result.count < limit, let due = schedule.due(number) {
            result.append(due)
            number += 1
        }
        return result
    }
}

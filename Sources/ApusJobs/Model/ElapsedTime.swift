package import ApusTimers

/// Which instants of jobs and runs count elapsed time, and move with the wall clock when it is set
/// (see ``JobStore``).
extension Job {
    /// Moves them.
    package mutating func moveElapsedInstants(by offset: Duration) {
        bookkeeping.elapsedWake = bookkeeping.elapsedWake?.moved(by: offset)
        guard request.trigger.isRelative else { return }
        firstDue = firstDue.moved(by: offset)
        nextDue = nextDue?.moved(by: offset)
    }
}

extension Run {
    /// Whether it was asked for by hand (``JobScheduler/runNow(_:)``).
    var isByHand: Bool { occurrence <= 0 }

    /// Whether the due instant, too, counts elapsed time while the run waits: otherwise only the end of a pause does.
    package func dueCountsElapsed(_ isTriggerRelative: Bool) -> Bool { isTriggerRelative || isByHand }

    /// Moves them.
    package mutating func moveElapsedInstants(by offset: Duration, isTriggerRelative: Bool) {
        guard state == .waiting else { return }
        if dueCountsElapsed(isTriggerRelative) { due = due.moved(by: offset) }
        notBefore = notBefore?.moved(by: offset)
    }
}

extension WallInstant {
    /// The instant that much later or earlier; the last instant stays, as "never" does.
    package func moved(by offset: Duration) -> WallInstant {
        nanoseconds == .max ? self : advanced(by: offset)
    }
}

extension WallInstant {
    /// The last instant at which a job can be due: the end of the year 2200 in UTC, until which the rules of the zones are
    /// laid out. Far from the ends of what a store and a ``WallInstant`` keep.
    package static let lastDue = WallInstant(nanoseconds: 7_289_654_399_999_999_999)

    /// The instant so much later; the last at which a job can be due if that is earlier.
    func due(after pause: Duration) -> WallInstant { min(advanced(by: max(.zero, pause)), .lastDue) }
}

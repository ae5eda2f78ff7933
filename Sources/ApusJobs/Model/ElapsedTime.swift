package import ApusTimers

// Some instants of a job or run count elapsed time: these move with the wall clock when it is set (see ``JobStore``).
extension Job {
    package mutating func moveElapsedInstants(by offset: Duration) {
        bookkeeping.elapsedWake = bookkeeping.elapsedWake?.moved(by: offset)
        guard request.trigger.isRelative else { return }
        firstDue = firstDue.moved(by: offset)
        nextDue = nextDue?.moved(by: offset)
    }
}

extension Run {
    /// Whether the run was requested by hand (``JobScheduler/runNow(_:)``).
    var isByHand: Bool { occurrence <= 0 }

    /// Whether the due instant of a waiting run counts elapsed time.
    ///
    /// The end of the run's delay always counts elapsed time.
    package func dueCountsElapsed(_ isTriggerRelative: Bool) -> Bool { isTriggerRelative || isByHand }

    package mutating func moveElapsedInstants(by offset: Duration, isTriggerRelative: Bool) {
        guard state == .waiting else { return }
        if dueCountsElapsed(isTriggerRelative) { due = due.moved(by: offset) }
        notBefore = notBefore?.moved(by: offset)
    }
}

extension WallInstant {
    /// Returns the instant moved by a positive or negative offset; the greatest instant stays, because it means
    /// "never".
    package func moved(by offset: Duration) -> WallInstant {
        nanoseconds == .max ? self : advanced(by: offset)
    }
}

extension WallInstant {
    /// The last instant at which a job can be due: the end of the year 2200 in UTC.
    ///
    /// The rules of time zones are expanded up to that year. Stores and ``WallInstant`` can represent far later
    /// instants.
    package static let lastDue = WallInstant(nanoseconds: 7_289_654_399_999_999_999)

    /// Returns the instant after a delay, or ``lastDue`` if that is earlier.
    func due(after pause: Duration) -> WallInstant { min(advanced(by: max(.zero, pause)), .lastDue) }
}

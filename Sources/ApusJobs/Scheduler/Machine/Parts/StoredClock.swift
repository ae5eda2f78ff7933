import ApusTimers

/// The store's record of the clocks, and the steps of the wall clock that the store does not have yet.
struct StoredClock {
    private(set) var record: StoreClock
    /// Whether the record differs from the store's record at the start, and has not been committed since then.
    private var isNew: Bool
    /// The offsets by which the wall clock was set since the last commit.
    private var steps: [Duration] = []
    /// Whether several schedulers share the store; if so, elapsed time has no separate axis, but is counted on the
    /// store's clock.
    private let isShared: Bool

    init(_ session: StoreSession, bootID: String?, at now: SchedulerReading) {
        isShared = session.isShared
        // The record is changed in a variable and then assigned to the property, because optimized code of Swift 6.3
        // frees the string in a property twice if the property is changed in place before all properties have values.
        var record = session.clock ?? StoreClock(bootID: bootID, wallOffset: now.wallOffset, elapsedOffset: .zero)
        // The clocks of different boots or machines cannot be compared, so the wall clock is trusted.
        if bootID == nil || record.bootID != bootID || session.isShared { record.wallOffset = now.wallOffset }
        record.bootID = bootID
        self.record = record
        isNew = record != session.clock && !session.isShared
    }

    var isChanged: Bool { isNew || !steps.isEmpty }

    /// Returns the reading as it would be if the wall clock had not been set since the record was written.
    func asRecorded(_ now: SchedulerReading) -> SchedulerReading {
        var recorded = now
        recorded.wall = now.wall.advanced(by: record.wallOffset - now.wallOffset)
        return recorded
    }

    /// Notices that the wall clock was set.
    ///
    /// A step of less than a second is an adjustment by network time, and moves no job.
    ///
    /// - Returns: The offset by which the clock was set, and the offset by which the instants of elapsed time move with
    ///   it; `nil` if the clock was not set.
    mutating func notice(_ now: SchedulerReading) -> (step: Duration, moved: Duration)? {
        let step = now.wallOffset - record.wallOffset
        guard step >= .seconds(1) || step <= .seconds(-1) else { return nil }
        record.wallOffset = now.wallOffset
        let moved = isShared ? Duration.zero : step
        record.elapsedOffset += moved
        steps.append(step)
        return (step, moved)
    }

    /// Notes that the store has the record.
    ///
    /// - Returns: The steps that the store did not have before.
    mutating func committed() -> [Duration] {
        isNew = false
        defer { steps = [] }
        return steps
    }
}

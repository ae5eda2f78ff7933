import ApusTimers

/// The store's record of how the clocks relate, and the steps of the wall clock that it does not have yet.
struct StoredClock {
    private(set) var record: StoreClock
    /// The store has another record since the start.
    private var isNew: Bool
    /// By how much the wall clock was set since the last commit.
    private var steps: [Duration] = []
    /// Schedulers that share a store have no axis of elapsed time but the store's clock.
    private let isShared: Bool

    init(_ session: StoreSession, bootID: String?, at now: SchedulerReading) {
        isShared = session.isShared
        // A copy, assigned once: changed in its place before all properties had values, its text was released once too
        // often by release builds of Swift 6.3.
        var record = session.clock ?? StoreClock(bootID: bootID, wallOffset: now.wallOffset, elapsedOffset: .zero)
        // Across boots, and from machine to machine, the clocks cannot be compared: the wall clock is believed.
        if bootID == nil || record.bootID != bootID || session.isShared { record.wallOffset = now.wallOffset }
        record.bootID = bootID
        self.record = record
        isNew = record != session.clock && !session.isShared
    }

    /// Whether the next turn must write the record.
    var isChanged: Bool { isNew || !steps.isEmpty }

    /// The reading as it would be if the wall clock had not been set since the record was written.
    func asRecorded(_ now: SchedulerReading) -> SchedulerReading {
        var recorded = now
        recorded.wall = now.wall.advanced(by: record.wallOffset - now.wallOffset)
        return recorded
    }

    /// Notices that the wall clock was set. A step of less than a second is network time's slewing or stepping, and
    /// moves no job.
    /// - Returns: by how much it was set, and by how much the instants of elapsed time move with it; `nil` if it was
    ///   not.
    mutating func notice(_ now: SchedulerReading) -> (step: Duration, moved: Duration)? {
        let step = now.wallOffset - record.wallOffset
        guard step >= .seconds(1) || step <= .seconds(-1) else { return nil }
        record.wallOffset = now.wallOffset
        let moved = isShared ? Duration.zero : step
        record.elapsedOffset += moved
        steps.append(step)
        return (step, moved)
    }

    /// The store has the record.
    /// - Returns: the steps that it did not have before.
    mutating func committed() -> [Duration] {
        isNew = false
        defer { steps = [] }
        return steps
    }
}

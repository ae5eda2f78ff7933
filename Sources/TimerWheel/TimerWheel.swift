/// A set of timers, ordered by deadline: a radix-64 hierarchical wheel over exact 64-bit nanoseconds.
///
/// Ground rules
///
/// 1. The wheel has no clock. `current` is the instant up to which it was last told to look; it moves in
///    ``takeDue(now:into:)`` only.
/// 2. A waiting record with `deadline >= current` is on level `highest differing 6-bit digit of deadline XOR current`,
///    in the slot that this digit of the deadline names. Therefore
///    - every record of a level is earlier than every record of a higher level, and slots of a level are in order:
///      the first occupied slot of the lowest occupied level holds the earliest record;
///    - a slot of level 0 holds one exact instant: nothing is ever rounded, nothing fires early;
///    - equal deadlines are always in the same list, in the order of insertion. Moving a slot down keeps that order
///      because the slots below it are empty at that moment. So the order of firing is total: (deadline, insertion).
/// 3. A waiting record with `deadline < current` is in the overdue list, which is sorted before it is read.
/// 4. Tolerance: a record is indexed by its soft deadline, and each list knows the minimum hard deadline in it (or a
///    lower bound, then it is marked stale). Sleeping until ``nextWake()`` and taking everything that is soft-due
///    then is the minimum number of wake-ups that any scheduler can reach, also with later arrivals and cancellations.
/// 5. A taken record keeps its place in the slab until it is removed, so a timer can be cancelled between the moment
///    it was found due and the moment its action starts.
///
/// Insert and cancel are O(1). Taking is O(records taken + slots moved down): a jump over a thousand years costs what
/// the occupied slots cost. Only growth of the slab allocates.
package struct TimerWheel: ~Copyable {
    static var levels: Int { 11 }
    static var slotsPerLevel: Int { 64 }
    static var slotCount: Int { levels * slotsPerLevel }
    /// The list of records whose deadline lies before `current`.
    static var overdue: Int { slotCount }

    struct Slot {
        var head: UInt32 = .none
        var tail: UInt32 = .none
        /// A lower bound of the hard deadlines in the list; exact unless stale. `.max` when empty.
        var minimumHard: UInt64 = .max
        var isStale = false

        var isEmpty: Bool { head == .none }
    }

    var slab: TimerSlab
    let slots: UnsafeMutablePointer<Slot>
    /// For each level, which of its slots are not empty.
    let occupied: UnsafeMutablePointer<UInt64>
    /// Which levels have an occupied slot.
    var occupiedLevels: UInt16 = 0
    var overdueIsSorted = true
    var waiting = 0

    /// The instant up to which due timers were taken.
    package internal(set) var current: UInt64

    /// An empty wheel at the instant `now`.
    ///
    /// `firstGeneration` is for tests, which cannot wait for four billion lives of one record.
    package init(now: UInt64, firstGeneration: UInt32 = 1) {
        current = now
        slab = TimerSlab(firstGeneration: firstGeneration)
        slots = .allocate(capacity: Self.slotCount + 1)
        slots.initialize(repeating: Slot(), count: Self.slotCount + 1)
        occupied = .allocate(capacity: Self.levels)
        occupied.initialize(repeating: 0, count: Self.levels)
    }

    deinit {
        slots.deallocate()
        occupied.deallocate()
    }

    /// Timers that were neither cancelled nor removed: the waiting ones and the taken ones.
    package var count: Int { slab.count }

    /// Adds a timer that fires in `deadline ... deadline + tolerance` (saturating).
    package mutating func insert(deadline: UInt64, tolerance: UInt64, payload: UInt64) -> TimerHandle {
        let index = slab.allocate()
        let record = slab.record(index)
        record.pointee.payload = payload
        place(index, deadline: deadline, tolerance: tolerance)
        return TimerHandle(index: index, generation: record.pointee.generation)
    }

    /// Takes the timer out. Nil when it has left the wheel before.
    ///
    /// It is the end of a taken timer as well: who runs the action removes it first, and runs nothing if it is gone.
    package mutating func remove(_ handle: TimerHandle) -> RemovedTimer? {
        guard let record = slab.live(handle) else { return nil }
        let wasWaiting = record.pointee.place != .taken
        if wasWaiting { unlink(handle.index) }
        let removed = RemovedTimer(
            payload: record.pointee.payload, hardDeadline: record.pointee.hardDeadline, wasWaiting: wasWaiting
        )
        slab.release(handle.index)
        return removed
    }

    /// Cancels the timer and gives its payload back. Nil when it has left the wheel before.
    package mutating func cancel(_ handle: TimerHandle) -> UInt64? { remove(handle)?.payload }

    /// Gives a waiting or taken timer a new deadline, as if it had been inserted now. False when it has left the wheel.
    package mutating func reset(_ handle: TimerHandle, deadline: UInt64, tolerance: UInt64) -> Bool {
        guard let record = slab.live(handle) else { return false }
        if record.pointee.place != .taken { unlink(handle.index) }
        place(handle.index, deadline: deadline, tolerance: tolerance)
        return true
    }

    /// Takes every timer out, in no particular order.
    package mutating func removeAll(_ body: (_ payload: UInt64) -> Void) {
        for index in 0..<slab.capacity {
            let record = slab.record(index)
            guard record.pointee.place != .free, record.pointee.place != .retired else { continue }
            if record.pointee.place != .taken { unlink(index) }
            let payload = record.pointee.payload
            slab.release(index)
            body(payload)
        }
    }

    private mutating func place(_ index: UInt32, deadline: UInt64, tolerance: UInt64) {
        let record = slab.record(index)
        let (hard, overflow) = deadline.addingReportingOverflow(tolerance)
        record.pointee.deadline = deadline
        record.pointee.hardDeadline = overflow ? .max : hard
        link(index)
    }
}

extension TimerWheel {
    /// The payload of a timer that is still in the wheel.
    package func payload(_ handle: TimerHandle) -> UInt64? { slab.live(handle)?.pointee.payload }
}

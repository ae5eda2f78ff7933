import Synchronization

/// A set of timers, ordered by deadline: a radix-64 hierarchical wheel over exact 64-bit nanoseconds.
///
/// Ground rules
///
/// 1. The wheel has no clock. `current` is an instant up to which everything due was taken; it moves in
///    ``takeDue(now:into:work:)`` only.
/// 2. The place of a waiting record is decided by its deadline or, if that has passed already, by `current`: it is on
///    level `highest differing 6-bit digit of place XOR current`, in the slot that this digit names. Therefore
///    - every record of a level is earlier than every record of a higher level, and slots of a level are in order:
///      the first occupied slot of the lowest occupied level holds the earliest record;
///    - a slot of level 0 holds one exact instant: nothing is ever rounded, nothing fires early;
///    - equal deadlines are always in the same list, in the order of insertion. So the order of firing is total:
///      (deadline, insertion), where a deadline that had passed when the timer was inserted counts as due there and
///      then.
/// 3. `current` enters a slot of a higher level only when something in it may be due. The slot's records are then
///    moved down, a bounded number at a time, or taken at once if they are all due at one instant. Meanwhile they are
///    in the list `moving`, and a timer that is inserted into its range goes to its end, which keeps the order of
///    insertion. If the clock was set back, all slots are joined to that list.
/// 4. Tolerance: a record is indexed by its soft deadline, and each list knows the minimum hard deadline in it (or a
///    lower bound, then it is marked stale). Sleeping until ``nextWake()`` and taking everything that is soft-due
///    then is the minimum number of wake-ups that any scheduler can reach, also with later arrivals and cancellations.
/// 5. A taken record keeps its place in the slab until it is started or cancelled, so a timer can be cancelled between
///    the moment it was found due and the moment its action starts. Starting needs no lock: see ``TimerStarts``.
/// 6. Cancelled timers are unlinked later, in batches of 16: its neighbours in the list lie
///    anywhere in memory, and the processor fetches those of several records at once. What the timer holds is given back
///    at once, and its handle finds nothing any more. A walk over a list takes such records out first.
/// 7. A pass is the calls of ``takeDue(now:into:work:)`` up to the first that is complete. It takes what was due when it
///    began: a timer that is inserted during a pass, and whose deadline has passed, waits in a list of its own for the
///    next pass, which takes that list first, in the order of insertion. So an action that schedules the next timer for
///    the present instant cannot keep a pass from ending.
/// 8. No call examines more records than its caller allows, or than a constant: the caller holds a lock.
///
/// Insert and cancel are O(1). Taking is O(records taken + records moved down), in steps as small as the caller wants:
/// a jump over a thousand years costs what the occupied slots cost. Only growth of the slab allocates.
package struct TimerWheel: ~Copyable {
    static var levels: Int { 11 }
    static var slotsPerLevel: Int { 64 }
    static var slotCount: Int { levels * slotsPerLevel }
    /// The list of records that are on their way from a slot to the levels below, or out.
    static var moving: Int { slotCount }
    /// The two lists of records for the next pass: one is filled while the records of the other are taken.
    static var later: (Int, Int) { (slotCount + 1, slotCount + 2) }
    static var listCount: Int { slotCount + 3 }
    /// How many records `nextWake` examines in one call unless its caller says otherwise.
    package static var examinedAtOnce: Int { 512 }
    /// How many records of cancelled timers may still be in their lists.
    package static var mostLeaving: Int { 16 }

    struct Slot {
        var head: UInt32 = .none
        var tail: UInt32 = .none
        /// A lower bound of the hard deadlines in the list; exact unless stale. `.max` when empty.
        var minimumHard: UInt64 = .max
        /// A lower bound of the soft deadlines in the list. `.max` when empty.
        var minimumSoft: UInt64 = .max
        /// An upper bound of the soft deadlines in the list. 0 when empty.
        var maximumSoft: UInt64 = 0

        var isEmpty: Bool { head == .none }
    }

    // First, because Swift 6.3 reports to the thread sanitizer each change of the wheel as one of what the first field
    // points to. What the slots point at is used under the owner's lock only; the slab's records are not.
    let slots: UnsafeMutablePointer<Slot>
    var slab: TimerSlab
    /// For each level, which of its slots are not empty.
    let occupied: UnsafeMutablePointer<UInt64>
    /// For each level, and the lists after the slots, which minima may be too low.
    let stale: UnsafeMutablePointer<UInt64>
    /// Which levels have an occupied slot.
    var occupiedLevels: UInt16 = 0
    /// The last instant of the range that the moving records come from; means nothing while there are none.
    var movingEnd: UInt64 = 0
    /// All moving records are due once `movingEnd` has come.
    var movingIsDue = false
    /// The list that the moving records come from, which stays empty until all have been moved; or one of the constants.
    var movingFrom = TimerWheel.nowhere
    /// Flipped when the lists are joined: a record whose place has the other value came into `moving` by that.
    var turn: UInt16 = 0
    /// The latest instant of the present pass; nil between passes.
    var passEnd: UInt64?
    /// Timers up to this instant may belong in `moving` or in the list for the next pass; later ones do not.
    var border: UInt64 = 0
    /// Which of the two lists is for the next pass.
    var laterList = TimerWheel.later.0
    /// The list whose minima are being made exact.
    var refreshing = Refresh()
    /// Timers that wait.
    var waiting = 0
    /// Records whose timers were cancelled, and which are still in their lists: see rule 6.
    let leaving: UnsafeMutablePointer<UInt32>
    var leavingCount = 0

    /// The instant up to which due timers were taken.
    package internal(set) var current: UInt64

    /// The longest tolerance that is kept; longer ones are cut to it, which keeps their promise.
    package static var longestTolerance: UInt64 { TimerRecord.longestTolerance }

    /// Deadline plus tolerance as a wheel keeps it, saturated.
    @inline(__always)
    package static func hardDeadline(_ deadline: UInt64, tolerance: UInt64) -> UInt64 {
        deadline.addingSaturating(min(tolerance, longestTolerance))
    }

    /// An empty wheel at the instant `now`.
    ///
    /// `firstGeneration` is for tests, which cannot wait for sixteen million lives of one record.
    package init(now: UInt64, firstGeneration: UInt32 = 1) {
        current = now
        slab = TimerSlab(firstGeneration: firstGeneration)
        slots = .allocate(capacity: Self.listCount)
        slots.initialize(repeating: Slot(), count: Self.listCount)
        occupied = .allocate(capacity: Self.levels)
        occupied.initialize(repeating: 0, count: Self.levels)
        stale = .allocate(capacity: Self.levels + 1)
        stale.initialize(repeating: 0, count: Self.levels + 1)
        leaving = .allocate(capacity: Self.mostLeaving)
    }

    deinit {
        slots.deallocate()
        occupied.deallocate()
        stale.deallocate()
        leaving.deallocate()
    }

    /// Timers that were neither cancelled nor released: waiting, taken, or started.
    package var count: Int { slab.count - leavingCount }

    #if DEBUG
        /// How often a record was examined, for tests.
        package var visits: Int { slab.visits.pointee }
    #endif

    /// What ends taken timers without a lock. Valid as long as the wheel.
    package var starts: TimerStarts { TimerStarts(memory: slab.memory) }

    /// Adds a timer that fires in `deadline ... deadline + tolerance` (saturating).
    package mutating func insert(deadline: UInt64, tolerance: UInt64, payload: TimerPayload) -> TimerHandle {
        let index = slab.allocate()
        let record = slab.record(index)
        slab.setPayload(index, payload)
        place(index, record, deadline: deadline, tolerance: tolerance)
        let life = record.pointee.life.load(ordering: .relaxed)
        return TimerHandle(index: index, generation: life >> TimerRecord.takingBits)
    }

    /// Takes the timer out and gives its payload back. Nil when it has left the wheel before, or was started.
    package mutating func remove(_ handle: TimerHandle) -> RemovedTimer? {
        guard let (record, life) = slab.live(handle) else { return nil }
        return remove(handle.index, record, life: life)
    }

    /// Ends a taken timer under the owner's lock, for the thread that runs its action. Nil when it was cancelled, or
    /// was reset since it was taken.
    package mutating func remove(_ due: DueTimer) -> RemovedTimer? {
        let record = slab.record(due.index)
        guard record.pointee.life.load(ordering: .relaxed) == due.life else { return nil }
        return remove(due.index, record, life: due.life)
    }

    @inline(__always)
    private mutating func remove(_ index: UInt32, _ record: TimerSlab.Record, life: UInt32) -> RemovedTimer? {
        let hard = record.pointee.hardDeadline
        let payload = slab.payload(index)
        let next = TimerRecord.life(after: life)
        if record.pointee.place.isList {
            record.pointee.life.store(next, ordering: .relaxed)
            leave(index)
            return RemovedTimer(payload: payload, wasWaiting: true, hardDeadline: hard)
        }
        // A taken timer can be started meanwhile by a thread without the lock.
        guard
            record.pointee.life.compareExchange(
                expected: life, desired: next, ordering: .acquiringAndReleasing
            ).exchanged
        else { return nil }
        slab.release(index)
        return RemovedTimer(payload: payload, wasWaiting: false, hardDeadline: hard)
    }

    /// Takes the record of a started timer back.
    package mutating func release(_ index: UInt32) { slab.release(index) }

    /// Gives a waiting or taken timer a new deadline, as if it had been inserted now. False when it has left the wheel or
    /// was started.
    package mutating func reset(_ handle: TimerHandle, deadline: UInt64, tolerance: UInt64) -> Bool {
        guard let (record, life) = slab.live(handle) else { return false }
        if record.pointee.place.isList {
            waiting &-= 1
            unlink(handle.index)
        } else {
            guard record.pointee.place == .taken,
                record.pointee.life.compareExchange(
                    expected: life, desired: TimerRecord.life(resetAfter: life), ordering: .acquiringAndReleasing
                ).exchanged
            else { return false }
        }
        place(handle.index, record, deadline: deadline, tolerance: tolerance)
        return true
    }

    /// Takes timers out, in no particular order; called until there is no next record, all that were in the wheel.
    ///
    /// - Parameters:
    ///   - first: The first record to examine: 0, then the result of the call before.
    ///   - limit: How many records are examined.
    ///   - body: Called with the payload of each timer that was neither started nor removed before.
    /// - Returns: The next record; nil after the last.
    package mutating func removeAll(
        from first: UInt32, examining limit: Int, _ body: (_ payload: TimerPayload) -> Void
    ) -> UInt32? {
        takeOutLeaving()
        let end = UInt32(min(Int(first) + limit, Int(slab.extent)))
        for index in first..<end {
            let place = slab.record(index).pointee.place
            let life = slab.record(index).pointee.life.load(ordering: .relaxed)
            // A taken record whose count is even again was started, and is released by who did.
            guard place.isList || (place == .taken && life & 1 == 1) else { continue }
            if let removed = remove(index, slab.record(index), life: life) { body(removed.payload) }
        }
        return end < slab.extent ? end : nil
    }

    /// The hard deadline of a waiting timer.
    package func hardDeadline(_ handle: TimerHandle) -> UInt64? {
        guard let (record, _) = slab.live(handle), record.pointee.place.isList else { return nil }
        return record.pointee.hardDeadline
    }

    @inline(__always)
    private mutating func place(
        _ index: UInt32, _ record: TimerSlab.Record, deadline: UInt64, tolerance: UInt64
    ) {
        let tolerance = min(tolerance, Self.longestTolerance)
        record.pointee.deadline = deadline
        record.pointee.tolerance = tolerance
        link(index, record, deadline: deadline, hard: deadline.addingSaturating(tolerance))
    }
}

extension UInt64 {
    /// The sum, or the end of the range.
    @inlinable
    package func addingSaturating(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// Names one timer of one wheel: where its record is, and which of the record's lives is meant.
///
/// A record is used again after its timer ended; the generation distinguishes the lives, so a stale handle finds
/// nothing.
package struct TimerHandle: Sendable, Hashable {
    package let index: UInt32
    package let generation: UInt32

    @inlinable
    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// The last generation of a record: 24 bits of its life count generations.
    package static var lastGeneration: UInt32 { 1 << 24 - 1 }

    /// A handle that no wheel ever gives out.
    @inlinable
    package static var none: TimerHandle { TimerHandle(index: .max, generation: 0) }
}

/// What the wheel keeps for a timer's owner: two words and a tag, which it never looks at.
///
/// Public, though no product has this module: what has package access is not inlined in other modules.
@frozen
public struct TimerPayload: Sendable, Hashable {
    /// The first word.
    public var first: UInt64
    /// The second word.
    public var second: UInt64
    /// What the words are, to the owner.
    public var tag: UInt8

    /// A payload of the owner's.
    @inlinable
    @inline(__always)
    public init(_ first: UInt64, _ second: UInt64 = 0, tag: UInt8 = 0) {
        self.first = first
        self.second = second
        self.tag = tag
    }
}

/// What a wheel gives back when a timer leaves it. Small enough to be returned in registers.
package struct RemovedTimer: Sendable, Equatable {
    package let payload: TimerPayload
    /// False when ``TimerWheel/takeDue(now:into:work:)`` had handed the timer out already.
    package let wasWaiting: Bool
    /// Deadline plus tolerance, saturated.
    package let hardDeadline: UInt64
}

/// A timer that was found due. Its payload belongs to the code that ends the timer: see ``TimerStarts``.
package struct DueTimer: Sendable {
    package let index: UInt32
    /// The life that was found due, with the count of its takings.
    let life: UInt32
    package let deadline: UInt64
    package let payload: TimerPayload

    package var handle: TimerHandle { TimerHandle(index: index, generation: life >> TimerRecord.takingBits) }
}

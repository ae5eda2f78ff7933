import Synchronization

/// Orders timers by their deadlines: a radix-64 hierarchical wheel over exact 64-bit nanoseconds.
///
/// Ground rules
///
/// 1. The wheel has no clock. `current` is the instant up to which due timers were taken; only
///    ``takeDue(now:into:work:)`` changes it.
/// 2. The place of a waiting record is its deadline or, if that has passed, `current`. The record is on the level of the
///    highest 6-bit digit in which its place differs from `current`, in the slot that this digit of the place names.
///    Therefore
///    - every record on a level is earlier than every record on a higher level, and the slots of a level are in order:
///      the first occupied slot of the lowest occupied level holds the earliest record;
///    - a slot of level 0 holds one exact instant: no deadline is rounded, and no timer fires early;
///    - equal deadlines are always in the same list, in the order of insertion. So the order of firing is total:
///      (deadline, insertion), where a deadline that has passed at the insertion counts as `current`.
/// 3. `current` enters a slot of a higher level only when a timer in it may be due. The slot's records then become the
///    list `moving`. They are moved to lower levels, a bounded number at a time, or taken directly if they are all due
///    at one instant. A timer that is inserted into their range meanwhile is appended to `moving`, which keeps the
///    order of insertion. After the clock was set back, all lists are joined to `moving`.
/// 4. The *soft* deadline of a record is its deadline, the *hard* one is deadline + tolerance. A record is placed by
///    its soft deadline. Each list has the minimum of its hard deadlines, or a lower bound and a mark that it is stale.
///    The owner sleeps until ``nextWake()``, and then takes everything whose soft deadline has passed. No scheduler
///    can do with fewer wake-ups, whatever is inserted or cancelled later.
/// 5. A taken record stays in the slab until it is started or cancelled, so a timer can be cancelled between the moment
///    it was taken and the moment its action starts. Starting needs no lock: see ``TimerStarts``.
/// 6. Cancelled timers are unlinked later, in batches of 16: the neighbours of a record lie anywhere in memory, and the
///    processor loads those of several records at once. The payload is returned immediately, and the handle is stale
///    from then on. Before a list is walked, the batch is unlinked.
/// 7. A pass consists of the calls of ``takeDue(now:into:work:)`` up to the first complete one. It takes the timers
///    that were due when it began. A timer whose deadline has passed when it is inserted during a pass waits in a
///    separate list, which the next pass takes first, in the order of insertion. So an action that schedules the next
///    timer for the same instant cannot keep a pass from ending.
/// 8. The number of records that a call examines is limited by its caller or by a constant, because the caller holds a
///    lock.
///
/// Inserting and cancelling are O(1). Taking is O(records taken + records moved), in steps as small as the caller
/// wants. The cost of a jump over a thousand years depends only on the number of occupied slots. Only growth of the
/// slab allocates.
package struct TimerWheel: ~Copyable {
    static var levels: Int { 11 }
    static var slotsPerLevel: Int { 64 }
    static var slotCount: Int { levels * slotsPerLevel }
    /// The list of records that are being moved from a slot to lower levels, or taken (rule 3).
    static var moving: Int { slotCount }
    /// The two lists for the next pass (rule 7): one is filled while the records of the other are taken.
    static var later: (Int, Int) { (slotCount + 1, slotCount + 2) }
    static var listCount: Int { slotCount + 3 }
    /// How many records one call of `nextWake(examining:)` examines, unless its caller needs another limit.
    package static var examinedAtOnce: Int { 512 }
    /// How many cancelled records may be in lists before they are unlinked (rule 6).
    package static var mostLeaving: Int { 16 }

    struct Slot {
        var head: UInt32 = .none
        var tail: UInt32 = .none
        /// A lower bound of the hard deadlines in the list, exact unless stale; `.max` when empty.
        var minimumHard: UInt64 = .max
        /// A lower bound of the soft deadlines in the list; `.max` when empty.
        var minimumSoft: UInt64 = .max
        /// An upper bound of the soft deadlines in the list; 0 when empty.
        var maximumSoft: UInt64 = 0

        var isEmpty: Bool { head == .none }
    }

    // This field is first, because Swift 6.3 reports each change of the wheel to the thread sanitizer as an access to
    // what the first field points to. The slots are used only under the owner's lock; the slab's records are not.
    let slots: UnsafeMutablePointer<Slot>
    var slab: TimerSlab
    /// The occupied slots of each level, as bits.
    let occupied: UnsafeMutablePointer<UInt64>
    /// The lists whose minima may be too low, as bits for each level, followed by those of the lists after the slots.
    let stale: UnsafeMutablePointer<UInt64>
    /// The levels that have an occupied slot, as bits.
    var occupiedLevels: UInt16 = 0
    /// The last instant of the range that the moving records come from; meaningless without moving records.
    var movingEnd: UInt64 = 0
    /// Whether all moving records are due once `movingEnd` is reached.
    var movingIsDue = false
    /// The list that became `moving`, and stays empty until all its records are moved.
    ///
    /// `nowhere` means that no records are moving, `everywhere` that all lists were joined.
    var movingFrom = TimerWheel.nowhere
    /// The bit that is part of the place of each record in a list, and is flipped when all lists are joined.
    ///
    /// A record whose place has the other value of the bit came into `moving` by the join.
    var turn: UInt16 = 0
    /// The latest instant of the current pass; nil between passes.
    var passEnd: UInt64?
    /// The latest instant that may belong in `moving` or in the list for the next pass.
    var border: UInt64 = 0
    /// The list that is filled for the next pass.
    var laterList = TimerWheel.later.0
    /// The search for the exact minima of a list.
    var refreshing = Refresh()
    var waiting = 0
    /// The cancelled records that are still in their lists (rule 6).
    let leaving: UnsafeMutablePointer<UInt32>
    var leavingCount = 0

    /// The instant up to which due timers were taken, in nanoseconds on the owner's clock.
    package internal(set) var current: UInt64

    /// The longest tolerance, in nanoseconds.
    ///
    /// A longer tolerance is shortened to this one; the timer then still fires within the longer tolerance.
    package static var longestTolerance: UInt64 { TimerRecord.longestTolerance }

    /// Returns the deadline plus the tolerance as the wheel stores it, saturated.
    @inline(__always)
    package static func hardDeadline(_ deadline: UInt64, tolerance: UInt64) -> UInt64 {
        deadline.addingSaturating(min(tolerance, longestTolerance))
    }

    /// Creates an empty wheel at the instant `now`.
    ///
    /// `firstGeneration` is for tests, which cannot use a record sixteen million times.
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

    /// How many timers are waiting, taken, or started and not released yet.
    package var count: Int { slab.count - leavingCount }

    #if COUNTS_VISITS
        /// How many records were examined, for tests.
        package var visits: Int { slab.visits.pointee }
    #endif

    /// Starts taken timers without a lock; valid as long as the wheel lives.
    package var starts: TimerStarts { TimerStarts(memory: slab.memory) }

    /// Inserts a timer that fires in `deadline ... deadline + tolerance` (saturating).
    package mutating func insert(deadline: UInt64, tolerance: UInt64, payload: TimerPayload) -> TimerHandle {
        let index = slab.allocate()
        let record = slab.record(index)
        slab.setPayload(index, payload)
        place(index, record, deadline: deadline, tolerance: tolerance)
        let life = record.pointee.life.load(ordering: .relaxed)
        return TimerHandle(index: index, generation: life >> TimerRecord.takingBits)
    }

    /// Removes a waiting or taken timer, and returns nil if it was started or removed before.
    package mutating func remove(_ handle: TimerHandle) -> RemovedTimer? {
        guard let (record, life) = slab.live(handle) else { return nil }
        return remove(handle.index, record, life: life)
    }

    /// Removes a taken timer, whose action the caller then runs; the caller holds the owner's lock.
    ///
    /// - Returns: Nil if the timer was cancelled, reset or started since it was taken.
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
        // Another thread may start a taken timer meanwhile, without the lock.
        guard
            record.pointee.life.compareExchange(
                expected: life, desired: next, ordering: .acquiringAndReleasing
            ).exchanged
        else { return nil }
        slab.release(index)
        return RemovedTimer(payload: payload, wasWaiting: false, hardDeadline: hard)
    }

    /// Releases the record of a started timer.
    package mutating func release(_ index: UInt32) { slab.release(index) }

    /// Gives a waiting or taken timer a new deadline, as if it was removed and inserted again.
    ///
    /// - Returns: False if the timer was started or removed before.
    package mutating func reset(_ handle: TimerHandle, deadline: UInt64, tolerance: UInt64) -> Bool {
        guard let (record, life) = slab.live(handle) else { return false }
        if record.pointee.place.isList {
            waiting &-= 1
            unlink(handle.index, record, whileListsChange: true)
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

    /// Removes timers in no particular order.
    ///
    /// Calls that are repeated until the result is nil remove all waiting and taken timers.
    ///
    /// - Parameters:
    ///   - first: The first record to examine: 0, then the result of the previous call.
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
            // `life` is odd while a timer is taken. A record in the place `taken` whose `life` is even was started, and
            // the thread that started it releases it.
            guard place.isList || (place == .taken && life & 1 == 1) else { continue }
            if let removed = remove(index, slab.record(index), life: life) { body(removed.payload) }
        }
        return end < slab.extent ? end : nil
    }

    /// Returns a timer's hard deadline; nil if the timer is not waiting.
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
    /// Returns the sum, or `.max` if it overflows.
    @inlinable
    package func addingSaturating(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// Identifies one timer of one wheel by its record's index and generation.
///
/// A record is reused after its timer has ended; the generation distinguishes its lives, so a stale handle matches no
/// timer.
package struct TimerHandle: Sendable, Hashable {
    package let index: UInt32
    package let generation: UInt32

    @inlinable
    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// The highest generation; a record's life has 24 bits for the generation.
    package static var lastGeneration: UInt32 { 1 << 24 - 1 }

    /// A handle that no wheel ever returns.
    @inlinable
    package static var none: TimerHandle { TimerHandle(index: .max, generation: 0) }
}

/// The data that the wheel stores for a timer's owner: two words and a tag, which the wheel never reads.
///
/// The type is public, though no product has this module, because declarations with package access are not inlined in
/// other modules.
@frozen
public struct TimerPayload: Sendable, Hashable {
    /// The first word.
    public var first: UInt64
    /// The second word.
    public var second: UInt64
    /// The owner's mark, which shows what the words mean.
    public var tag: UInt8

    /// Creates a payload of two words and a tag.
    @inlinable
    @inline(__always)
    public init(_ first: UInt64, _ second: UInt64 = 0, tag: UInt8 = 0) {
        self.first = first
        self.second = second
        self.tag = tag
    }
}

/// The result of removing a timer, small enough to be returned in registers.
package struct RemovedTimer: Sendable, Equatable {
    package let payload: TimerPayload
    /// False if ``TimerWheel/takeDue(now:into:work:)`` had taken the timer before.
    package let wasWaiting: Bool
    /// The deadline plus the tolerance, saturated.
    package let hardDeadline: UInt64
}

/// A timer that was taken because it was due.
///
/// The payload belongs to the thread that starts or removes the timer: see ``TimerStarts``.
package struct DueTimer: Sendable {
    package let index: UInt32
    /// The record's `life` at the moment of taking.
    let life: UInt32
    package let deadline: UInt64
    package let payload: TimerPayload

    package var handle: TimerHandle { TimerHandle(index: index, generation: life >> TimerRecord.takingBits) }
}

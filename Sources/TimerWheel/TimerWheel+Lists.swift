extension TimerWheel {
    // Deadlines are passed along with the record that holds them. Otherwise they would be loaded again right after they
    // were stored, because the compiler cannot prove that the intervening stores do not alias them.

    @inline(__always)
    mutating func link(_ index: UInt32, _ record: TimerSlab.Record, deadline: UInt64, hard: UInt64) {
        waiting &+= 1
        let instant = max(deadline, current)
        if instant <= border, let list = listBeforeSlots(instant) {
            append(index, record, to: list, deadline: deadline, hard: hard)
        } else {
            linkBelow(index, record, at: instant, deadline: deadline, hard: hard)
        }
        assert(isSound(index), "the wheel's ground rules")
    }

    /// Returns the list for a timer that belongs in no slot (rules 3 and 7), or nil if the timer belongs in a slot.
    @inline(never)
    private func listBeforeSlots(_ instant: UInt64) -> Int? {
        if let passEnd, instant <= passEnd { return laterList }
        return instant <= movingEnd && !slots[Self.moving].isEmpty ? Self.moving : nil
    }

    @inline(__always)
    mutating func linkBelow(_ index: UInt32, at instant: UInt64) {
        let record = slab.record(index)
        linkBelow(
            index, record, at: instant, deadline: record.pointee.deadline, hard: record.pointee.hardDeadline)
    }

    @inline(__always)
    private mutating func linkBelow(
        _ index: UInt32, _ record: TimerSlab.Record, at instant: UInt64, deadline: UInt64, hard: UInt64
    ) {
        let level = Self.level(instant, seenFrom: current)
        let digit = Self.digit(instant, level: level)
        append(
            index, record, to: level &* Self.slotsPerLevel &+ digit, deadline: deadline, hard: hard)
        occupied[level] |= 1 &<< UInt64(truncatingIfNeeded: digit)
        occupiedLevels |= 1 &<< UInt16(truncatingIfNeeded: level)
    }

    /// Puts the record of a cancelled timer into the batch that is unlinked later (rule 6).
    @inline(__always)
    mutating func leave(_ index: UInt32) {
        waiting &-= 1
        leaving[leavingCount] = index
        leavingCount &+= 1
        if leavingCount == Self.mostLeaving { takeOutLeaving() }
    }

    /// Whether a list is being moved or searched.
    @inline(__always)
    private var areListsChanging: Bool { movingFrom & refreshing.position != Self.nowhere }

    /// Unlinks the batch of cancelled records.
    mutating func takeOutLeaving() {
        // This is determined only once, because unlinking may end a move or a search, but never begins one.
        let areChanging = areListsChanging
        for position in 0..<leavingCount {
            let index = leaving[position]
            unlink(index, slab.record(index), whileListsChange: areChanging)
            slab.release(index)
        }
        leavingCount = 0
    }

    /// Unlinks a record.
    ///
    /// Only if no list is being moved or searched may `areChanging` be false, which needs fewer instructions: the record
    /// then names its list, and no search has to be adjusted.
    @inline(__always)
    mutating func unlink(_ index: UInt32, _ record: TimerSlab.Record, whileListsChange areChanging: Bool) {
        assert(isSound(index), "the wheel's ground rules")
        assert(areChanging || !areListsChanging, "a list is being moved or searched")
        let position = areChanging ? list(of: record) : Int(record.pointee.place.rawValue ^ turn)
        let slot = slots + position
        let next = record.pointee.next
        let previous = record.pointee.previous
        let hard = record.pointee.hardDeadline
        if areChanging, position == refreshing.position { refreshing.leave(index, next: next, hard: hard) }
        if previous == .none { slot.pointee.head = next } else { slab.record(previous).pointee.next = next }
        if next == .none { slot.pointee.tail = previous } else { slab.record(next).pointee.previous = previous }
        if next & previous == .none {
            markEmpty(position)
        } else if hard == slot.pointee.minimumHard {
            setStale(position)
        }
    }

    /// The bit of a place that shows the value of `turn` when the record was appended.
    static var turnBit: UInt16 { 1 << 10 }
    /// The value of `movingFrom` and `refreshing.position` that stands for no list.
    static var nowhere: Int { -1 }
    /// The value of `movingFrom` after all lists were joined.
    static var everywhere: Int { -2 }

    /// Returns the list that a waiting record is in.
    ///
    /// When a whole list becomes `moving`, its records still name the old list; for them, this returns `moving`.
    @inline(__always)
    func list(of record: TimerSlab.Record) -> Int {
        let position = Int(record.pointee.place.rawValue ^ turn)
        return position == movingFrom || position >= Int(Self.turnBit) ? Self.moving : position
    }

    @inline(__always)
    private mutating func append(
        _ index: UInt32, _ record: TimerSlab.Record, to position: Int, deadline: UInt64, hard: UInt64
    ) {
        let slot = slots + position
        let tail = slot.pointee.tail
        slot.pointee.tail = index
        slot.pointee.minimumHard = min(slot.pointee.minimumHard, hard)
        slot.pointee.minimumSoft = min(slot.pointee.minimumSoft, deadline)
        slot.pointee.maximumSoft = max(slot.pointee.maximumSoft, deadline)
        record.pointee.place = TimerRecord.Place(rawValue: UInt16(truncatingIfNeeded: position) ^ turn)
        record.pointee.next = .none
        record.pointee.previous = tail
        if tail == .none { slot.pointee.head = index } else { slab.record(tail).pointee.next = index }
    }

    /// Marks a list empty after it has lost its last record.
    mutating func markEmpty(_ position: Int) {
        slots[position] = Slot()
        let level = position / Self.slotsPerLevel
        let bit = UInt64(1) &<< UInt64(position % Self.slotsPerLevel)
        stale[level] &= ~bit
        guard position < Self.moving else {
            if position == Self.moving {
                movingFrom = Self.nowhere
                movingIsDue = false
            }
            return
        }
        occupied[level] &= ~bit
        if occupied[level] == 0 { occupiedLevels &= ~(1 &<< UInt16(level)) }
    }

    func isStale(_ position: Int) -> Bool {
        stale[position / Self.slotsPerLevel] & (1 &<< UInt64(position % Self.slotsPerLevel)) != 0
    }

    mutating func setStale(_ position: Int) {
        stale[position / Self.slotsPerLevel] |= 1 &<< UInt64(position % Self.slotsPerLevel)
    }

    mutating func clearStale(_ position: Int) {
        stale[position / Self.slotsPerLevel] &= ~(1 &<< UInt64(position % Self.slotsPerLevel))
    }

    @inline(__always)
    static func level(_ instant: UInt64, seenFrom current: UInt64) -> Int {
        // Without `| 63`, equal instants would not give level 0.
        (63 - ((instant ^ current) | 63).leadingZeroBitCount) / 6
    }

    @inline(__always)
    static func digit(_ instant: UInt64, level: Int) -> Int {
        Int((instant &>> UInt64(6 &* level)) & 63)
    }

    @inline(__always)
    func start(level: Int, digit: Int) -> UInt64 {
        // On the highest level this shift is 66, for which `<<` gives zero and `&<<` does not.
        let above = current & (UInt64.max << (6 * (level + 1)))
        return above | UInt64(digit) &<< UInt64(6 * level)
    }

    func end(level: Int, digit: Int) -> UInt64 {
        start(level: level, digit: digit) | ~(UInt64.max &<< UInt64(6 * level))
    }
}

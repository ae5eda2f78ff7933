extension TimerWheel {
    /// Appends a record to the list that it belongs to.
    @inline(__always)
    mutating func link(_ index: UInt32) {
        waiting += 1
        let record = slab.record(index)
        let instant = max(record.pointee.deadline, current)
        if instant <= movingEnd, !slots[Self.moving].isEmpty {
            append(index, to: Self.moving)
        } else {
            linkBelow(index, at: instant)
        }
        assert(isSound(index), "the wheel's ground rules")
    }

    /// Appends a record to the slot of an instant.
    @inline(__always)
    mutating func linkBelow(_ index: UInt32, at instant: UInt64) {
        let level = Self.level(instant, seenFrom: current)
        let digit = Self.digit(instant, level: level)
        append(index, to: level &* Self.slotsPerLevel &+ digit)
        occupied[level] |= 1 &<< UInt64(digit)
        occupiedLevels |= 1 &<< UInt16(level)
    }

    @inline(__always)
    mutating func unlink(_ index: UInt32) {
        let record = slab.record(index)
        assert(isSound(index), "the wheel's ground rules")
        let position = list(of: record)
        let slot = slots + position
        let next = record.pointee.next
        let previous = record.pointee.previous
        if previous == .none { slot.pointee.head = next } else { slab.record(previous).pointee.next = next }
        if next == .none { slot.pointee.tail = previous } else { slab.record(next).pointee.previous = previous }
        waiting -= 1
        if slot.pointee.isEmpty {
            markEmpty(position)
        } else if record.pointee.hardDeadline == slot.pointee.minimumHard {
            setStale(position)
        }
    }

    /// The list that a waiting record is in. Records that came into `moving` with their slot do not know it.
    @inline(__always)
    func list(of record: TimerSlab.Record) -> Int {
        let position = Int(record.pointee.place.rawValue)
        return position == movingFrom ? Self.moving : position
    }

    @inline(__always)
    private mutating func append(_ index: UInt32, to position: Int) {
        let record = slab.record(index)
        let slot = slots + position
        let tail = slot.pointee.tail
        record.pointee.place = TimerRecord.Place(rawValue: UInt16(truncatingIfNeeded: position))
        record.pointee.next = .none
        record.pointee.previous = tail
        if tail == .none { slot.pointee.head = index } else { slab.record(tail).pointee.next = index }
        slot.pointee.tail = index
        slot.pointee.minimumHard = min(slot.pointee.minimumHard, record.pointee.hardDeadline)
        slot.pointee.minimumSoft = min(slot.pointee.minimumSoft, record.pointee.deadline)
        slot.pointee.maximumSoft = max(slot.pointee.maximumSoft, record.pointee.deadline)
    }

    /// What follows from a list having lost its last record.
    mutating func markEmpty(_ position: Int) {
        slots[position] = Slot()
        let level = position / Self.slotsPerLevel
        let bit = UInt64(1) &<< UInt64(position % Self.slotsPerLevel)
        stale[level] &= ~bit
        guard position != Self.moving else {
            movingFrom = nil
            movingIsDue = false
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
        // `| 63` makes the lowest digit level 0 also when nothing differs.
        (63 - ((instant ^ current) | 63).leadingZeroBitCount) / 6
    }

    @inline(__always)
    static func digit(_ instant: UInt64, level: Int) -> Int {
        Int((instant &>> UInt64(6 &* level)) & 63)
    }

    /// The first instant of a slot.
    @inline(__always)
    func start(level: Int, digit: Int) -> UInt64 {
        // The highest level has four bits left, so this shift may be 66: `<<` gives zero then, `&<<` would not.
        let above = current & (UInt64.max << (6 * (level + 1)))
        return above | UInt64(digit) &<< UInt64(6 * level)
    }

    /// The last instant of a slot.
    func end(level: Int, digit: Int) -> UInt64 {
        start(level: level, digit: digit) | ~(UInt64.max &<< UInt64(6 * level))
    }
}

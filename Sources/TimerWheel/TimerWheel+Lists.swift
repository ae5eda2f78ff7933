extension TimerWheel {
    /// Appends a record to the list that its deadline belongs to at the present `current`.
    mutating func link(_ index: UInt32) {
        let record = slab.record(index)
        let deadline = record.pointee.deadline
        waiting += 1
        guard deadline >= current else {
            let tail = slots[Self.overdue].tail
            if tail != .none, slab.record(tail).pointee.deadline > deadline { overdueIsSorted = false }
            append(index, to: Self.overdue)
            return
        }
        let level = Self.level(deadline, seenFrom: current)
        let digit = Self.digit(deadline, level: level)
        append(index, to: level * Self.slotsPerLevel + digit)
        occupied[level] |= 1 << UInt64(digit)
        occupiedLevels |= 1 << UInt16(level)
    }

    mutating func unlink(_ index: UInt32) {
        let record = slab.record(index)
        let position = Int(record.pointee.place.rawValue)
        let slot = slots + position
        let next = record.pointee.next
        let previous = record.pointee.previous
        if previous == .none { slot.pointee.head = next } else { slab.record(previous).pointee.next = next }
        if next == .none { slot.pointee.tail = previous } else { slab.record(next).pointee.previous = previous }
        waiting -= 1
        if slot.pointee.isEmpty {
            markEmpty(position)
        } else if record.pointee.hardDeadline == slot.pointee.minimumHard {
            slot.pointee.isStale = true
        }
    }

    /// Empties a list and gives its first record; the records stay chained by `next`.
    mutating func detach(_ position: Int) -> UInt32 {
        let head = slots[position].head
        slots[position].head = .none
        slots[position].tail = .none
        markEmpty(position)
        return head
    }

    private func append(_ index: UInt32, to position: Int) {
        let record = slab.record(index)
        let slot = slots + position
        let tail = slot.pointee.tail
        record.pointee.place = TimerRecord.Place(rawValue: UInt32(position))
        record.pointee.next = .none
        record.pointee.previous = tail
        if tail == .none { slot.pointee.head = index } else { slab.record(tail).pointee.next = index }
        slot.pointee.tail = index
        slot.pointee.minimumHard = min(slot.pointee.minimumHard, record.pointee.hardDeadline)
    }

    private mutating func markEmpty(_ position: Int) {
        slots[position].minimumHard = .max
        slots[position].isStale = false
        guard position != Self.overdue else {
            overdueIsSorted = true
            return
        }
        let level = position / Self.slotsPerLevel
        occupied[level] &= ~(1 << UInt64(position % Self.slotsPerLevel))
        if occupied[level] == 0 { occupiedLevels &= ~(1 << UInt16(level)) }
    }

    /// Sorts the overdue list by deadline, keeping the order of equal ones: a bottom-up merge sort on the links.
    mutating func sortOverdue() {
        guard !overdueIsSorted else { return }
        var head = slots[Self.overdue].head
        var width = 1
        var merges = 0
        repeat {
            (head, merges) = mergePass(head, width: width)
            width *= 2
        } while merges > 1

        var previous = UInt32.none
        var index = head
        while index != .none {
            slab.record(index).pointee.previous = previous
            previous = index
            index = slab.record(index).pointee.next
        }
        slots[Self.overdue].head = head
        slots[Self.overdue].tail = previous
        overdueIsSorted = true
    }

    private func mergePass(_ start: UInt32, width: Int) -> (head: UInt32, merges: Int) {
        var left = start
        var head = UInt32.none
        var tail = UInt32.none
        var merges = 0
        while left != .none {
            merges += 1
            var right = left
            var leftCount = 0
            while leftCount < width, right != .none {
                leftCount += 1
                right = slab.record(right).pointee.next
            }
            var rightCount = width
            while leftCount > 0 || (rightCount > 0 && right != .none) {
                let takesRight =
                    leftCount == 0
                    || (rightCount > 0 && right != .none
                        && slab.record(right).pointee.deadline < slab.record(left).pointee.deadline)
                let taken = takesRight ? right : left
                if takesRight {
                    right = slab.record(right).pointee.next
                    rightCount -= 1
                } else {
                    left = slab.record(left).pointee.next
                    leftCount -= 1
                }
                if tail == .none { head = taken } else { slab.record(tail).pointee.next = taken }
                tail = taken
            }
            left = right
        }
        if tail != .none { slab.record(tail).pointee.next = .none }
        return (head, merges)
    }

    @inline(__always)
    static func level(_ deadline: UInt64, seenFrom current: UInt64) -> Int {
        // `| 63` makes the lowest digit level 0 also when nothing differs.
        (63 - ((deadline ^ current) | 63).leadingZeroBitCount) / 6
    }

    @inline(__always)
    static func digit(_ deadline: UInt64, level: Int) -> Int {
        Int((deadline >> UInt64(6 * level)) & 63)
    }

    /// The first instant of a slot.
    @inline(__always)
    func start(level: Int, digit: Int) -> UInt64 {
        // The highest level has four bits left, so this shift may be 66: `<<` gives zero then, `&<<` would not.
        let above = current & (UInt64.max << (6 * (level + 1)))
        return above | UInt64(digit) << UInt64(6 * level)
    }
}

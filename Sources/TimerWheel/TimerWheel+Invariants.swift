extension TimerWheel {
    /// Walks everything and names the first ground rule that is broken; nil when all hold. O(timers + slots).
    package func brokenInvariant() -> String? {
        var seen = 0
        for position in 0...Self.slotCount {
            if let fault = brokenInvariant(ofSlot: position, &seen) { return "slot \(position): \(fault)" }
        }
        for level in 0..<Self.levels where (occupied[level] != 0) != (occupiedLevels & (1 << UInt16(level)) != 0) {
            return "level \(level): the summary disagrees with the bitmap"
        }
        if seen != waiting { return "\(seen) records are in lists, \(waiting) are counted" }

        var taken = 0
        var free = 0
        for index in 0..<slab.capacity {
            switch slab.record(index).pointee.place {
            case .taken: taken += 1
            case .free, .retired: free += 1
            default: break
            }
        }
        if seen + taken != slab.count { return "\(seen) waiting and \(taken) taken are not \(slab.count) live" }
        if seen + taken + free != Int(slab.capacity) { return "records were lost" }
        return nil
    }

    private func brokenInvariant(ofSlot position: Int, _ seen: inout Int) -> String? {
        let slot = slots[position]
        if position < Self.slotCount {
            let bit = occupied[position / Self.slotsPerLevel] & (1 << UInt64(position % Self.slotsPerLevel)) != 0
            if bit == slot.isEmpty { return "the bitmap disagrees with the list" }
        }
        var minimum = UInt64.max
        var previous = UInt32.none
        var previousDeadline = UInt64.min
        var index = slot.head
        while index != .none {
            let record = slab.record(index).pointee
            seen += 1
            if seen > slab.count { return "the list is a ring" }
            if record.previous != previous { return "the links disagree" }
            if record.place.rawValue != UInt32(position) { return "a record believes to be elsewhere" }
            if record.hardDeadline < record.deadline { return "a hard deadline before the soft one" }
            if position == Self.overdue {
                if record.deadline >= current { return "an overdue record is not overdue" }
                if overdueIsSorted, record.deadline < previousDeadline { return "out of order" }
            } else if record.deadline < current || Self.slot(of: record.deadline, seenFrom: current) != position {
                return "a record for \(record.deadline) does not belong here at \(current)"
            }
            minimum = min(minimum, record.hardDeadline)
            previousDeadline = record.deadline
            previous = index
            index = record.next
        }
        if slot.tail != previous { return "the tail is not the end" }
        let exact = slot.isStale ? slot.minimumHard <= minimum : slot.minimumHard == minimum
        return exact ? nil : "the minimum hard deadline is \(slot.minimumHard) instead of \(minimum)"
    }

    private static func slot(of deadline: UInt64, seenFrom current: UInt64) -> Int {
        let level = level(deadline, seenFrom: current)
        return level * slotsPerLevel + digit(deadline, level: level)
    }
}

import Synchronization

extension TimerWheel {
    /// Checks all ground rules and describes the first violation, or returns nil; O(timers + slots).
    package func brokenInvariant() -> String? {
        var seen = 0
        for position in 0..<Self.listCount {
            if let fault = brokenInvariant(ofSlot: position, &seen) { return "slot \(position): \(fault)" }
        }
        for level in 0..<Self.levels where (occupied[level] != 0) != (occupiedLevels & (1 << UInt16(level)) != 0) {
            return "level \(level): the summary disagrees with the bitmap"
        }
        if seen != waiting + leavingCount {
            return "\(seen) records are in lists, \(waiting) wait and \(leavingCount) leave"
        }
        if movingFrom >= 0, !slots[movingFrom].isEmpty { return "a list was filled while its records were moved" }
        if refreshing.position >= 0, slots[refreshing.position].isEmpty { return "an empty list is searched" }
        if passEnd == nil, !slots[Self.later.0].isEmpty || !slots[Self.later.1].isEmpty {
            return "records wait for the next pass, and there is none before it"
        }

        var unlisted = 0
        var free = 0
        for index in 0..<slab.extent {
            switch slab.record(index).pointee.place {
            case .taken: unlisted += 1
            case .free, .retired: free += 1
            default: break
            }
        }
        if seen + unlisted != slab.count { return "\(seen) waiting and \(unlisted) others are not \(slab.count) live" }
        if seen + unlisted + free != Int(slab.extent) { return "records were lost" }
        return nil
    }

    private func brokenInvariant(ofSlot position: Int, _ seen: inout Int) -> String? {
        let slot = slots[position]
        if position < Self.slotCount {
            let bit = occupied[position / Self.slotsPerLevel] & (1 << UInt64(position % Self.slotsPerLevel)) != 0
            if bit == slot.isEmpty { return "the bitmap disagrees with the list" }
        }
        var minimumHard = UInt64.max
        var minimumSoft = UInt64.max
        var previous = UInt32.none
        var index = slot.head
        while index != .none {
            let record = slab.record(index)
            seen += 1
            if seen > slab.count { return "the list has a cycle" }
            if record.pointee.previous != previous { return "the links disagree" }
            if record.pointee.life.load(ordering: .relaxed) & 1 != 0 { return "a taken record waits" }
            if list(of: record) != position { return "a record names another list as its own" }
            let instant = max(record.pointee.deadline, current)
            if position >= Self.moving {
                let end = end(ofList: position)
                if instant > end { return "a record for \(instant) is with those up to \(end)" }
            } else if Self.slot(of: instant, seenFrom: current) != position {
                return "a record for \(instant) does not belong here at \(current)"
            }
            minimumHard = min(minimumHard, record.pointee.hardDeadline)
            minimumSoft = min(minimumSoft, record.pointee.deadline)
            previous = index
            index = record.pointee.next
        }
        if slot.tail != previous { return "the tail is not the end" }
        if slot.minimumSoft > minimumSoft { return "the lower bound is \(slot.minimumSoft) instead of \(minimumSoft)" }
        // Moving records away from the front of `moving` may leave its minimum too low without marking it stale.
        let exact = isStale(position) || position == Self.moving || slot.minimumHard == minimumHard
        return exact && slot.minimumHard <= minimumHard
            ? nil : "the minimum hard deadline is \(slot.minimumHard) instead of \(minimumHard)"
    }

    /// Checks one waiting record and its links; O(1), for assertions after each change.
    func isSound(_ index: UInt32) -> Bool {
        let record = slab.record(index)
        let position = list(of: record)
        let slot = slots[position]
        let next = record.pointee.next
        let previous = record.pointee.previous
        let isLinked =
            (next == .none ? slot.tail == index : slab.record(next).pointee.previous == index)
            && (previous == .none ? slot.head == index : slab.record(previous).pointee.next == index)
        let isCovered =
            slot.minimumHard <= record.pointee.hardDeadline && slot.minimumSoft <= record.pointee.deadline
            && (position >= Self.moving
                || occupied[position / Self.slotsPerLevel] & (1 << UInt64(position % Self.slotsPerLevel)) != 0)
        let instant = max(record.pointee.deadline, current)
        let isPlaced =
            position >= Self.moving
            ? instant <= end(ofList: position) : Self.slot(of: instant, seenFrom: current) == position
        return isLinked && isCovered && isPlaced && record.pointee.life.load(ordering: .relaxed) & 1 == 0
    }

    /// Returns the last instant that a list outside the slots may hold.
    private func end(ofList position: Int) -> UInt64 { position == Self.moving ? movingEnd : passEnd ?? 0 }

    private static func slot(of deadline: UInt64, seenFrom current: UInt64) -> Int {
        let level = level(deadline, seenFrom: current)
        return level * slotsPerLevel + digit(deadline, level: level)
    }
}

extension TimerWheel {
    /// The instant until which nobody needs to wake: the minimum hard deadline of the waiting timers. Nil without any.
    ///
    /// Slots are visited in the order of time and only as long as one could hold an earlier hard deadline.
    package mutating func nextWake() -> UInt64? {
        guard waiting > 0 else { return nil }
        var earliest = UInt64.max
        lower(&earliest, by: Self.overdue)
        var levels = occupiedLevels
        while levels != 0 {
            let level = levels.trailingZeroBitCount
            levels &= levels - 1
            var digits = occupied[level]
            while digits != 0 {
                let digit = digits.trailingZeroBitCount
                digits &= digits - 1
                guard start(level: level, digit: digit) < earliest else { return earliest }
                lower(&earliest, by: level * Self.slotsPerLevel + digit)
            }
        }
        return earliest
    }

    private func lower(_ earliest: inout UInt64, by position: Int) {
        let slot = slots + position
        // A stale minimum is a lower bound: if it cannot win, the exact one cannot either.
        guard slot.pointee.minimumHard < earliest else { return }
        if slot.pointee.isStale { refresh(slot) }
        earliest = min(earliest, slot.pointee.minimumHard)
    }

    private func refresh(_ slot: UnsafeMutablePointer<Slot>) {
        var minimum = UInt64.max
        var index = slot.pointee.head
        while index != .none {
            minimum = min(minimum, slab.record(index).pointee.hardDeadline)
            index = slab.record(index).pointee.next
        }
        slot.pointee.minimumHard = minimum
        slot.pointee.isStale = false
    }
}

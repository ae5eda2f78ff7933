extension TimerWheel {
    /// The instant until which no wake-up is needed: the minimum hard deadline of the waiting timers. Nil without any.
    ///
    /// Slots are visited in the order of time and only as long as one could hold an earlier hard deadline. When the
    /// minimum of a list with thousands of timers was cancelled, the instant may be too early: waking then costs one
    /// wake-up more than needed, and what comes after it is exact again.
    package mutating func nextWake() -> UInt64? {
        takeOutLeaving()
        guard waiting > 0 else { return nil }
        var earliest = UInt64.max
        var budget = Self.refreshBudget
        lower(&earliest, by: Self.moving, &budget)
        var levels = occupiedLevels
        while levels != 0 {
            let level = levels.trailingZeroBitCount
            levels &= levels - 1
            var digits = occupied[level]
            while digits != 0 {
                let digit = digits.trailingZeroBitCount
                digits &= digits - 1
                guard start(level: level, digit: digit) <= earliest else { return earliest }
                lower(&earliest, by: level * Self.slotsPerLevel + digit, &budget)
            }
        }
        return earliest
    }

    private mutating func lower(_ earliest: inout UInt64, by position: Int, _ budget: inout Int) {
        // A stale minimum is a lower bound: if it cannot win, the exact one cannot either.
        guard slots[position].minimumHard < earliest else { return }
        if isStale(position) { refresh(position, &budget) }
        earliest = min(earliest, slots[position].minimumHard)
    }

    /// Makes the minima of a list exact, if the budget lasts.
    private mutating func refresh(_ position: Int, _ budget: inout Int) {
        var minimumHard = UInt64.max
        var minimumSoft = UInt64.max
        var index = slots[position].head
        while index != .none {
            guard budget > 0 else { return }
            budget -= 1
            let record = slab.record(index)
            minimumHard = min(minimumHard, record.pointee.hardDeadline)
            minimumSoft = min(minimumSoft, record.pointee.deadline)
            index = record.pointee.next
        }
        slots[position].minimumHard = minimumHard
        slots[position].minimumSoft = minimumSoft
        clearStale(position)
    }
}

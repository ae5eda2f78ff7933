import Synchronization

extension TimerWheel {
    /// How far a call of `takeDue` came.
    package struct Progress: Sendable, Equatable {
        /// How many timers it took.
        package let count: Int
        /// False: the buffer or the allowance for moving was used up, and more may be due.
        package let isComplete: Bool

        package init(count: Int, isComplete: Bool) {
            self.count = count
            self.isComplete = isComplete
        }
    }

    /// Takes timers whose (soft) deadline is `now` or earlier, in the order of (deadline, insertion).
    ///
    /// At most `buffer.count` are taken and at most `work` are moved to a lower level on the way: the budget, so that
    /// the caller's lock is never held for long. Taken timers are not in any list any more, but they live until they
    /// are started or removed.
    ///
    /// `now` may be earlier than in the call before (the wall clock was set): then the wheel is built anew around
    /// it, within the same budget.
    package mutating func takeDue(
        now: UInt64, into buffer: UnsafeMutableBufferPointer<DueTimer>, work: Int = .max
    ) -> Progress {
        takeOutLeaving()
        var work = work
        var count = 0
        if now < current { rebase(to: now) }
        while true {
            if !slots[Self.moving].isEmpty {
                if movingIsDue { take(from: Self.moving, into: buffer, &count) } else { moveDown(&work) }
                if !slots[Self.moving].isEmpty { return Progress(count: count, isComplete: false) }
            }
            guard occupiedLevels != 0 else { break }
            let level = occupiedLevels.trailingZeroBitCount
            let digit = occupied[level].trailingZeroBitCount
            let position = level &* Self.slotsPerLevel &+ digit
            // Nothing in the first slot is due, so nothing is. `current` stays before the slot, whose records then
            // need not be moved down yet: most of them may be cancelled before they are due.
            guard slots[position].minimumSoft <= now else {
                if start(level: level, digit: digit) > now { current = now }
                return Progress(count: count, isComplete: true)
            }
            guard count < buffer.count else { return Progress(count: count, isComplete: false) }
            if level == 0 {
                current = max(current, start(level: level, digit: digit))
                take(from: position, into: buffer, &count)
            } else {
                open(position, level: level, digit: digit, now: now)
            }
        }
        current = now
        return Progress(count: count, isComplete: true)
    }

    /// Builds the wheel anew around another instant. O(timers), in one go: it happens when a person or the network sets
    /// a clock back.
    private mutating func rebase(to now: UInt64) {
        // Equal deadlines are in one list, so any order of the slots keeps the order of insertion among them; what is
        // still to be moved was inserted after what has been moved.
        var first = UInt32.none
        var last = UInt32.none
        for position in 0...Self.slotCount where !slots[position].isEmpty {
            let slot = slots[position]
            if last == .none { first = slot.head } else { slab.record(last).pointee.next = slot.head }
            last = slot.tail
            markEmpty(position)
        }
        current = now
        var index = first
        while index != .none {
            let record = slab.record(index)
            let next = record.pointee.next
            linkBelow(index, at: max(record.pointee.deadline, now))
            index = next
        }
    }

    private mutating func take(
        from position: Int, into buffer: UnsafeMutableBufferPointer<DueTimer>, _ count: inout Int
    ) {
        var index = slots[position].head
        let before = count
        while count < buffer.count, index != .none {
            let record = slab.record(index)
            let life = record.pointee.life.load(ordering: .relaxed) &+ 1
            record.pointee.life.store(life, ordering: .relaxed)
            record.pointee.place = .taken
            // In place: a temporary would be copied.
            (buffer.baseAddress.unsafelyUnwrapped + count).initialize(
                to: DueTimer(
                    index: index, life: life, deadline: record.pointee.deadline, payload: slab.payload(index)
                )
            )
            count += 1
            index = record.pointee.next
        }
        waiting -= count - before
        if index == .none {
            markEmpty(position)
        } else {
            slots[position].head = index
            slab.record(index).pointee.previous = .none
            // The minimum may have been of those that were taken.
            setStale(position)
        }
    }

    /// Lets `current` enter a slot, whose records are then to be moved.
    private mutating func open(_ position: Int, level: Int, digit: Int, now: UInt64) {
        let slot = slots[position]
        // Nothing waits before this instant. The nearer it is to the records, the fewer levels they go through: if
        // they are all due at one instant, none between.
        let entry = max(current, start(level: level, digit: digit), min(slot.minimumSoft, now))
        movingIsDue = slot.minimumSoft == slot.maximumSoft
        movingEnd = movingIsDue ? entry : end(level: level, digit: digit)
        let wasStale = isStale(position)
        markEmpty(position)
        slots[Self.moving] = slot
        movingFrom = position
        if wasStale { stale[Self.moving / Self.slotsPerLevel] |= 1 }
        current = entry
    }

    /// Moves records to the levels below, until the allowance is used up.
    private mutating func moveDown(_ work: inout Int) {
        var index = slots[Self.moving].head
        while index != .none, work > 0 {
            work -= 1
            let record = slab.record(index)
            let next = record.pointee.next
            linkBelow(index, at: max(record.pointee.deadline, current))
            assert(isSound(index), "the wheel's ground rules")
            index = next
        }
        guard index != .none else { return markEmpty(Self.moving) }
        slots[Self.moving].head = index
        slab.record(index).pointee.previous = .none
    }
}

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

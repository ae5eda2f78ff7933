import Synchronization

extension TimerWheel {
    /// How far a call of `takeDue` came.
    package struct Progress: Sendable, Equatable {
        /// How many timers it took.
        package let count: Int
        /// Whether everything was taken that was due when the pass began (rule 7). False: the buffer or the allowance
        /// for moving was used up, and more may be due.
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
    /// are started or removed. The caller repeats the call until it is complete.
    ///
    /// `now` may be earlier than in the call before (the wall clock was set): then the wheel is built anew around
    /// it, within the same budget.
    package mutating func takeDue(
        now: UInt64, into buffer: UnsafeMutableBufferPointer<DueTimer>, work: Int = .max
    ) -> Progress {
        takeOutLeaving()
        refreshing.position = Self.nowhere
        var work = work
        var count = 0
        if now < (movingIsDue ? movingEnd : current) {
            // Records know of one joining only, so the one before it has to be finished.
            if movingFrom == Self.everywhere { moveDown(&work) }
            guard movingFrom != Self.everywhere else { return interrupted(count) }
            joinLists(before: now)
        }
        passEnd = max(now, passEnd ?? now)
        while true {
            if !slots[Self.moving].isEmpty {
                if movingIsDue { take(from: Self.moving, into: buffer, &count) } else { moveDown(&work) }
                if !slots[Self.moving].isEmpty { return interrupted(count) }
            }
            guard occupiedLevels != 0 else { break }
            let level = occupiedLevels.trailingZeroBitCount
            let digit = occupied[level].trailingZeroBitCount
            let position = level &* Self.slotsPerLevel &+ digit
            // Nothing in the first slot is due, so nothing is. `current` stays before the slot, whose records then
            // need not be moved down yet: most of them may be cancelled before they are due.
            guard slots[position].minimumSoft <= now else {
                if start(level: level, digit: digit) > now { current = now }
                return completed(count)
            }
            guard count < buffer.count else { return interrupted(count) }
            if level == 0 {
                current = max(current, start(level: level, digit: digit))
                take(from: position, into: buffer, &count)
            } else {
                open(position, level: level, digit: digit, now: now)
            }
        }
        current = now
        return completed(count)
    }

    /// Whether some calls of `takeDue` for the present pass were made, and more are to come.
    package var isInPass: Bool { passEnd != nil }

    private mutating func interrupted(_ count: Int) -> Progress {
        border = max(passEnd ?? 0, slots[Self.moving].isEmpty ? 0 : movingEnd)
        return Progress(count: count, isComplete: false)
    }

    /// Ends the pass, and lets the next one begin with what was due already when it was inserted.
    private mutating func completed(_ count: Int) -> Progress {
        if let passEnd, !slots[laterList].isEmpty {
            let wasStale = isStale(laterList)
            slots[Self.moving] = slots[laterList]
            markEmpty(laterList)
            if wasStale { setStale(Self.moving) }
            movingFrom = laterList
            movingIsDue = true
            movingEnd = passEnd
            laterList = laterList == Self.later.0 ? Self.later.1 : Self.later.0
        }
        passEnd = nil
        border = slots[Self.moving].isEmpty ? 0 : movingEnd
        return Progress(count: count, isComplete: true)
    }

    /// Lets the wheel be built anew around an earlier instant: a person or the network has set the clock back. All lists
    /// become one, whose records are then to be moved.
    private mutating func joinLists(before now: UInt64) {
        var all = Slot()
        var isAnyStale = false
        // Equal deadlines are in one list, so any order of the slots keeps the order of insertion among them; what is
        // still to be moved was inserted after what has been moved, and what waits for the next pass after both.
        for position in 0..<Self.listCount where !slots[position].isEmpty {
            let slot = slots[position]
            isAnyStale = isAnyStale || isStale(position)
            slab.record(slot.head).pointee.previous = all.tail
            if all.tail == .none { all.head = slot.head } else { slab.record(all.tail).pointee.next = slot.head }
            all.tail = slot.tail
            all.minimumHard = min(all.minimumHard, slot.minimumHard)
            all.minimumSoft = min(all.minimumSoft, slot.minimumSoft)
            all.maximumSoft = max(all.maximumSoft, slot.maximumSoft)
            markEmpty(position)
        }
        current = now
        passEnd = nil
        guard !all.isEmpty else { return }
        turn ^= Self.turnBit
        slots[Self.moving] = all
        if isAnyStale { setStale(Self.moving) }
        movingFrom = Self.everywhere
        movingEnd = .max
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
        if wasStale { setStale(Self.moving) }
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
    /// The search for the exact minima of a list, which may take several calls.
    struct Refresh {
        /// The list; `nowhere` without a search.
        var position = TimerWheel.nowhere
        /// The next record to examine.
        var next = UInt32.none
        /// The minima of the records that were examined.
        var minimumHard = UInt64.max
        var minimumSoft = UInt64.max
    }

    /// The minimum hard deadline of the waiting timers, or an earlier instant.
    package struct NextWake: Sendable, Equatable {
        /// `.max` without timers.
        package let instant: UInt64
        /// Whether it is the minimum.
        package let isExact: Bool

        package init(instant: UInt64, isExact: Bool) { (self.instant, self.isExact) = (instant, isExact) }
    }

    /// The instant until which no wake-up is needed: the minimum hard deadline of the waiting timers. Nil without any.
    package mutating func nextWake() -> UInt64? {
        while true {
            let next = nextWake(examining: Self.examinedAtOnce)
            if next.isExact { return waiting == 0 ? nil : next.instant }
        }
    }

    /// Searches for the instant until which no wake-up is needed, and examines at most `limit` records.
    ///
    /// Slots are visited in the order of time and only as long as one could hold an earlier hard deadline. When the
    /// minimum of a list was cancelled, the result may not be exact: then the next call continues the search. Waking too
    /// early costs one wake-up more than needed, and what comes after it is exact again.
    package mutating func nextWake(examining limit: Int) -> NextWake {
        takeOutLeaving()
        var earliest = NextWake(instant: .max, isExact: true)
        guard waiting > 0 else { return earliest }
        var limit = limit
        for position in Self.moving..<Self.listCount { lower(&earliest, by: position, &limit) }
        var levels = occupiedLevels
        while levels != 0 {
            let level = levels.trailingZeroBitCount
            levels &= levels - 1
            var digits = occupied[level]
            while digits != 0 {
                let digit = digits.trailingZeroBitCount
                digits &= digits - 1
                // What was overdue when it was inserted waits in the slot of `current`.
                guard start(level: level, digit: digit) <= max(earliest.instant, current) else { return earliest }
                lower(&earliest, by: level * Self.slotsPerLevel + digit, &limit)
            }
        }
        return earliest
    }

    private mutating func lower(_ earliest: inout NextWake, by position: Int, _ limit: inout Int) {
        // A stale minimum is a lower bound: if it cannot win, the exact one cannot either.
        guard slots[position].minimumHard < earliest.instant else { return }
        let isExact = !isStale(position) || refresh(position, &limit)
        guard slots[position].minimumHard < earliest.instant else { return }
        earliest = NextWake(instant: slots[position].minimumHard, isExact: isExact)
    }

    /// Makes the minima of a list exact; false if the allowance does not suffice.
    private mutating func refresh(_ position: Int, _ limit: inout Int) -> Bool {
        guard limit > 0 else { return false }
        var search =
            position == refreshing.position ? refreshing : Refresh(position: position, next: slots[position].head)
        while search.next != .none {
            guard limit > 0 else {
                refreshing = search
                return false
            }
            limit -= 1
            let record = slab.record(search.next)
            search.minimumHard = min(search.minimumHard, record.pointee.hardDeadline)
            search.minimumSoft = min(search.minimumSoft, record.pointee.deadline)
            search.next = record.pointee.next
        }
        // Records that were appended meanwhile were examined too: the search ends with the list.
        slots[position].minimumHard = search.minimumHard
        slots[position].minimumSoft = search.minimumSoft
        clearStale(position)
        refreshing.position = Self.nowhere
        return true
    }

    /// A record leaves the list that is searched.
    @inline(never)
    mutating func refresh(without index: UInt32, _ record: TimerSlab.Record, next: UInt32) {
        if index == refreshing.next { refreshing.next = next }
        // The search would find a minimum that is too low, or not examine the records that are appended from now on.
        if record.pointee.hardDeadline == refreshing.minimumHard || refreshing.next == .none {
            refreshing.position = Self.nowhere
        }
    }
}

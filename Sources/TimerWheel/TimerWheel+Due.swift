import Synchronization

extension TimerWheel {
    /// The result of one call of `takeDue`.
    package struct Progress: Sendable, Equatable {
        /// How many timers were taken.
        package let count: Int
        /// Whether the call took all that remained of the pass (rule 7).
        ///
        /// False if the buffer became full or the limit on the work was reached; more timers may then be due.
        package let isComplete: Bool

        package init(count: Int, isComplete: Bool) {
            self.count = count
            self.isComplete = isComplete
        }
    }

    /// Takes the timers whose soft deadline is `now` or earlier, in the order of (deadline, insertion).
    ///
    /// A call takes at most `buffer.count` timers and moves at most `work` records to a lower level, so the caller
    /// never holds its lock for long. The caller repeats the call until the pass is complete. Taken timers are in no
    /// list, but live until they are started or removed.
    ///
    /// If `now` is earlier than in the previous call because the wall clock was set back, the wheel is rebuilt around
    /// `now`, within the same budget.
    package mutating func takeDue(
        now: UInt64, into buffer: UnsafeMutableBufferPointer<DueTimer>, work: Int = .max
    ) -> Progress {
        takeOutLeaving()
        refreshing.position = Self.nowhere
        var work = work
        var count = 0
        if now < (movingIsDue ? movingEnd : current) {
            // A record shows only whether it came into `moving` by the latest join (see `turn`), so an earlier join
            // must be finished first.
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
            // The first slot holds the earliest timers: if none of them is due, no timer is. `current` stays before the
            // slot, so that its records are not moved down yet; most of them may be cancelled before they are due.
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

    /// Whether a pass has begun and is not complete.
    package var isInPass: Bool { passEnd != nil }

    private mutating func interrupted(_ count: Int) -> Progress {
        border = max(passEnd ?? 0, slots[Self.moving].isEmpty ? 0 : movingEnd)
        return Progress(count: count, isComplete: false)
    }

    /// Ends the pass; timers that were already due when they were inserted are left to the next pass.
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

    /// Joins all lists into `moving`, to rebuild the wheel around an earlier instant after the clock was set back.
    private mutating func joinLists(before now: UInt64) {
        var all = Slot()
        var isAnyStale = false
        // Records with equal deadlines must stay in the order of insertion. In the slots they are in one list, so the
        // order of the slots does not matter. The lists after the slots are joined last: the records in `moving` were
        // inserted after those that have left it for a slot, and the records for the next pass were inserted last.
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
            // The element is initialized in place, to avoid copying a temporary.
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
            // The minimum may have been that of a record that was just taken.
            setStale(position)
        }
    }

    /// Advances `current` into a slot, whose records become the list `moving`.
    private mutating func open(_ position: Int, level: Int, digit: Int, now: UInt64) {
        let slot = slots[position]
        // No timer waits before this instant. The closer the instant is to the records, the fewer levels they pass
        // through. If all records are due at one instant, they pass through none.
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

    /// Moves records from `moving` to lower levels, at most `work` of them.
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
    /// A search for the exact minima of a list, which may take several calls.
    struct Refresh {
        /// The list that is searched, or `nowhere`.
        var position = TimerWheel.nowhere
        var next = UInt32.none
        /// The minima of the records that were examined so far.
        var minimumHard = UInt64.max
        var minimumSoft = UInt64.max

        /// Keeps the search valid when a record leaves the list that is searched.
        @inline(__always)
        mutating func leave(_ index: UInt32, next following: UInt32, hard: UInt64) {
            // The search is given up in two cases. If the record may have had the minimum that was found so far, this
            // minimum may be too low from now on. If the record was the only one left to examine, the search would miss
            // the records that are appended from now on.
            if hard == minimumHard { position = TimerWheel.nowhere }
            guard index == next else { return }
            next = following
            if following == .none { position = TimerWheel.nowhere }
        }
    }

    /// A lower bound of the waiting timers' hard deadlines, usually the exact minimum.
    package struct NextWake: Sendable, Equatable {
        /// The minimum or a lower bound of it; `.max` without timers.
        package let instant: UInt64
        /// Whether `instant` is the minimum.
        package let isExact: Bool

        package init(instant: UInt64, isExact: Bool) { (self.instant, self.isExact) = (instant, isExact) }
    }

    /// Returns the minimum hard deadline of the waiting timers, until which no wake-up is needed; nil without timers.
    package mutating func nextWake() -> UInt64? {
        while true {
            let next = nextWake(examining: Self.examinedAtOnce)
            if next.isExact { return waiting == 0 ? nil : next.instant }
        }
    }

    /// Searches for the minimum hard deadline of the waiting timers, examining at most `limit` records.
    ///
    /// The search visits slots in the order of time, and stops at the first slot that cannot hold an earlier hard
    /// deadline. After the timer with the earliest hard deadline of a list was cancelled, the result may be too early;
    /// the next call then continues the search. A wake-up at such an instant is unnecessary, and the search after it is
    /// exact again.
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
                // A timer that was overdue at its insertion is in the slot of `current`.
                guard start(level: level, digit: digit) <= max(earliest.instant, current) else { return earliest }
                lower(&earliest, by: level * Self.slotsPerLevel + digit, &limit)
            }
        }
        return earliest
    }

    private mutating func lower(_ earliest: inout NextWake, by position: Int, _ limit: inout Int) {
        // A stale minimum is a lower bound, so if it is not earlier, the exact minimum is not earlier either.
        guard slots[position].minimumHard < earliest.instant else { return }
        let isExact = !isStale(position) || refresh(position, &limit)
        guard slots[position].minimumHard < earliest.instant else { return }
        earliest = NextWake(instant: slots[position].minimumHard, isExact: isExact)
    }

    /// Makes the minima of a list exact; returns false if `limit` records were examined before that.
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
        // The search ends at the list's end, so it has also examined the records that were appended meanwhile.
        slots[position].minimumHard = search.minimumHard
        slots[position].minimumSoft = search.minimumSoft
        clearStale(position)
        refreshing.position = Self.nowhere
        return true
    }
}

extension TimerWheel {
    /// Takes timers whose (soft) deadline is `now` or earlier, in the order of (deadline, insertion).
    ///
    /// At most `buffer.count` are taken, the budget; when the result equals it, more may be due. Taken timers are not
    /// in any list any more, but they live until ``remove(_:)``.
    ///
    /// `now` may be earlier than in the call before (somebody set the wall clock): then the wheel is built anew around
    /// it, which costs O(timers).
    package mutating func takeDue(now: UInt64, into buffer: UnsafeMutableBufferPointer<TimerHandle>) -> Int {
        if now < current { rebase(to: now) }
        var count = 0
        if !slots[Self.overdue].isEmpty {
            sortOverdue()
            take(from: Self.overdue, into: buffer, &count)
        }
        while count < buffer.count {
            guard occupiedLevels != 0 else {
                current = now
                break
            }
            let level = occupiedLevels.trailingZeroBitCount
            let digit = occupied[level].trailingZeroBitCount
            let start = start(level: level, digit: digit)
            guard start <= now else {
                current = now
                break
            }
            current = start
            let position = level * Self.slotsPerLevel + digit
            if level == 0 {
                take(from: position, into: buffer, &count)
            } else {
                moveDown(position, now: now, into: buffer, &count)
            }
        }
        return count
    }

    /// Builds the wheel anew around another instant.
    mutating func rebase(to now: UInt64) {
        // Equal deadlines are in one list, so any order of the lists keeps the order of insertion among them.
        var chain = UInt32.none
        var last = UInt32.none
        for position in 0...Self.slotCount where !slots[position].isEmpty {
            let tail = slots[position].tail
            let head = detach(position)
            if last == .none { chain = head } else { slab.record(last).pointee.next = head }
            last = tail
        }
        current = now
        relink(chain)
    }

    private mutating func take(
        from position: Int, into buffer: UnsafeMutableBufferPointer<TimerHandle>, _ count: inout Int
    ) {
        while count < buffer.count, !slots[position].isEmpty {
            let index = slots[position].head
            unlink(index)
            take(index, into: buffer, &count)
        }
    }

    private mutating func take(
        _ index: UInt32, into buffer: UnsafeMutableBufferPointer<TimerHandle>, _ count: inout Int
    ) {
        let record = slab.record(index)
        record.pointee.place = .taken
        buffer[count] = TimerHandle(index: index, generation: record.pointee.generation)
        count += 1
    }

    private mutating func moveDown(
        _ position: Int, now: UInt64, into buffer: UnsafeMutableBufferPointer<TimerHandle>, _ count: inout Int
    ) {
        let only = slots[position].head
        if only == slots[position].tail, slab.record(only).pointee.deadline <= now {
            // The earliest slot has one record: it need not travel through the levels below.
            current = slab.record(only).pointee.deadline
            unlink(only)
            take(only, into: buffer, &count)
        } else {
            relink(detach(position))
        }
    }

    private mutating func relink(_ chain: UInt32) {
        var index = chain
        while index != .none {
            let next = slab.record(index).pointee.next
            waiting -= 1
            link(index)
            index = next
        }
    }
}

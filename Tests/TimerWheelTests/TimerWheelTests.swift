import Testing
import TimerWheel

@Suite("TimerWheel")
struct TimerWheelTests {
    @Test("equal deadlines are taken in the order of insertion, also when some were inserted much later")
    func orderOfInsertion() {
        var wheel = TimerWheel(now: 0)
        let deadline: UInt64 = 5_000_000_000
        _ = wheel.insert(deadline: deadline, tolerance: 0, payload: TimerPayload(1))
        _ = wheel.takePayloads(now: 4_999_000_000)
        _ = wheel.insert(deadline: deadline, tolerance: 0, payload: TimerPayload(2))
        _ = wheel.takePayloads(now: deadline - 1)
        _ = wheel.insert(deadline: deadline, tolerance: 0, payload: TimerPayload(3))
        #expect(wheel.takePayloads(now: deadline) == [1, 2, 3])
    }

    @Test("timers that were overdue when they were inserted are taken first, in the order of insertion")
    func overdueOrder() {
        var wheel = TimerWheel(now: 1_000)
        _ = wheel.insert(deadline: 1_001, tolerance: 0, payload: TimerPayload(100))
        for (payload, deadline) in [30, 10, 1_000, 10].enumerated() {
            _ = wheel.insert(deadline: UInt64(deadline), tolerance: 0, payload: TimerPayload(UInt64(payload)))
        }
        #expect(wheel.brokenInvariant() == nil)
        #expect(wheel.nextWake() == 10)
        #expect(wheel.takePayloads(now: 2_000, budget: 2) == [0, 1])
        #expect(wheel.brokenInvariant() == nil)
        #expect(wheel.takePayloads(now: 2_000) == [2, 3, 100])
    }

    @Test("nothing is taken one nanosecond before its deadline, and everything at its deadline")
    func exactness() {
        for bit in 0..<64 {
            let deadline = UInt64(1) << UInt64(bit)
            var wheel = TimerWheel(now: 0)
            _ = wheel.insert(deadline: deadline, tolerance: 0, payload: TimerPayload(7))
            #expect(wheel.takePayloads(now: deadline - 1) == [])
            #expect(wheel.takePayloads(now: deadline) == [7])
        }
    }

    @Test("a stale handle finds nothing although its record lives again")
    func generations() throws {
        var wheel = TimerWheel(now: 0)
        let first = wheel.insert(deadline: 10, tolerance: 0, payload: TimerPayload(1))
        #expect(wheel.remove(first)?.payload.first == 1)
        #expect(wheel.nextWake() == nil, "and the call unlinks cancelled timers")
        let second = wheel.insert(deadline: 10, tolerance: 0, payload: TimerPayload(2))
        #expect(second.index == first.index, "the record last freed is used first")
        #expect(wheel.remove(first) == nil)
        #expect(wheel.reset(first, deadline: 1, tolerance: 0) == false)
        #expect(wheel.remove(second)?.payload.first == 2)
        #expect(wheel.remove(.none) == nil)
    }

    @Test("after cancellations in any order, new timers lie beside each other")
    func neighbours() {
        var wheel = TimerWheel(now: 0)
        var random = Random(seed: 11)
        var handles = (0..<6_400).map { wheel.insert(deadline: UInt64($0), tolerance: 0, payload: TimerPayload(0)) }
        handles.shuffle(using: &random)
        for handle in handles { _ = wheel.remove(handle) }
        #expect(wheel.count == 0)
        #expect(wheel.nextWake() == nil)
        let indices = handles.map { _ in wheel.insert(deadline: 1, tolerance: 0, payload: TimerPayload(0)).index }
        #expect(Set(indices) == Set(0..<6_400))
        let jumps = zip(indices, indices.dropFirst()).filter { $0 + 1 != $1 }.count
        #expect(jumps < 100, "one for each group of 64 at most")
        #expect(wheel.brokenInvariant() == nil)
    }

    @Test("more timers than a segment of records has room for keep what they were given")
    func segments() {
        var wheel = TimerWheel(now: 0)
        var random = Random(seed: 3)
        func insert(_ number: Int) -> TimerHandle {
            wheel.insert(deadline: UInt64(number), tolerance: 0, payload: TimerPayload(UInt64(number), 5, tag: 9))
        }
        var handles = (0..<150_000).map { (number: $0, handle: insert($0)) }
        #expect(Set(handles.map(\.handle.index)) == Set(0..<150_000))
        handles.shuffle(using: &random)
        let wrong = handles.prefix(100_000).filter { number, handle in
            wheel.remove(handle)?.payload != TimerPayload(UInt64(number), 5, tag: 9)
        }
        #expect(wrong.count == 0)
        #expect(wheel.count == 50_000)
        for number in 150_000..<260_000 { _ = insert(number) }
        #expect(wheel.brokenInvariant() == nil)
        let left = (handles.dropFirst(100_000).map { UInt64($0.number) } + (150_000..<260_000)).sorted()
        #expect(wheel.takePayloads(now: 260_000, budget: 300_000) == left)
    }

    @Test("a record is retired when its generations are used up, so no handle ever names two timers")
    func retirement() {
        var wheel = TimerWheel(now: 0, firstGeneration: TimerHandle.lastGeneration - 1)
        let first = wheel.insert(deadline: 1, tolerance: 0, payload: TimerPayload(1))
        _ = wheel.remove(first)
        #expect(wheel.nextWake() == nil, "and the call unlinks cancelled timers")
        let last = wheel.insert(deadline: 1, tolerance: 0, payload: TimerPayload(2))
        #expect(last.index == first.index && last.generation == TimerHandle.lastGeneration)
        _ = wheel.remove(last)
        #expect(wheel.remove(last) == nil)
        #expect(wheel.nextWake() == nil)
        let other = wheel.insert(deadline: 1, tolerance: 0, payload: TimerPayload(3))
        #expect(other.index != first.index)
        #expect(wheel.brokenInvariant() == nil)
    }

    @Test("a taken timer can be cancelled until it is started, and then no more")
    func cancelTaken() {
        var wheel = TimerWheel(now: 0)
        let first = wheel.insert(deadline: 1, tolerance: 0, payload: TimerPayload(8))
        let second = wheel.insert(deadline: 1, tolerance: 0, payload: TimerPayload(9))
        withUnsafeTemporaryAllocation(of: DueTimer.self, capacity: 4) { buffer in
            #expect(wheel.takeDue(now: 1, into: buffer) == TimerWheel.Progress(count: 2, isComplete: true))
            #expect(wheel.count == 2)
            #expect(wheel.nextWake() == nil)
            #expect(wheel.remove(first)?.payload.first == 8)
            #expect(!wheel.starts.start(buffer[0]))
            #expect(wheel.starts.start(buffer[1]))
            #expect(wheel.remove(second) == nil)
            #expect(wheel.reset(second, deadline: 5, tolerance: 0) == false)
            wheel.release(buffer[1].index)
        }
        #expect(wheel.count == 0)
    }

    @Test("a taken timer that is reset fires at its new deadline only")
    func resetTaken() {
        var wheel = TimerWheel(now: 0)
        let handle = wheel.insert(deadline: 1, tolerance: 0, payload: TimerPayload(9))
        withUnsafeTemporaryAllocation(of: DueTimer.self, capacity: 4) { buffer in
            for round in 1...127 {
                #expect(wheel.takeDue(now: UInt64(round), into: buffer).count == 1)
                #expect(wheel.reset(handle, deadline: UInt64(round) + 1, tolerance: 0) == true)
                #expect(!wheel.starts.start(buffer[0]))
                #expect(wheel.remove(buffer[0]) == nil)
            }
            // The count is used up: rather than fire early some day, it cannot be moved any more.
            #expect(wheel.takeDue(now: 128, into: buffer).count == 1)
            #expect(wheel.reset(handle, deadline: 129, tolerance: 0) == false)
            #expect(wheel.starts.start(buffer[0]))
            wheel.release(buffer[0].index)
        }
        #expect(wheel.brokenInvariant() == nil)
    }

    @Test("moving a crowded slot down in small steps keeps the order, even with insertions and removals meanwhile")
    func smallSteps() {
        var wheel = TimerWheel(now: 0)
        let deadline: UInt64 = 1 << 40 + 1_000
        let handles = (0..<100).map {
            wheel.insert(deadline: deadline, tolerance: 0, payload: TimerPayload(UInt64($0)))
        }
        // One that is due earlier opens the slot that all share.
        _ = wheel.insert(deadline: deadline - 1, tolerance: 0, payload: TimerPayload(1_000))
        let buffer = UnsafeMutableBufferPointer<DueTimer>.allocate(capacity: 4)
        defer { buffer.deallocate() }
        #expect(wheel.takeDue(now: deadline - 1, into: buffer, work: 10) == .init(count: 0, isComplete: false))
        #expect(wheel.brokenInvariant() == nil)
        _ = wheel.insert(deadline: deadline, tolerance: 0, payload: TimerPayload(100))
        for index in [0, 5, 10, 50, 99] { #expect(wheel.remove(handles[index]) != nil) }
        #expect(wheel.brokenInvariant() == nil)
        #expect(wheel.takePayloads(now: deadline - 1, work: 7) == [1_000])
        let expected = (0...100).filter { ![0, 5, 10, 50, 99].contains($0) }.map { UInt64($0) }
        #expect(wheel.takePayloads(now: deadline, work: 3) == expected)
        #expect(wheel.count == 0)
    }

    @Test("cancelling the minimum of a huge list costs at most one early wake-up, and no long search")
    func crowdedMinimum() {
        var wheel = TimerWheel(now: 0)
        let base: UInt64 = 1 << 40
        let first = wheel.insert(deadline: base, tolerance: 0, payload: TimerPayload(0))
        for number in 1...5_000 {
            _ = wheel.insert(deadline: base + UInt64(number), tolerance: 0, payload: TimerPayload(UInt64(number)))
        }
        #expect(wheel.remove(first) != nil)
        #expect(wheel.nextWake() == base)
        #expect(wheel.takePayloads(now: base) == [])
        #expect(wheel.nextWake() == base + 1)
    }

    @Test("deadline plus tolerance saturates at the end of time")
    func saturation() {
        var wheel = TimerWheel(now: 0)
        _ = wheel.insert(deadline: .max - 1, tolerance: 100, payload: TimerPayload(1))
        #expect(wheel.nextWake() == .max)
        #expect(wheel.takePayloads(now: .max - 2) == [])
        #expect(wheel.takePayloads(now: .max) == [1])
    }

    @Test("a cancelled minimum no longer decides the next wake-up")
    func staleMinimum() {
        var wheel = TimerWheel(now: 0)
        let earliest = wheel.insert(deadline: 1_000_000, tolerance: 0, payload: TimerPayload(1))
        _ = wheel.insert(deadline: 1_000_001, tolerance: 50, payload: TimerPayload(2))
        #expect(wheel.nextWake() == 1_000_000)
        _ = wheel.remove(earliest)
        #expect(wheel.nextWake() == 1_000_051)
        #expect(wheel.brokenInvariant() == nil)
    }

    @Test("growth moves no record: a hundred thousand handles stay valid")
    func growth() {
        var wheel = TimerWheel(now: 0)
        let handles = (0..<100_000).map {
            wheel.insert(deadline: UInt64($0) * 977, tolerance: 0, payload: TimerPayload(UInt64($0)))
        }
        #expect(wheel.brokenInvariant() == nil)
        for (index, handle) in handles.enumerated() where index % 2 == 0 {
            #expect(wheel.remove(handle)?.payload.first == UInt64(index))
        }
        let taken = wheel.takePayloads(now: .max, budget: 200_000)
        #expect(taken == stride(from: 1, to: 100_000, by: 2).map { UInt64($0) })
    }

    @Test("removeAll gives every payload back, taken ones included")
    func removeAll() {
        var wheel = TimerWheel(now: 100)
        for deadline: UInt64 in [1, 100, 101, 1 << 40, .max] {
            _ = wheel.insert(deadline: deadline, tolerance: 0, payload: TimerPayload(deadline))
        }
        withUnsafeTemporaryAllocation(of: DueTimer.self, capacity: 1) { buffer in
            #expect(wheel.takeDue(now: 100, into: buffer).count == 1)
        }
        var payloads: Set<UInt64> = []
        wheel.removeAll { payloads.insert($0.first) }
        #expect(payloads == [1, 100, 101, 1 << 40, .max])
        #expect(wheel.count == 0 && wheel.nextWake() == nil && wheel.brokenInvariant() == nil)
    }
}

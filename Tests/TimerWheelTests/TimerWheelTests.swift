import Testing
import TimerWheel

@Suite("TimerWheel")
struct TimerWheelTests {
    @Test("equal deadlines are taken in the order of insertion, also when some were inserted much later")
    func orderOfInsertion() {
        var wheel = TimerWheel(now: 0)
        let deadline: UInt64 = 5_000_000_000
        _ = wheel.insert(deadline: deadline, tolerance: 0, payload: 1)
        _ = wheel.takePayloads(now: 4_999_000_000)
        _ = wheel.insert(deadline: deadline, tolerance: 0, payload: 2)
        _ = wheel.takePayloads(now: deadline - 1)
        _ = wheel.insert(deadline: deadline, tolerance: 0, payload: 3)
        #expect(wheel.takePayloads(now: deadline) == [1, 2, 3])
    }

    @Test("overdue timers are sorted by deadline, and equal ones keep the order of insertion")
    func overdueOrder() {
        var wheel = TimerWheel(now: 1_000)
        for (payload, deadline) in [30, 10, 20, 10, 30, 20, 10].enumerated() {
            _ = wheel.insert(deadline: UInt64(deadline), tolerance: 0, payload: UInt64(payload))
        }
        #expect(wheel.brokenInvariant() == nil)
        #expect(wheel.takePayloads(now: 1_000, budget: 2) == [1, 3])
        #expect(wheel.brokenInvariant() == nil)
        #expect(wheel.takePayloads(now: 1_000) == [6, 2, 5, 0, 4])
    }

    @Test("nothing is taken one nanosecond before its deadline, and everything at its deadline")
    func exactness() {
        for bit in 0..<64 {
            let deadline = UInt64(1) << UInt64(bit)
            var wheel = TimerWheel(now: 0)
            _ = wheel.insert(deadline: deadline, tolerance: 0, payload: 7)
            #expect(wheel.takePayloads(now: deadline - 1) == [])
            #expect(wheel.takePayloads(now: deadline) == [7])
        }
    }

    @Test("a stale handle finds nothing although its record lives again")
    func generations() throws {
        var wheel = TimerWheel(now: 0)
        let first = wheel.insert(deadline: 10, tolerance: 0, payload: 1)
        #expect(wheel.cancel(first) == 1)
        let second = wheel.insert(deadline: 10, tolerance: 0, payload: 2)
        #expect(second.index == first.index, "the record last freed is used first")
        #expect(wheel.cancel(first) == nil)
        #expect(wheel.reset(first, deadline: 1, tolerance: 0) == false)
        #expect(wheel.cancel(second) == 2)
        #expect(wheel.cancel(.none) == nil)
    }

    @Test("a record is retired when its generations are used up, so no handle ever names two timers")
    func retirement() {
        var wheel = TimerWheel(now: 0, firstGeneration: .max - 1)
        let first = wheel.insert(deadline: 1, tolerance: 0, payload: 1)
        _ = wheel.cancel(first)
        let last = wheel.insert(deadline: 1, tolerance: 0, payload: 2)
        #expect(last.index == first.index && last.generation == .max)
        _ = wheel.cancel(last)
        #expect(wheel.cancel(last) == nil)
        let other = wheel.insert(deadline: 1, tolerance: 0, payload: 3)
        #expect(other.index != first.index)
        #expect(wheel.brokenInvariant() == nil)
    }

    @Test("a timer can be cancelled between being taken and being removed")
    func cancelTaken() {
        var wheel = TimerWheel(now: 0)
        let handle = wheel.insert(deadline: 1, tolerance: 0, payload: 9)
        withUnsafeTemporaryAllocation(of: TimerHandle.self, capacity: 4) { buffer in
            #expect(wheel.takeDue(now: 1, into: buffer) == 1)
            #expect(wheel.count == 1)
            #expect(wheel.nextWake() == nil)
            #expect(wheel.cancel(handle) == 9)
            #expect(wheel.remove(buffer[0]) == nil)
        }
        #expect(wheel.count == 0)
    }

    @Test("deadline plus tolerance saturates at the end of time")
    func saturation() {
        var wheel = TimerWheel(now: 0)
        _ = wheel.insert(deadline: .max - 1, tolerance: 100, payload: 1)
        #expect(wheel.nextWake() == .max)
        #expect(wheel.takePayloads(now: .max - 2) == [])
        #expect(wheel.takePayloads(now: .max) == [1])
    }

    @Test("a cancelled minimum no longer decides the next wake-up")
    func staleMinimum() {
        var wheel = TimerWheel(now: 0)
        let earliest = wheel.insert(deadline: 1_000_000, tolerance: 0, payload: 1)
        _ = wheel.insert(deadline: 1_000_001, tolerance: 50, payload: 2)
        #expect(wheel.nextWake() == 1_000_000)
        _ = wheel.cancel(earliest)
        #expect(wheel.nextWake() == 1_000_051)
        #expect(wheel.brokenInvariant() == nil)
    }

    @Test("growth moves no record: a hundred thousand handles stay valid")
    func growth() {
        var wheel = TimerWheel(now: 0)
        let handles = (0..<100_000).map { wheel.insert(deadline: UInt64($0) * 977, tolerance: 0, payload: UInt64($0)) }
        #expect(wheel.brokenInvariant() == nil)
        for (index, handle) in handles.enumerated() where index % 2 == 0 {
            #expect(wheel.cancel(handle) == UInt64(index))
        }
        let taken = wheel.takePayloads(now: .max, budget: 200_000)
        #expect(taken == stride(from: 1, to: 100_000, by: 2).map { UInt64($0) })
    }

    @Test("removeAll gives every payload back, taken ones included")
    func removeAll() {
        var wheel = TimerWheel(now: 100)
        for deadline: UInt64 in [1, 100, 101, 1 << 40, .max] {
            _ = wheel.insert(deadline: deadline, tolerance: 0, payload: deadline)
        }
        withUnsafeTemporaryAllocation(of: TimerHandle.self, capacity: 1) { buffer in
            #expect(wheel.takeDue(now: 100, into: buffer) == 1)
        }
        var payloads: Set<UInt64> = []
        wheel.removeAll { payloads.insert($0) }
        #expect(payloads == [1, 100, 101, 1 << 40, .max])
        #expect(wheel.count == 0 && wheel.nextWake() == nil && wheel.brokenInvariant() == nil)
    }
}

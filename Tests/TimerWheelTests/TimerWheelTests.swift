import Testing
import TimerWheel

@Suite("TimerWheel")
struct TimerWheelTests {
    @Test("timers with equal deadlines are taken in the order of insertion, even if some were inserted much later")
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

    @Test("a timer is not taken one nanosecond before its deadline, but at its deadline")
    func exactness() {
        for bit in 0..<64 {
            let deadline = UInt64(1) << UInt64(bit)
            var wheel = TimerWheel(now: 0)
            _ = wheel.insert(deadline: deadline, tolerance: 0, payload: TimerPayload(7))
            #expect(wheel.takePayloads(now: deadline - 1) == [])
            #expect(wheel.takePayloads(now: deadline) == [7])
        }
    }

    @Test("a stale handle finds no timer although its record is used again")
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

    @Test("timers of more than one segment keep their payloads")
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

    @Test("a record is retired when its generations are used up, so a handle never identifies two timers")
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

    @Test("a taken timer can be cancelled only until it is started")
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

    @Test("a taken timer that is reset fires only at its new deadline")
    func resetTaken() {
        var wheel = TimerWheel(now: 0)
        let handle = wheel.insert(deadline: 1, tolerance: 0, payload: TimerPayload(9))
        withUnsafeTemporaryAllocation(of: DueTimer.self, capacity: 4) { buffer in
            for round in 1...1_000 {
                #expect(wheel.takeDue(now: UInt64(round), into: buffer).count == 1)
                #expect(wheel.reset(handle, deadline: UInt64(round) + 1, tolerance: 0) == true)
                #expect(!wheel.starts.start(buffer[0]))
                #expect(wheel.remove(buffer[0]) == nil)
            }
            #expect(wheel.takeDue(now: 1_001, into: buffer).count == 1)
            #expect(wheel.starts.start(buffer[0]))
            #expect(wheel.reset(handle, deadline: 1_002, tolerance: 0) == false)
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
        // This timer is due earlier than the others, and makes the wheel enter the slot in which all of them are.
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

    @Test("a due timer from 128 resets ago starts only when the timer is due again, and only once")
    func takenLongAgo() {
        var wheel = TimerWheel(now: 0)
        let handle = wheel.insert(deadline: 1, tolerance: 0, payload: TimerPayload(9))
        withUnsafeTemporaryAllocation(of: DueTimer.self, capacity: 2) { buffer in
            let former = UnsafeMutableBufferPointer(rebasing: buffer[..<1])
            let latest = UnsafeMutableBufferPointer(rebasing: buffer[1...])
            for round in 1...128 {
                #expect(wheel.takeDue(now: UInt64(round), into: round == 1 ? former : latest).count == 1)
                #expect(wheel.reset(handle, deadline: UInt64(round) + 1, tolerance: 0) == true)
                #expect(!wheel.starts.start(former[0]), "it waits")
            }
            #expect(wheel.takeDue(now: 129, into: latest).count == 1)
            #expect(wheel.remove(former[0])?.payload.first == 9)
            #expect(!wheel.starts.start(latest[0]))
        }
        #expect(wheel.brokenInvariant() == nil)
    }

    @Test(
        "overdue timers that are inserted during a pass wait for the next one, which takes them in the order of insertion"
    )
    func insertedDuringPass() {
        var wheel = TimerWheel(now: 0)
        for payload in 0..<10 { _ = wheel.insert(deadline: 100, tolerance: 0, payload: TimerPayload(UInt64(payload))) }
        #expect(wheel.takePayloads(now: 100, budget: 4) == [0, 1, 2, 3])
        let late = [(100, 20), (50, 21), (100, 22), (7, 23)].map { deadline, payload in
            wheel.insert(deadline: UInt64(deadline), tolerance: 0, payload: TimerPayload(UInt64(payload)))
        }
        _ = wheel.insert(deadline: 101, tolerance: 0, payload: TimerPayload(30))
        #expect(wheel.brokenInvariant() == nil)
        #expect(wheel.remove(late[2])?.payload.first == 22)
        #expect(wheel.takePayloads(now: 100) == [4, 5, 6, 7, 8, 9])
        #expect(wheel.brokenInvariant() == nil)
        #expect(wheel.nextWake() == 7)
        _ = wheel.insert(deadline: 60, tolerance: 0, payload: TimerPayload(24))
        #expect(wheel.takePayloads(now: 101) == [20, 21, 23, 24, 30])
    }

    @Test("a pass ends although each timer that it takes inserts another one for the same instant")
    func endlessInsertions() {
        var wheel = TimerWheel(now: 0)
        for _ in 0..<10 { _ = wheel.insert(deadline: 5, tolerance: 0, payload: TimerPayload(0)) }
        for pass in 0..<5 {
            var taken = 0
            repeat {
                let payloads = wheel.takePayloads(now: 5, budget: 3)
                taken += payloads.count
                for payload in payloads {
                    #expect(payload == UInt64(pass))
                    _ = wheel.insert(deadline: 5, tolerance: 0, payload: TimerPayload(payload + 1))
                }
                #expect(wheel.brokenInvariant() == nil)
            } while wheel.isInPass && taken < 100
            #expect(taken == 10)
        }
    }

    @Test("a clock that is set back repeatedly during a pass delays the timers that are not due any more")
    func setBackDuringPass() {
        var wheel = TimerWheel(now: 0)
        var handles: [TimerHandle] = []
        for payload in 0..<200 {
            handles.append(
                wheel.insert(
                    deadline: 1_000_000 + UInt64(payload) / 2, tolerance: 0, payload: TimerPayload(UInt64(payload))))
        }
        #expect(wheel.takePayloads(now: 2_000_000, budget: 3) == [0, 1, 2])
        handles.append(wheel.insert(deadline: 1_500_000, tolerance: 0, payload: TimerPayload(200)))
        let buffer = UnsafeMutableBufferPointer<DueTimer>.allocate(capacity: 4)
        defer { buffer.deallocate() }
        for (step, now): (Int, UInt64) in [900_000, 800_000, 700_000, 600_000, 650_000, 500_000].enumerated() {
            #expect(wheel.takeDue(now: now, into: buffer, work: 37) == .init(count: 0, isComplete: false))
            #expect(wheel.brokenInvariant() == nil)
            #expect(wheel.remove(handles[10 + step]) != nil)
            #expect(wheel.remove(handles[190 + step]) != nil)
            #expect(wheel.brokenInvariant() == nil)
        }
        _ = wheel.insert(deadline: 1_000_020, tolerance: 0, payload: TimerPayload(300))
        let left = (3..<200).filter { !(10..<16).contains($0) && !(190..<196).contains($0) }.map { UInt64($0) }
        let before = left.filter { $0 < 42 }
        #expect(wheel.takePayloads(now: 999_999, work: 10) == [])
        #expect(wheel.nextWake() == 1_000_001)
        #expect(wheel.takePayloads(now: 1_400_000, work: 10) == before + [300] + left.dropFirst(before.count))
        #expect(wheel.takePayloads(now: 1_500_000) == [200])
        #expect(wheel.count == 0)
    }

    @Test("the search for the next wake-up continues where it stopped, also among removals and insertions")
    func continuedSearch() {
        var random = Random(seed: 5)
        for round in 0..<50 {
            var wheel = TimerWheel(now: 0)
            let base: UInt64 = 1 << 40
            var handles = (0..<300).map { _ in
                wheel.insert(deadline: base + random.next() % 1_000_000, tolerance: 0, payload: TimerPayload(0))
            }
            let earliest = wheel.insert(deadline: base, tolerance: 0, payload: TimerPayload(1))
            handles.shuffle(using: &random)
            #expect(wheel.remove(earliest) != nil)
            var calls = 0
            var next = wheel.nextWake(examining: 40)
            while !next.isExact, calls < 1_000 {
                calls += 1
                for _ in 0..<random.below(20) { if let handle = handles.popLast() { _ = wheel.remove(handle) } }
                for _ in 0..<random.below(4) {
                    handles.append(
                        wheel.insert(deadline: base + random.next() % 1_000_000, tolerance: 0, payload: TimerPayload(0))
                    )
                }
                next = wheel.nextWake(examining: 40)
                #expect(handles.allSatisfy { wheel.hardDeadline($0)! >= next.instant }, "round \(round)")
                #expect(wheel.brokenInvariant() == nil, "round \(round)")
            }
            #expect(calls < 1_000 && next.instant == handles.map { wheel.hardDeadline($0)! }.min() ?? .max)
        }
    }

    @Test("a search whose next record was the last of its list and leaves it finds the records that are appended then")
    func appendedDuringSearch() {
        var wheel = TimerWheel(now: 0)
        let base: UInt64 = 1 << 40
        let handles = [0, 20, 30, 40].map { wheel.insert(deadline: base + $0, tolerance: 0, payload: TimerPayload(0)) }
        _ = wheel.remove(handles[0])
        #expect(wheel.nextWake(examining: 2) == .init(instant: base, isExact: false))
        _ = wheel.remove(handles[3])
        #expect(wheel.nextWake(examining: 0) == .init(instant: base, isExact: false))
        _ = wheel.insert(deadline: base + 10, tolerance: 0, payload: TimerPayload(0))
        #expect(wheel.nextWake(examining: 100) == .init(instant: base + 10, isExact: true))
    }

    @Test(
        "a timer that was inserted during a pass is not due if the clock is set back before its deadline, even by a nanosecond"
    )
    func setBackAfterPass() {
        var wheel = TimerWheel(now: 0)
        let base: UInt64 = 1 << 20
        for _ in 0..<2 { _ = wheel.insert(deadline: 10, tolerance: 0, payload: TimerPayload(0)) }
        // While this timer is in the wheel, `current` stays before the slot that this timer shares with the timer that
        // is inserted below.
        _ = wheel.insert(deadline: base + 10_000, tolerance: 0, payload: TimerPayload(2))
        #expect(wheel.takePayloads(now: base + 100, budget: 1) == [0])
        _ = wheel.insert(deadline: base + 100, tolerance: 0, payload: TimerPayload(1))
        #expect(wheel.takePayloads(now: base + 100) == [0])
        #expect(wheel.current < base + 99)
        #expect(wheel.takePayloads(now: base + 99) == [])
        #expect(wheel.takePayloads(now: base + 100) == [1])
    }

    /// Returns the largest number of records that each kind of call examines, in a wheel with this number of
    /// timers.
    private func mostVisits(timers: Int) -> [String: Int] {
        var wheel = TimerWheel(now: 1 << 50)
        var most: [String: Int] = [:]
        func count<Result>(_ name: String, _ body: (inout TimerWheel) -> Result) -> Result {
            let before = wheel.visits
            let result = body(&wheel)
            most[name] = max(most[name] ?? 0, wheel.visits - before)
            return result
        }
        let buffer = UnsafeMutableBufferPointer<DueTimer>.allocate(capacity: 128)
        defer { buffer.deallocate() }
        func take(_ name: String, now: UInt64) {
            while !count(name, { $0.takeDue(now: now, into: buffer, work: 512) }).isComplete {}
        }
        let first = wheel.insert(deadline: 1 << 51, tolerance: 0, payload: TimerPayload(0))
        for number in 0..<timers {
            _ = wheel.insert(deadline: 1 << 51 + UInt64(number), tolerance: 0, payload: TimerPayload(0))
        }
        _ = count("cancel") { $0.remove(first) }
        while !count("search", { $0.nextWake(examining: TimerWheel.examinedAtOnce) }).isExact {}
        take("pass", now: 1 << 50 + 1)
        take("set back", now: 1 << 49)
        take("move down", now: 1 << 51)
        var index: UInt32? = 0
        while let first = index { index = count("remove") { $0.removeAll(from: first, examining: 512) { _ in } } }
        return most
    }

    @Test(
        "the number of records that a call examines does not grow with the number of timers, even when the clock is set"
    )
    func boundedWork() {
        let few = mostVisits(timers: 20_000)
        let many = mostVisits(timers: 100_000)
        #expect(Set(few.keys) == ["cancel", "search", "pass", "set back", "move down", "remove"])
        for (name, visits) in many { #expect(visits <= few[name, default: 0] + 64 && visits < 8_000, "\(name)") }
    }

    @Test("after the minimum of a huge list was cancelled, the search finds the exact one in steps")
    func crowdedMinimum() {
        var wheel = TimerWheel(now: 0)
        let base: UInt64 = 1 << 40
        let first = wheel.insert(deadline: base, tolerance: 0, payload: TimerPayload(0))
        for number in 1...5_000 {
            _ = wheel.insert(deadline: base + UInt64(number), tolerance: 0, payload: TimerPayload(UInt64(number)))
        }
        #expect(wheel.remove(first) != nil)
        for _ in 0..<4 { #expect(wheel.nextWake(examining: 1_000) == .init(instant: base, isExact: false)) }
        #expect(wheel.nextWake(examining: 1_001) == .init(instant: base + 1, isExact: true))
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

    @Test("a hundred thousand handles stay valid while the slab grows")
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

    @Test("removeAll returns every payload, including those of taken timers")
    func removeAll() {
        var wheel = TimerWheel(now: 100)
        for deadline: UInt64 in [1, 100, 101, 1 << 40, .max] {
            _ = wheel.insert(deadline: deadline, tolerance: 0, payload: TimerPayload(deadline))
        }
        withUnsafeTemporaryAllocation(of: DueTimer.self, capacity: 1) { buffer in
            #expect(wheel.takeDue(now: 100, into: buffer).count == 1)
        }
        var payloads: Set<UInt64> = []
        #expect(wheel.removeAll(from: 0, examining: 3) { payloads.insert($0.first) } == 3)
        #expect(wheel.removeAll(from: 3, examining: 3) { payloads.insert($0.first) } == nil)
        #expect(payloads == [1, 100, 101, 1 << 40, .max])
        #expect(wheel.count == 0 && wheel.nextWake() == nil && wheel.brokenInvariant() == nil)
    }
}

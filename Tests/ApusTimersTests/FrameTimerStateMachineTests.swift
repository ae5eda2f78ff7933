import Testing

@testable import ApusTimers

@Suite("FrameGrid")
struct FrameGridTests {
    @Test(
        "frame k is at k / rate seconds, rounded down, however long the display runs", arguments: [120, 60, 59, 24, 1])
    func instants(rate: Int) {
        let grid = FrameGrid(framesPerSecond: rate)
        let rate = UInt64(rate)
        for index in 0..<(rate * 3) {
            #expect(grid.instant(of: index) == index * 1_000_000_000 / rate)
        }
        for second: UInt64 in [0, 1, 3_600, 86_400 * 365, 86_400 * 365 * 500] {
            #expect(grid.instant(of: second * rate) == second * 1_000_000_000)
        }
    }

    @Test("the frame that is shown at an instant began at or before it, and the next one did not")
    func indices() {
        for rate in [1, 7, 24, 59, 60, 120, 999, 1_000] {
            let grid = FrameGrid(framesPerSecond: rate)
            for index in (0..<2_000).map({ $0 * 7_919 + UInt64($0 % 3) }) {
                #expect(grid.index(at: grid.instant(of: index)) == index)
                #expect(grid.index(at: grid.instant(of: index + 1) - 1) == index)
            }
        }
    }

    @Test("instants saturate at the end of the range without trapping")
    func endOfTheRange() {
        for rate in FrameGrid.acceptedRates {
            let grid = FrameGrid(framesPerSecond: rate)
            let last = grid.index(at: .max)
            #expect(grid.instant(of: last) <= .max)
            #expect(grid.instant(of: last + 2) == .max)
            #expect(grid.instant(of: .max) == .max)
        }
    }

    @Test(
        "the rate is the divisor of the maximum that is nearest to the preferred rate, and the faster one of two equally near",
        arguments: [
            (
                60,
                [
                    nil: 60, 0: 60, -1: 60, 1: 1, 2: 2, 7: 6, 8: 10, 9: 10, 13: 12, 14: 15, 17: 15, 18: 20, 24: 20,
                    25: 30, 26: 30, 30: 30, 35: 30, 44: 30, 45: 60, 59: 60, 60: 60, 61: 60, Int.max: 60,
                ]
            ),
            (
                120,
                [
                    nil: 120, 0: 120, 1: 1, 16: 15, 22: 24, 26: 24, 27: 30, 34: 30, 35: 40, 49: 40, 50: 60, 60: 60,
                    89: 60,
                    90: 120, 119: 120, 120: 120, 240: 120,
                ]
            ),
            (59, [nil: 59, 29: 1, 30: 59, 58: 59]),
            (24, [5: 6, 7: 8, 10: 12, 17: 12, 18: 24]),
            (1, [nil: 1, 1: 1, 2: 1]),
        ] as [(Int, [Int?: Int])])
    func divisors(maximum: Int, table: [Int?: Int]) throws {
        for (wish, actual) in table {
            let machine = FrameTimerStateMachine(
                grid: FrameGrid(framesPerSecond: maximum), preferredFramesPerSecond: wish, clock: .uptime)
            #expect(machine.framesPerSecond == actual, "\(wish ?? 0) of \(maximum)")
        }
    }
}

@Suite("FrameTimerStateMachine")
struct FrameTimerStateMachineTests {
    private typealias Machine = FrameTimerStateMachine

    private static let millisecond: UInt64 = 1_000_000
    private let grid = FrameGrid(framesPerSecond: 60)

    private func makeMachine(preferring wish: Int? = nil) -> FrameTimerStateMachine {
        FrameTimerStateMachine(grid: grid, preferredFramesPerSecond: wish, clock: .uptime)
    }

    /// Returns the frame that the machine delivers.
    private func deliver(_ machine: inout Machine, epoch: UInt64, now: UInt64) throws -> Frame {
        guard case .deliver(let frame) = machine.fired(epoch: epoch, now: now) else {
            throw Unexpected("no frame at \(now)")
        }
        return frame
    }

    private struct Unexpected: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    @Test("work of 40 ms at 30 Hz moves to the next multiple of 33.3 ms, and one frame is dropped")
    func lateWork() throws {
        var machine = makeMachine(preferring: 30)
        #expect(machine.resume(now: 0) == .wait(due: 33_333_333, epoch: 1))
        let first = try deliver(&machine, epoch: 1, now: 33_333_333)
        #expect([first.number, first.droppedFrameCount] == [1, 0])
        // At 73.3 ms the frame of 66.7 ms is lost, because 73.3 ms is within it; the next one begins at 100 ms.
        #expect(machine.finished(now: 73_333_333) == .wait(due: 100_000_000, epoch: 2))
        let second = try deliver(&machine, epoch: 2, now: 100_000_000)
        #expect([second.number, second.droppedFrameCount] == [3, 1])
        #expect(second.timestamp.nanoseconds == 100_000_000)
        #expect(second.targetTimestamp.nanoseconds == 133_333_333)
        #expect(second.duration == .seconds(1) / 60)
        #expect(machine.droppedFrameCount == 1)
    }

    @Test("work that ends within its frame, or exactly at its end, drops no frame")
    func workInTime() throws {
        var machine = makeMachine()
        _ = machine.resume(now: 0)
        _ = try deliver(&machine, epoch: 1, now: 16_666_666)
        #expect(machine.finished(now: 33_333_333) == .wait(due: 33_333_333, epoch: 2))
        #expect(try deliver(&machine, epoch: 2, now: 33_333_333).droppedFrameCount == 0)
        #expect(machine.finished(now: 49_999_999) == .wait(due: 50_000_000, epoch: 3))
        #expect(try deliver(&machine, epoch: 3, now: 50_000_000).droppedFrameCount == 0)
        #expect(machine.finished(now: 66_666_667) == .wait(due: 83_333_333, epoch: 4))
        #expect(try deliver(&machine, epoch: 4, now: 83_333_333).droppedFrameCount == 1)
    }

    @Test("after a late wake-up, the frame that is being shown is delivered immediately")
    func lateMachine() throws {
        var machine = makeMachine(preferring: 30)
        _ = machine.resume(now: 0)
        let half = try deliver(&machine, epoch: 1, now: 60 * Self.millisecond)
        #expect(half.timestamp.nanoseconds == 33_333_333)
        #expect(half.targetTimestamp.nanoseconds == 66_666_666)
        #expect(half.droppedFrameCount == 0)
        #expect(machine.finished(now: 60 * Self.millisecond) == .wait(due: 66_666_666, epoch: 2))
        let late = try deliver(&machine, epoch: 2, now: 3_010 * Self.millisecond)
        #expect(late.timestamp.nanoseconds == 3_000 * Self.millisecond)
        #expect([late.number, late.droppedFrameCount] == [90, 88])
    }

    @Test("frames that were dropped before the rate was changed are reported after it")
    func changeAfterDrops() throws {
        var machine = makeMachine()
        _ = machine.resume(now: 0)
        _ = try deliver(&machine, epoch: 1, now: 16_666_666)
        // At 60 ms the frames of 33.3 and 50 ms are lost. The next multiple of 50 ms is 100 ms.
        #expect(machine.prefer(framesPerSecond: 20, now: 60 * Self.millisecond) == .none)
        #expect(machine.finished(now: 60 * Self.millisecond) == .wait(due: 100_000_000, epoch: 2))
        let frame = try deliver(&machine, epoch: 2, now: 100_000_000)
        #expect([frame.number, frame.droppedFrameCount] == [4, 2])
        #expect(frame.targetTimestamp.nanoseconds == 150_000_000)
    }

    @Test(
        "a wake-up that was overtaken by a pause or a new rate is ignored, and after an early one the machine waits again"
    )
    func overtaken() throws {
        var machine = makeMachine()
        #expect(machine.resume(now: 0) == .wait(due: 16_666_666, epoch: 1))
        #expect(machine.pause() == .stopWaiting)
        #expect(machine.pause() == .none)
        #expect(machine.fired(epoch: 1, now: 20_000_000) == .ignore)
        #expect(machine.resume(now: 20_000_000) == .wait(due: 33_333_333, epoch: 3))
        #expect(machine.fired(epoch: 1, now: 40_000_000) == .ignore)
        #expect(machine.prefer(framesPerSecond: 58, now: 21_000_000) == .none)
        #expect(machine.prefer(framesPerSecond: 30, now: 21_000_000) == .wait(due: 33_333_333, epoch: 4))
        #expect(machine.fired(epoch: 3, now: 40_000_000) == .ignore)
        #expect(machine.fired(epoch: 4, now: 33_333_332) == .wait(due: 33_333_333, epoch: 5))
        #expect(try deliver(&machine, epoch: 5, now: 33_333_333).number == 1)
        #expect(machine.cancel() == .none)
        #expect(machine.finished(now: 34_000_000) == .none)
        #expect(machine.resume(now: 34_000_000) == .none)
        #expect(machine.isPaused)
    }

    @Test(
        "in any order of events, targets are in the future, frames advance on the grid, and numbers count dropped frames"
    )
    func anyOrder() throws {
        for seed in 0..<200 as Range<UInt64> {
            var walk = Walk(machine: makeMachine(), random: SeededRandom(seed: seed))
            for _ in 0..<500 {
                if let objection = walk.step(grid) {
                    Issue.record("seed \(seed), at \(walk.now): \(objection)")
                    return
                }
            }
        }
    }

    /// Sends random events to a machine and does what it returns.
    private struct Walk {
        var machine: Machine
        let random: SeededRandom
        var now: UInt64 = 0
        var awaited: (due: UInt64, epoch: UInt64)?
        var isDelivering = false
        var last: Frame?

        mutating func step(_ grid: FrameGrid) -> String? {
            now += random.next() % 50_000_000
            switch random.next() % 6 {
            case 0: obey(machine.pause())
            case 1: obey(machine.resume(now: now))
            case 2: obey(machine.prefer(framesPerSecond: Int(random.next() % 70), now: now))
            case 3...4 where isDelivering:
                isDelivering = false
                obey(machine.finished(now: now))
            default: return fire(grid)
            }
            if isDelivering, awaited != nil { return "it waits while the handler is at work" }
            if !isDelivering, machine.isPaused == (awaited != nil) { return "it waits when it should not, or does not" }
            return nil
        }

        private mutating func obey(_ action: Machine.WaitAction) {
            switch action {
            case .none: break
            case .wait(let due, let epoch): awaited = (due, epoch)
            case .stopWaiting: awaited = nil
            }
        }

        private mutating func fire(_ grid: FrameGrid) -> String? {
            guard let (due, epoch) = awaited else { return nil }
            now = max(now, due)
            guard case .deliver(let frame) = machine.fired(epoch: epoch, now: now) else { return "no frame" }
            defer { last = frame }
            awaited = nil
            isDelivering = true
            let (begin, end) = (frame.timestamp.nanoseconds, frame.targetTimestamp.nanoseconds)
            let stride = UInt64(60 / machine.framesPerSecond)
            let index = grid.index(at: begin)
            if begin > now || end <= now { return "\(frame) does not contain the instant" }
            if index % stride != 0 || grid.instant(of: index) != begin { return "\(frame) is not on the grid" }
            if end != grid.instant(of: index + stride) { return "\(frame) has another length" }
            if let last, begin <= last.timestamp.nanoseconds { return "\(frame) comes after \(last)" }
            if frame.number != (last?.number ?? 0) + 1 + frame.droppedFrameCount {
                return "\(frame) has a wrong number"
            }
            return nil
        }
    }
}

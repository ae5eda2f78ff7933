import ApusTestSupport
import ApusVirtualTime
import Dispatch
import Testing

@testable import ApusTimers

@Suite("FrameTimer")
struct FrameTimerTests {
    private let time = VirtualTime()
    private let log = Log<Frame>()
    /// The beginning of virtual time, which is on the grid because it is a whole second.
    private var begin: UInt64 { 3_600_000_000_000 }

    private func makeTimer(
        maximum: Int = 60, preferring wish: Int? = nil, clock: ClockKind = .continuous
    ) throws -> FrameTimer {
        let log = log
        return try FrameTimer(
            maximumFramesPerSecond: maximum, preferredFramesPerSecond: wish, clock: clock, on: .engine,
            engine: time.engine
        ) { log.add($0) }
    }

    /// The timestamps of the frames, in nanoseconds since the beginning.
    private var timestamps: [UInt64] { log.all.map { $0.timestamp.nanoseconds - begin } }
    private var dropped: [Int] { log.all.map(\.droppedFrameCount) }

    @Test("a new timer is paused, and a paused one has no timer in the engine")
    func created() throws {
        let timer = try makeTimer()
        #expect(timer.isPaused)
        #expect(time.pendingTimerCount == 0)
        timer.isPaused = false
        #expect(!timer.isPaused)
        #expect(time.pendingTimerCount == 1)
        timer.isPaused = true
        #expect(time.pendingTimerCount == 0)
        let wakeUps = time.engine.statistics.wakeUps
        time.advance(by: .seconds(3_600))
        #expect(time.engine.statistics.wakeUps == wakeUps)
        #expect(log.all == [])
    }

    @Test("an hour at 60 Hz has 216000 frames, each delivered at its exact instant")
    func anHour() throws {
        let calls = Log<UInt64>()
        let (time, log) = (time, log)
        let timer = try FrameTimer(on: .engine, engine: time.engine) { [engine = time.engine] frame in
            calls.add(engine.time.uptime().nanoseconds)
            log.add(frame)
        }
        timer.isPaused = false
        time.advance(by: .seconds(3_600))
        let exact = (1...216_000 as ClosedRange<UInt64>).map { $0 * 1_000_000_000 / 60 }
        #expect(timestamps == exact)
        #expect(calls.all.map { $0 - begin } == exact)
        #expect(log.all.map(\.number) == Array(1...216_000))
        #expect(timer.droppedFrameCount == 0)
        #expect(time.engine.statistics.wakeUps == 216_000)
        timer.cancel()
        #expect(time.leaks == [])
    }

    @Test("frames of each rate are on its grid, and the target is the next one", arguments: [120, 60, 59, 24])
    func grids(rate: Int) throws {
        let timer = try makeTimer(maximum: rate)
        timer.isPaused = false
        time.advance(by: .seconds(10))
        #expect(timestamps == (1...UInt64(rate * 10)).map { $0 * 1_000_000_000 / UInt64(rate) })
        #expect(
            log.all.dropLast().map(\.targetTimestamp.nanoseconds)
                == log.all.dropFirst().map(\.timestamp.nanoseconds))
        #expect(log.all.allSatisfy { $0.duration == .seconds(1) / rate && $0.timestamp.clock == .continuous })
        timer.cancel()
    }

    @Test("timers with the same maximum rate share their wake-ups, even if their rates and starts differ")
    func sharedWakeUps() throws {
        let timers = [try makeTimer(), try makeTimer(preferring: 30), try makeTimer(preferring: 20)]
        for timer in timers {
            timer.isPaused = false
            time.advance(by: .milliseconds(5))
        }
        let wakeUps = time.engine.statistics.wakeUps
        time.advance(by: .seconds(1))
        #expect(time.engine.statistics.wakeUps - wakeUps == 60)
        #expect(log.all.count == 60 + 30 + 20)
        for timer in timers { timer.cancel() }
    }

    @Test("the first frame after a pause is the next on the grid, with its target ahead and nothing dropped")
    func pauses() throws {
        let timer = try makeTimer()
        timer.isPaused = false
        time.advance(by: .milliseconds(40))
        timer.isPaused = true
        time.advance(by: .milliseconds(1_000))
        timer.isPaused = false
        timer.isPaused = false
        time.advance(by: .milliseconds(10))
        #expect(timestamps == [16_666_666, 33_333_333, 1_050_000_000])
        #expect(dropped == [0, 0, 0])
        #expect(log.all.map(\.number) == [1, 2, 3])
        #expect(log.all.last.map { $0.targetTimestamp.nanoseconds - begin } == 1_066_666_666)
        // A pause within a frame must not repeat that frame.
        timer.isPaused = true
        timer.isPaused = false
        time.advance(by: .milliseconds(20))
        #expect(timestamps.last == 1_066_666_666)
        #expect(log.all.count == 4)
        timer.cancel()
    }

    @Test("a new rate begins at its next frame on the display's grid")
    func changesOfRate() throws {
        let timer = try makeTimer()
        timer.isPaused = false
        time.advance(by: .milliseconds(55))
        timer.preferredFramesPerSecond = 26
        #expect(timer.preferredFramesPerSecond == 26)
        #expect(timer.framesPerSecond == 30)
        time.advance(by: .milliseconds(60))
        #expect(timestamps == [16_666_666, 33_333_333, 50_000_000, 66_666_666, 100_000_000])
        timer.preferredFramesPerSecond = 20
        time.advance(by: .milliseconds(100))
        timer.preferredFramesPerSecond = nil
        time.advance(by: .milliseconds(20))
        #expect(timestamps.dropFirst(5) == [150_000_000, 200_000_000, 216_666_666, 233_333_333])
        #expect(dropped.allSatisfy { $0 == 0 })
        timer.preferredFramesPerSecond = -5
        #expect(timer.framesPerSecond == 60)
        timer.isPaused = true
        timer.preferredFramesPerSecond = 1
        #expect(time.pendingTimerCount == 0)
        timer.isPaused = false
        time.advance(by: .seconds(1))
        #expect(timestamps.last == 1_000_000_000)
        timer.cancel()
        timer.preferredFramesPerSecond = 60
        #expect(time.leaks == [])
    }

    @Test("a handler of 40 ms at 30 Hz is called every 66.7 ms, and each time one frame was dropped")
    func slowHandler() throws {
        let queue = DispatchQueue(label: "handlers", attributes: .concurrent)
        let entered = DispatchSemaphore(value: 0)
        let proceed = DispatchSemaphore(value: 0)
        let log = log
        let timer = try FrameTimer(preferredFramesPerSecond: 30, on: .queue(queue), engine: time.engine) { frame in
            log.add(frame)
            entered.signal()
            proceed.wait()
        }
        timer.isPaused = false
        for _ in 0..<3 {
            #expect(time.advanceToNextDeadline())
            entered.wait()
            time.advance(by: .milliseconds(40))
            #expect(time.pendingTimerCount == 0)
            proceed.signal()
            // The handler's return arms the next frame on another thread.
            try time.settle(waitingForForeignWork: .seconds(300)) { time.pendingTimerCount == 1 }
        }
        timer.cancel()
        queue.sync(flags: .barrier) {}
        #expect(timestamps == [33_333_333, 100_000_000, 166_666_666])
        #expect(dropped == [0, 1, 1])
        #expect(timer.droppedFrameCount == 2)
    }

    @Test("after the machine's sleep there is one call, with the number of dropped frames")
    func sleepingMachine() throws {
        let continuous = try makeTimer(clock: .continuous)
        continuous.isPaused = false
        time.advance(by: .milliseconds(20))
        time.sleepMachine(for: .seconds(60))
        #expect(dropped == [0, 3_599])
        #expect(timestamps == [16_666_666, 60_016_666_666])
        time.advance(by: .milliseconds(14))
        #expect(timestamps.last == 60_033_333_333)
        #expect(continuous.droppedFrameCount == 3_599)
        continuous.cancel()
    }

    @Test("frames on uptime are not dropped during the machine's sleep")
    func uptime() throws {
        let timer = try makeTimer(clock: .uptime)
        timer.isPaused = false
        time.advance(by: .milliseconds(20))
        time.sleepMachine(for: .seconds(60))
        time.advance(by: .milliseconds(14))
        #expect(timestamps == [16_666_666, 33_333_333])
        #expect(dropped == [0, 0])
        timer.cancel()
    }

    @Test("an invalid rate or clock is refused with a message that states what is accepted")
    func badInput() {
        for maximum in [0, -1, 1_001, .max, .min] {
            let error = #expect(throws: TimerError.self) { try makeTimer(maximum: maximum) }
            #expect(error?.code == .invalidFrameRate)
            #expect(error?.message.contains("`maximumFramesPerSecond` is \(maximum); pass 1 to 1000") == true)
        }
        let negative = #expect(throws: TimerError.self) { try makeTimer(preferring: -1) }
        #expect(negative?.code == .invalidFrameRate)
        #expect(negative?.message.contains("`preferredFramesPerSecond`") == true)
        let wall = #expect(throws: TimerError.self) { try makeTimer(clock: .wall) }
        #expect(wall?.code == .invalidClock)
        #expect(wall?.message.contains(".uptime or .continuous") == true)
    }
}

import ApusTestSupport
import ApusVirtualTime
import Dispatch
import Testing

@testable import ApusTimers

@Suite("The life of a FrameTimer", .timeLimit(.minutes(5)))
struct FrameTimerLifeTests {
    private final class Owner: Sendable {
        let timer = Locked<FrameTimer?>(nil)
        let frames = Log<Int>()

        /// The timer, to be used outside the lock.
        var current: FrameTimer? { timer.withLock { $0 } }
        /// Releases the timer outside the lock.
        func release() {
            let last = timer.withLock { $0.take() }
            withExtendedLifetime(last) {}
        }
    }

    @Test(
        "the handler may cancel, pause, resume, change the rate of and release its own timer",
        arguments: [
            ("invalidate", [1]), ("release", [1]), ("pause", [1]), ("pause and resume", [1, 2, 3]),
            ("change the rate", [1, 2]),
        ])
    func fromTheHandler(event: String, numbers: [Int]) throws {
        let time = VirtualTime()
        let owner = Owner()
        var timer: FrameTimer? = try FrameTimer(on: .engine, engine: time.engine) { [weak owner] frame in
            guard let owner else { return }
            owner.frames.add(frame.number)
            switch event {
            case "invalidate": owner.current?.cancel()
            case "release": owner.release()
            case "change the rate": owner.current?.preferredFramesPerSecond = 30
            default:
                owner.current?.isPaused = true
                if event == "pause and resume" { owner.current?.isPaused = false }
            }
        }
        timer?.isPaused = false
        owner.timer.withLock { [timer] in $0 = timer }
        timer = nil
        time.advance(by: .milliseconds(51))
        #expect(owner.frames.all == numbers)
        #expect(time.pendingTimerCount == (numbers.count > 1 ? 1 : 0))
        owner.release()
        #expect(time.leaks == [])
    }

    @Test("cancelling releases the handler, even while the timer waits for a frame")
    func release() throws {
        let time = VirtualTime()
        let timer: FrameTimer
        weak var captured: Owner?
        do {
            let owner = Owner()
            captured = owner
            timer = try FrameTimer(on: .engine, engine: time.engine) { owner.frames.add($0.number) }
        }
        timer.isPaused = false
        time.advance(by: .milliseconds(20))
        #expect(captured?.frames.all == [1])
        timer.cancel()
        #expect(captured == nil)
        #expect(timer.isPaused)
        timer.isPaused = false
        #expect(timer.isPaused)
        #expect(time.leaks == [])
    }

    @Test("no frame comes from an engine that was stopped")
    func shutDown() throws {
        let time = VirtualTime()
        let log = Log<Int>()
        let timer = try FrameTimer(on: .engine, engine: time.engine) { log.add($0.number) }
        timer.isPaused = false
        time.engine.stop()
        timer.isPaused = true
        timer.isPaused = false
        time.advance(by: .seconds(1))
        timer.cancel()
        #expect(log.all == [])
    }

    // MARK: Every order of events

    private enum Event: CaseIterable { case pause, unpause, invalidate, release, advance }

    @Test(
        "every sequence of pause, resume, cancel, release and a frame's time up to length 6 behaves as the model says")
    func everyOrder() throws {
        let count = try checkEveryProgram(of: Event.self, upTo: 6, check)
        #expect(count == 5 + 25 + 125 + 625 + 3_125 + 15_625)
    }

    private func check(_ program: [Event]) throws {
        let time = VirtualTime()
        var owner: Owner? = Owner()
        weak let captured = owner
        var timer: FrameTimer? = try FrameTimer(on: .engine, engine: time.engine) { [owner] frame in
            owner?.frames.add(frame.number)
        }
        let frames = owner?.frames ?? Log()
        owner = nil
        var isRunning = false
        var isOver = false
        var expected = 0
        for event in program {
            switch event {
            case .pause:
                timer?.isPaused = true
                isRunning = false
            case .unpause:
                timer?.isPaused = false
                isRunning = !isOver
            case .invalidate:
                timer?.cancel()
                (isRunning, isOver) = (false, true)
            case .release:
                timer = nil
                (isRunning, isOver) = (false, true)
            case .advance:
                // This is the time of one frame, rounded up to the nanosecond.
                time.advance(by: .nanoseconds(16_666_667))
                if isRunning { expected += 1 }
            }
            guard
                frames.all == Array(0..<expected).map({ $0 + 1 }), time.pendingTimerCount == (isRunning ? 1 : 0),
                timer?.isPaused != isRunning, (captured == nil) == isOver
            else {
                Issue.record("after \(event) in \(program): frames \(frames.all), \(time.pendingTimerCount) timers")
                return
            }
        }
        timer = nil
        if !time.leaks.isEmpty || captured != nil { Issue.record("\(program) leaves \(time.leaks) or its handler") }
    }

    // MARK: Threads

    /// The handler's observations.
    private struct Seen {
        var isInside = false
        var isQuiet = false
        var frames = 0
        var overlaps = 0
        var unwanted = 0
    }

    @Test("the handler neither overlaps nor is lost while threads pause, resume, cancel and change the rate")
    func threads() async throws {
        let engine = TimerEngine()
        let seen = Owned(Seen())
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let concurrent = DispatchQueue(label: "frames", attributes: .concurrent)
        let timer = try FrameTimer(maximumFramesPerSecond: 1_000, on: .queue(concurrent), engine: engine) { _ in
            seen.value.withLock { seen in
                if seen.isInside { seen.overlaps += 1 }
                seen.isInside = true
                seen.frames += 1
            }
            // The handler takes longer than a frame, so that an overlapping frame would be noticed.
            let end = DispatchSemaphore(value: 0)
            engine.schedule(after: .milliseconds(2)) { end.signal() }
            end.wait()
            seen.value.withLock { $0.isInside = false }
            continuation.yield()
        }
        var iterator = stream.makeAsyncIterator()
        for _ in 0..<10 {
            // Each round ends only after a frame was handled during the changes, and another one after them.
            timer.isPaused = false
            await iterator.next()
            await onThreads(4) { number in
                for round in 0..<2_000 {
                    timer.isPaused = (round + number).isMultiple(of: 2)
                    if round.isMultiple(of: 7) { timer.preferredFramesPerSecond = 500 + round % 501 }
                }
            }
        }
        timer.isPaused = false
        for _ in 0..<5 { await iterator.next() }
        await onThreads(4) { number in
            for round in 0..<200 {
                if (round + number).isMultiple(of: 3) { timer.cancel() } else { timer.isPaused = false }
            }
        }
        concurrent.sync(flags: .barrier) {}
        #expect(timer.isPaused)
        #expect(engine.liveTimerCount == 0)
        let result = seen.value.withLock { $0 }
        #expect(result.frames >= 15)
        #expect(result.overlaps == 0)
        engine.stop()
    }

    @Test(
        "no frame comes after the timer was paused or cancelled on the handler's own queue, even if other threads change the rate"
    )
    func exactOnTheQueue() async throws {
        let engine = TimerEngine()
        let queue = DispatchQueue(label: "frames")
        let seen = Owned(Seen())
        let timer = try FrameTimer(maximumFramesPerSecond: 1_000, on: .queue(queue), engine: engine) { _ in
            seen.value.withLock { seen in
                if seen.isQuiet { seen.unwanted += 1 }
                seen.frames += 1
            }
        }
        let isOver = Owned(false)
        await onThreads(2) { number in
            if number == 0 {
                for _ in 0..<200 {
                    queue.sync {
                        timer.isPaused = true
                        seen.value.withLock { $0.isQuiet = true }
                    }
                    frames(2, on: queue, of: engine)
                    queue.sync {
                        seen.value.withLock { $0.isQuiet = false }
                        timer.isPaused = false
                    }
                    frames(2, on: queue, of: engine)
                }
                queue.sync {
                    timer.cancel()
                    seen.value.withLock { $0.isQuiet = true }
                }
                frames(3, on: queue, of: engine)
                isOver.value.withLock { $0 = true }
            } else {
                var rate = 0
                while !isOver.value.withLock({ $0 }) {
                    rate = (rate + 7) % 1_001
                    timer.preferredFramesPerSecond = rate
                }
            }
        }
        let result = seen.value.withLock { $0 }
        #expect(result.frames > 0)
        #expect(result.unwanted == 0)
        #expect(engine.liveTimerCount == 0)
        engine.stop()
    }

    /// Waits for the time of `count` frames, and then for all earlier work on the queue.
    private func frames(_ count: Int, on queue: DispatchQueue, of engine: TimerEngine) {
        let done = DispatchSemaphore(value: 0)
        engine.schedule(after: .milliseconds(count), on: .queue(queue)) { done.signal() }
        done.wait()
    }

    private final class Owned<Value: Sendable>: Sendable {
        let value: Locked<Value>
        init(_ value: Value) { self.value = Locked(value) }
    }

    private func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
        await withCheckedContinuation { done in
            DispatchQueue(label: "threads").async {
                DispatchQueue.concurrentPerform(iterations: count, execute: work)
                done.resume()
            }
        }
    }
}

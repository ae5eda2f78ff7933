import ApusTestSupport
import ApusVirtualTime
import Dispatch
import Testing

@testable import ApusTimers

@Suite("RepeatingTimer")
struct RepeatingTimerTests {
    let time = VirtualTime()
    let log = Log<Tick>()

    private func makeTimer(
        every interval: Duration = .seconds(10), tolerance: Duration = .zero
    ) throws -> RepeatingTimer {
        let log = log
        return try RepeatingTimer(every: interval, tolerance: tolerance, engine: time.engine) { log.add($0) }
    }

    private var numbers: [Int] { log.all.map(\.number) }

    @Test("a new timer is suspended")
    func created() throws {
        let timer = try makeTimer()
        time.advance(by: .seconds(100))
        #expect(numbers == [])
        #expect(time.pendingTimerCount == 0)
        timer.cancel()
    }

    @Test(
        "after a pause on the handler's queue no tick starts, not even one that waits in the queue", arguments: [1, 2])
    func pauseOnQueue(ticksBefore: Int) throws {
        let queue = DispatchQueue(label: "owner")
        let log = log
        let timer = try RepeatingTimer(every: .seconds(10), on: .queue(queue), engine: time.engine) { log.add($0) }
        timer.resume()
        for _ in 1..<ticksBefore {
            time.advance(by: .seconds(10))
            queue.sync {}
        }
        queue.suspend()
        time.advance(by: .seconds(9))
        let atPause = Locked(-1)
        queue.async {
            timer.pause()
            atPause.withLock { $0 = log.all.count }
        }
        time.advance(by: .seconds(30))
        queue.resume()
        queue.sync {}
        #expect(atPause.withLock { $0 } == ticksBefore - 1)
        #expect(log.all.count == ticksBefore - 1)
        timer.cancel()
    }

    @Test("after a pause in an action of the engine, no tick of the same instant starts", arguments: [false, true])
    func pauseOnEngine(cancels: Bool) throws {
        let timer = try makeTimer()
        time.engine.schedule(after: .seconds(10)) { if cancels { timer.cancel() } else { timer.pause() } }
        timer.resume()
        time.advance(by: .seconds(100))
        #expect(numbers == [])
        timer.cancel()
    }

    @Test(
        "pauses and resumes on the handler's queue take effect for each tick of an engine on the machine's clocks",
        .timeLimit(.minutes(5)))
    func pauseOnQueueOfRealEngine() async throws {
        let engine = TimerEngine()
        let queue = DispatchQueue(label: "owner")
        let isPaused = Locked(true)
        let wrong = Log<Int>()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let timer = try RepeatingTimer(every: .microseconds(20), on: .queue(queue), engine: engine) { tick in
            if isPaused.withLock({ $0 }) { wrong.add(tick.number) }
            continuation.yield(tick.number)
        }
        var ticks = stream.makeAsyncIterator()
        for _ in 0..<500 {
            queue.async {
                isPaused.withLock { $0 = false }
                timer.resume()
            }
            _ = await ticks.next()
            queue.async {
                timer.pause()
                isPaused.withLock { $0 = true }
            }
        }
        queue.sync { timer.cancel() }
        #expect(wrong.all == [])
        engine.stop()
    }

    @Test("after a pause on another thread at most one tick starts, whose delivery had begun", .timeLimit(.minutes(5)))
    func pausesFromElsewhere() throws {
        let queue = DispatchQueue(label: "handler")
        let engine = TimerEngine()
        let ticks = Locked(0)
        let timer = try RepeatingTimer(every: .microseconds(1), on: .queue(queue), engine: engine) { _ in
            ticks.withLock { $0 += 1 }
        }
        for _ in 0..<2_000 {
            let before = ticks.withLock { $0 }
            timer.resume()
            while ticks.withLock({ $0 }) == before {}
            timer.pause()
            let paused = ticks.withLock { $0 }
            // Once this action has run, everything that the engine and the queue had begun has ended.
            let isPast = DispatchSemaphore(value: 0)
            engine.schedule(after: .zero, on: .queue(queue)) { isPast.signal() }
            isPast.wait()
            #expect(ticks.withLock { $0 } <= paused + 1)
        }
        engine.stop()
    }

    @Test("a suspended timer keeps the remainder of its interval")
    func remainder() throws {
        let timer = try makeTimer()
        timer.resume()
        time.advance(by: .seconds(7))
        timer.pause()
        time.advance(by: .seconds(1_000))
        #expect(numbers == [])
        timer.resume()
        time.advance(by: .milliseconds(2_999))
        #expect(numbers == [])
        time.advance(by: .milliseconds(1))
        #expect(numbers == [1])
        #expect(log.all.first?.missedCount == 0)
        time.advance(by: .seconds(10))
        #expect(numbers == [1, 2])
        timer.cancel()
        #expect(time.leaks == [])
    }

    @Test("the phase does not drift, however late single ticks are")
    func phase() throws {
        let begin = time.continuous().nanoseconds
        let timer = try makeTimer(every: .seconds(1), tolerance: .milliseconds(300))
        timer.resume()
        time.advance(by: .seconds(101))
        #expect(log.all.map(\.due.nanoseconds) == (1...100).map { begin + $0 * 1_000_000_000 })
        #expect(log.all.allSatisfy { $0.lateness == .milliseconds(300) })
        withExtendedLifetime(timer) {}
    }

    @Test("the handler never overlaps itself, and a tick missed meanwhile is reported")
    func noOverlap() throws {
        let queue = DispatchQueue(label: "handlers", attributes: .concurrent)
        let entered = DispatchSemaphore(value: 0)
        let proceed = DispatchSemaphore(value: 0)
        let log = log
        let timer = try RepeatingTimer(every: .seconds(1), on: .queue(queue), engine: time.engine) { tick in
            log.add(tick)
            entered.signal()
            proceed.wait()
        }
        timer.resume()
        time.advance(by: .seconds(1))
        entered.wait()
        time.advance(by: .seconds(5))
        #expect(numbers == [1])
        proceed.signal()
        // The handler's return arms the next tick on another thread.
        try time.settle(waitingForForeignWork: .seconds(300)) { log.all.count == 2 }
        #expect(log.all.last.map { [$0.number, $0.missedCount] } == [6, 4])
        timer.cancel()
        proceed.signal()
        queue.sync(flags: .barrier) {}
    }

    @Test("the handler may pause, resume, cancel and release its own timer")
    func fromTheHandler() throws {
        final class Owner: Sendable {
            let timer = Log<RepeatingTimer>()
            let ticks = Log<Int>()
        }
        for event in ["suspend", "cancel", "suspend and resume"] {
            let time = VirtualTime()
            let owner = Owner()
            let timer = try RepeatingTimer(every: .seconds(1), engine: time.engine) { [weak owner] tick in
                owner?.ticks.add(tick.number)
                for timer in owner?.timer.all ?? [] {
                    if event.hasPrefix("suspend") { timer.pause() }
                    if event.hasSuffix("resume") { timer.resume() }
                    if event == "cancel" { timer.cancel() }
                }
            }
            owner.timer.add(timer)
            timer.resume()
            time.advance(by: .seconds(3))
            #expect(owner.ticks.all == (event.hasSuffix("resume") ? [1, 2, 3] : [1]))
            #expect(time.pendingTimerCount == (event.hasSuffix("resume") ? 1 : 0))
        }
    }

    @Test("an invalid interval or tolerance is refused with a message that states what is accepted")
    func badInput() {
        for interval in [Duration.zero, .seconds(-1), .nanoseconds(0)] {
            let error = #expect(throws: TimerError.self) { try makeTimer(every: interval) }
            #expect(error?.code == .invalidInterval)
            #expect(error?.message.contains("`every`") == true)
            #expect(error?.message.contains("at least 1 ns") == true)
        }
        for tolerance in [Duration.seconds(-1), .seconds(10), .seconds(11)] {
            let error = #expect(throws: TimerError.self) { try makeTimer(tolerance: tolerance) }
            #expect(error?.code == .invalidTolerance)
            #expect(error?.message.contains("`tolerance`") == true)
        }
    }

    // MARK: Every order of events

    private enum Event: CaseIterable { case suspend, resume, cancel, release, advance }

    /// A short model of the timer's behaviour.
    private struct Expectation {
        var isRunning = false
        var isOver = false
        var remainder = 10
        var ticks = 0

        mutating func apply(_ event: Event) {
            switch event {
            case .suspend: isRunning = false
            case .resume: isRunning = !isOver
            case .cancel, .release: (isRunning, isOver) = (false, true)
            case .advance:
                guard isRunning else { return }
                remainder -= 7
                if remainder <= 0 {
                    ticks += 1
                    remainder += 10
                }
            }
        }
    }

    @Test("every sequence of pause, resume, cancel, release and passing time up to length 6 behaves as the model says")
    func everyOrder() throws {
        let count = try checkEveryProgram(of: Event.self, upTo: 6, check)
        #expect(count == 5 + 25 + 125 + 625 + 3_125 + 15_625)
    }

    private func check(_ program: [Event]) throws {
        let time = VirtualTime()
        let log = Log<Int>()
        var timer: RepeatingTimer? = try RepeatingTimer(every: .seconds(10), engine: time.engine) { log.add($0.number) }
        var expectation = Expectation()
        for event in program {
            switch event {
            case .suspend: timer?.pause()
            case .resume: timer?.resume()
            case .cancel: timer?.cancel()
            case .release: timer = nil
            case .advance: time.advance(by: .seconds(7))
            }
            expectation.apply(event)
            guard
                log.all == Array(0..<expectation.ticks).map({ $0 + 1 }),
                time.pendingTimerCount == (expectation.isRunning ? 1 : 0)
            else {
                Issue.record("after \(event) in \(program): ticks \(log.all), \(time.pendingTimerCount) timers")
                return
            }
        }
        timer = nil
        if !time.leaks.isEmpty { Issue.record("\(program) leaves \(time.leaks)") }
    }
}

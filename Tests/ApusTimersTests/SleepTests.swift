import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Sleeping tasks")
struct SleepTests {
    let time = VirtualTime()
    let log = Log<String>()

    @Test("a sleep over TimerClock ends at its deadline")
    func sleep() throws {
        let log = log
        let clock = TimerClock.continuous(engine: time.engine)
        time.start {
            try await clock.sleep(for: .seconds(5))
            log.add("awake")
        }
        time.advance(by: .milliseconds(4_999))
        #expect(log.all == [])
        time.advance(by: .milliseconds(1))
        #expect(log.all == ["awake"])
        #expect(time.leaks == [])
    }

    @Test("a cancelled sleep throws immediately and leaves no timer")
    func cancel() {
        let log = log
        let clock = TimerClock.uptime(engine: time.engine)
        let task = time.start {
            do { try await clock.sleep(for: .seconds(3_600)) } catch { log.add("\(type(of: error))") }
        }
        time.settle()
        #expect(time.pendingTimerCount == 1)
        task.cancel()
        #expect(time.pendingTimerCount == 0)
        time.settle()
        #expect(log.all == ["CancellationError"])
        #expect(time.leaks == [])
    }

    @Test("a task that was cancelled before does not begin to sleep")
    func cancelledBefore() {
        let log = log
        let engine = time.engine
        let task = time.start {
            do { try await engine.sleep(for: .seconds(1)) } catch { log.add("\(type(of: error))") }
        }
        task.cancel()
        time.settle()
        #expect(log.all == ["CancellationError"])
        #expect(time.engine.liveTimerCount == 0)
    }

    @Test("stopping the engine ends sleeps with CancellationError, also those that begin later")
    func shutdown() {
        let log = log
        let engine = time.engine
        time.start {
            do { try await engine.sleep(for: .seconds(1)) } catch { log.add("\(type(of: error))") }
            do { try await engine.sleep(for: .seconds(1)) } catch { log.add("\(type(of: error))") }
        }
        time.settle()
        engine.stop()
        time.settle()
        #expect(log.all == ["CancellationError", "CancellationError"])
        #expect(time.leaks == [])
    }

    @Test("sleeps with a tolerance share a wake-up")
    func tolerance() {
        let log = log
        let engine = time.engine
        for (name, after) in [("a", 100), ("b", 150)] {
            time.start {
                try await engine.sleep(for: .milliseconds(after), tolerance: .milliseconds(100))
                log.add(name)
            }
        }
        time.advance(by: .milliseconds(199))
        #expect(log.all == [])
        time.advance(by: .milliseconds(1))
        #expect(log.all == ["a", "b"])
    }

    @Test("a wall-clock sleep ends when the clock is set past its deadline")
    func wall() {
        let log = log
        let clock = TimerClock.wall(engine: time.engine)
        time.start {
            try await clock.sleep(for: .seconds(3_600))
            log.add("awake")
        }
        time.settle()
        time.moveWallClock(by: .seconds(4_000))
        #expect(log.all == ["awake"])
    }

    @Test("a cancelled loop over ticks ends and leaves no timer")
    func ticks() throws {
        let log = log
        let ticks = try time.engine.ticks(every: .seconds(1))
        let task = time.start {
            for await tick in ticks { log.add("\(tick.number)") }
            log.add("end")
        }
        time.advance(by: .milliseconds(3_500))
        task.cancel()
        #expect(time.pendingTimerCount == 0)
        time.settle()
        #expect(log.all == ["1", "2", "3", "end"])
        #expect(time.leaks == [])
    }

    @Test("an iterator of ticks whose task was cancelled returns nil from every further call")
    func ticksAfterCancellation() throws {
        let log = log
        let ticks = try time.engine.ticks(every: .seconds(1))
        let task = time.start {
            var iterator = ticks.makeAsyncIterator()
            while let tick = await iterator.next() { log.add("\(tick.number)") }
            for _ in 0..<3 { log.add(await iterator.next() == nil ? "nil" : "tick") }
        }
        time.advance(by: .milliseconds(1_500))
        task.cancel()
        time.settle()
        #expect(log.all == ["1", "nil", "nil", "nil"])
        #expect(time.leaks == [])
    }

    @Test("an iterator of ticks whose engine was stopped returns nil from every further call")
    func ticksAfterShutdown() throws {
        let log = log
        let ticks = try time.engine.ticks(every: .seconds(1))
        time.start {
            var iterator = ticks.makeAsyncIterator()
            for _ in 0..<4 { log.add(await iterator.next() == nil ? "nil" : "tick") }
        }
        time.advance(by: .milliseconds(1_500))
        time.engine.stop()
        time.settle()
        #expect(log.all == ["tick", "nil", "nil", "nil"])
    }

    @Test("ticks with an interval of zero are refused")
    func badTicks() {
        #expect(throws: TimerError.self) { try time.engine.ticks(every: .zero) }
    }
}

import ApusTestSupport
import ApusVirtualTime
import Dispatch
import Testing

@testable import ApusTimers

@Suite("Bounds of the engine's work under a lock and in a pass", .timeLimit(.minutes(5)))
struct EngineBoundsTests {
    /// Returns the maximum number of records that were examined under one hold of a lock, in the life of an engine
    /// with that many timers.
    private func mostVisits(timers: Int) -> Int {
        let time = VirtualTime()
        let engine = time.engine
        let fired = Log<Int>()
        let handler = TimerHandler { fired.add(Int($0)) }
        for number in 0..<timers {
            let clock = ClockKind.allCases[number % 3]
            engine.schedule(after: .seconds(100) + .nanoseconds(number), clock: clock, handler: handler, token: 1)
        }
        // Cancelling the earliest timer makes the engine search for the next one.
        engine.schedule(after: .seconds(99), handler: handler, token: 2).cancel()
        engine.schedule(after: .seconds(98), clock: .wall, handler: handler, token: 2).cancel()
        time.moveWallClock(by: .seconds(-1_000_000))
        time.settle()
        time.moveWallClock(by: .seconds(1_000_001))
        time.advance(by: .seconds(98))
        #expect(fired.all == [])
        time.advance(by: .seconds(1) + .nanoseconds(timers))
        #expect(fired.all.count == timers / 3, "those on the wall clock, which is a second ahead")
        engine.schedule(after: .zero, handler: handler, token: 2)
        engine.stop()
        return engine.core.shards.mostVisits
    }

    @Test(
        "the number of records examined under one hold of a lock does not grow with the number of timers, even when the wall clock is set"
    )
    func boundedHolds() {
        let few = mostVisits(timers: 12_000)
        #expect(few < 8_000)
        #expect(mostVisits(timers: 60_000) <= few + 64)
    }

    @Test("a timer on one clock can be scheduled, reset and cancelled while the locks of the other clocks are held")
    func locksOfClocks() {
        let time = VirtualTime()
        let engine = time.engine
        for clock in ClockKind.allCases { engine.schedule(after: .seconds(1), clock: clock) {} }
        for (held, other) in [(ClockKind.wall, ClockKind.uptime), (.uptime, .continuous), (.continuous, .wall)] {
            engine.core.shards.withShard(engine.core.shards.index(0, held)) { _ in
                let timer = engine.schedule(after: .milliseconds(1), clock: other) {}
                #expect(timer.reset(after: .milliseconds(2)))
                #expect(timer.cancel())
            }
        }
        #expect(time.pendingTimerCount == 3)
    }

    @Test("a timer that schedules the next one for the same instant fires once in each wake-up of virtual time")
    func sameInstant() {
        let time = VirtualTime()
        let log = Log<Int>()
        @Sendable func again(_ count: Int) {
            log.add(count)
            time.engine.schedule(after: .zero) { again(count + 1) }
        }
        for start in stride(from: 0, to: 300_000, by: 1_000) { time.engine.schedule(after: .zero) { again(start) } }
        for round in 0..<3 {
            #expect(time.runOne())
            #expect(log.all.count == 300 * (round + 1), "more than are taken under one hold of the lock")
        }
        #expect(log.all == (0..<3).flatMap { round in stride(from: 0, to: 300_000, by: 1_000).map { $0 + round } })
        time.engine.stop()
    }

    @Test("a wake-up ends after at most 16 passes, even if timers are always due")
    func alwaysDue() async {
        let engine = TimerEngine()
        let wakeUps: Int = await withCheckedContinuation { continuation in
            @Sendable func again(_ count: Int) {
                if count == 1_000 { return continuation.resume(returning: engine.statistics.wakeUps) }
                engine.schedule(after: .zero) { again(count + 1) }
            }
            again(0)
        }
        #expect(wakeUps >= 1_000 / 16)
        engine.stop()
    }

    @Test("a timer that waits for its executor can be reset any number of times, and fires only at the last deadline")
    func resetWhileQueued() {
        let time = VirtualTime()
        let queue = DispatchQueue(label: "busy")
        let log = Log<ContinuousInstant>()
        let watchdog = time.engine.schedule(after: .seconds(1), on: .queue(queue)) { log.add(time.continuous()) }
        queue.suspend()
        for _ in 0..<1_000 {
            time.advance(by: .seconds(1))
            #expect(watchdog.reset(after: .seconds(1)))
        }
        queue.resume()
        queue.sync {}
        #expect(log.all == [])
        time.advance(by: .seconds(1))
        queue.sync {}
        #expect(log.all == [time.continuous()])
    }
}

@Suite("The end of an engine", .timeLimit(.minutes(5)))
struct EngineEndTests {
    @Test("each thread that stops an engine waits for the action that is running")
    func stopOfTwo() async {
        let engine = TimerEngine()
        let isReleased = Locked(false)
        let release = DispatchSemaphore(value: 0)
        await withCheckedContinuation { continuation in
            engine.schedule(after: .zero) {
                continuation.resume()
                release.wait()
                isReleased.withLock { $0 = true }
            }
        }
        let seen = Log<Bool>()
        let ended = DispatchGroup()
        let begun = DispatchSemaphore(value: 0)
        for number in 0..<4 {
            // These are system threads, because they block, which the threads of Swift's pool must not do.
            SystemThread(named: "stopper") {
                begun.signal()
                engine.stop()
                seen.add(isReleased.withLock { $0 })
                ended.leave()
            }.detach()
            ended.enter()
            if number == 0 { while engine.schedule(after: .seconds(3_600), {}).cancel() { await Task.yield() } }
        }
        await withCheckedContinuation { continuation in
            SystemThread(named: "releaser") {
                for _ in 0..<4 { begun.wait() }
                release.signal()
                ended.wait()
                continuation.resume()
            }.detach()
        }
        #expect(seen.all == [true, true, true, true])
    }

    @Test("an action may stop an engine that another thread is stopping")
    func stopWhileStopping() async {
        let engine = TimerEngine()
        let (started, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        engine.schedule(after: .zero) {
            started.signal()
            release.wait()
            engine.stop()
        }
        await withCheckedContinuation { continuation in
            SystemThread(named: "stopper") {
                started.wait()
                SystemThread(named: "releaser") {
                    while engine.schedule(after: .seconds(3_600), {}).cancel() {}
                    release.signal()
                }.detach()
                engine.stop()
                continuation.resume()
            }.detach()
        }
    }

    @Test("a stop waits for an action that has stopped the engine itself")
    func stoppedByAction() async {
        let engine = TimerEngine()
        let isReleased = Locked(false)
        let (stopped, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        engine.schedule(after: .zero) {
            engine.stop()
            stopped.signal()
            release.wait()
            isReleased.withLock { $0 = true }
        }
        let hasWaited = await withCheckedContinuation { continuation in
            SystemThread(named: "stopper") {
                stopped.wait()
                SystemThread(named: "releaser") { release.signal() }.detach()
                engine.stop()
                continuation.resume(returning: isReleased.withLock { $0 })
            }.detach()
        }
        #expect(hasWaited)
    }

    @Test("the last reference to an engine may be dropped under a lock that the running action wants")
    func dropUnderLock() async {
        let lock = Locked(0)
        let started = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        await withCheckedContinuation { continuation in
            SystemThread(named: "owner") {
                lock.withLock { value in
                    do {
                        let engine = TimerEngine()
                        engine.schedule(after: .zero) {
                            started.signal()
                            lock.withLock { $0 += 1 }
                            ended.signal()
                        }
                        engine.schedule(after: .seconds(3_600)) { lock.withLock { $0 += 100 } }
                        started.wait()
                    }
                    value += 10
                }
                ended.wait()
                continuation.resume()
            }.detach()
        }
        #expect(lock.withLock { $0 } == 11)
    }
}

import ApusTestSupport
import ApusVirtualTime
import Dispatch
import Testing

@testable import ApusTimers

@Suite("TimerEngine in virtual time")
struct TimerEngineTests {
    let time = VirtualTime()
    let log = Log<String>()

    private func schedule(
        _ name: String, after: Duration, tolerance: Duration = .zero, clock: ClockKind = .continuous
    ) {
        let log = log
        time.engine.schedule(after: after, tolerance: tolerance, clock: clock) { log.add(name) }
    }

    @Test("a timer fires at its deadline and not a nanosecond before")
    func exact() {
        schedule("three", after: .seconds(3))
        time.advance(by: .seconds(3) - .nanoseconds(1))
        #expect(log.all == [])
        time.advance(by: .nanoseconds(1))
        #expect(log.all == ["three"])
        time.advance(by: .seconds(10))
        #expect(log.all == ["three"])
        #expect(time.leaks == [])
    }

    @Test("timers start in the order of their deadlines, and equal ones in the order of scheduling")
    func order() {
        schedule("b", after: .seconds(2))
        schedule("c", after: .seconds(2))
        schedule("a", after: .seconds(1))
        time.advance(by: .milliseconds(500))
        schedule("d", after: .milliseconds(1_500))
        time.advance(by: .seconds(5))
        #expect(log.all == ["a", "b", "c", "d"])
    }

    @Test("an action reads the clocks at its deadline")
    func nowInAction() {
        let instants = Log<ContinuousInstant>()
        let time = time
        let begin = time.continuous()
        for seconds in [1, 5, 9] {
            time.engine.schedule(after: .seconds(seconds)) { [clocks = time.engine.time] in
                instants.add(clocks.continuous())
            }
        }
        time.advance(by: .seconds(100))
        #expect(instants.all == [1, 5, 9].map { begin.advanced(by: .seconds($0)) })
        #expect(time.continuous() == begin.advanced(by: .seconds(100)))
    }

    @Test("an action can cancel another one that is due at the same instant")
    func cancelInCallback() {
        let results = Log<Bool>()
        let second = Log<ScheduledTimer>()
        time.engine.schedule(after: .seconds(1)) { for timer in second.all { results.add(timer.cancel()) } }
        let log = log
        second.add(time.engine.schedule(after: .seconds(1)) { log.add("second") })
        time.advance(by: .seconds(1))
        #expect(results.all == [true])
        #expect(log.all == [])
        #expect(time.leaks == [])
    }

    @Test("cancel returns whether it prevented the action, and true only once")
    func cancelResult() {
        let log = log
        let timer = time.engine.schedule(after: .seconds(1)) { log.add("never") }
        #expect(timer.cancel())
        #expect(!timer.cancel())
        let fired = time.engine.schedule(after: .seconds(1)) { log.add("fired") }
        time.advance(by: .seconds(2))
        #expect(!fired.cancel())
        #expect(log.all == ["fired"])
    }

    @Test("a timer that waits for a busy queue can still be cancelled")
    func cancelWhileQueued() {
        let queue = DispatchQueue(label: "busy")
        let log = log
        let timer = time.engine.schedule(after: .seconds(1), on: .queue(queue)) { log.add("never") }
        queue.suspend()
        time.advance(by: .seconds(1))
        #expect(time.pendingTimerCount == 1)
        #expect(timer.cancel())
        queue.resume()
        queue.sync {}
        #expect(log.all == [])
    }

    @Test("cancelling a timer and stopping the engine release what the action captured")
    func release() {
        final class Captured: Sendable {}
        weak var cancelled: Captured?
        weak var pending: Captured?
        do {
            let first = Captured()
            let second = Captured()
            (cancelled, pending) = (first, second)
            time.engine.schedule(after: .seconds(1)) { withExtendedLifetime(first) {} }.cancel()
            time.engine.schedule(after: .seconds(1)) { withExtendedLifetime(second) {} }
        }
        #expect(cancelled == nil)
        #expect(pending != nil)
        time.engine.stop()
        time.engine.stop()
        #expect(pending == nil)
        schedule("after shutdown", after: .zero)
        time.advance(by: .seconds(10))
        #expect(log.all == [])
        #expect(!time.engine.schedule(after: .zero) {}.cancel())
    }

    @Test("cancelling and resetting a timer of a released engine has no effect, not even on later engines")
    func formerEngine() {
        var former: [ScheduledTimer] = []
        for _ in 0..<20 {
            let time = VirtualTime()
            // These use the same records as the timers of the previous engines, if the engines got the same memory.
            let timers = (0..<5).map { _ in time.engine.schedule(after: .seconds(1)) {} }
            for timer in former {
                #expect(!timer.cancel())
                #expect(!timer.reset(after: .zero))
            }
            #expect(time.engine.liveTimerCount == 5)
            former += timers
        }
        for timer in former { #expect(!timer.cancel()) }
    }

    @Test("timers with zero, negative and past deadlines fire immediately, and far deadlines never overflow")
    func extremes() {
        schedule("zero", after: .zero)
        schedule("negative", after: .seconds(-5))
        schedule("far", after: .seconds(Int64.max), tolerance: .seconds(Int64.max))
        let log = log
        time.engine.schedule(at: UptimeInstant(nanoseconds: 0)) { log.add("origin") }
        time.engine.schedule(at: WallInstant(nanoseconds: .max), tolerance: .seconds(1)) { log.add("end") }
        time.settle()
        #expect(log.all == ["origin", "zero", "negative"])
        time.advance(by: .seconds(9_000_000_000))
        #expect(log.all.count == 3)
        #expect(time.pendingTimerCount == 2)
    }

    @Test("an action may schedule a timer for the same instant without stopping time")
    func reentrant() {
        let log = log
        let engine = time.engine
        engine.schedule(after: .seconds(1)) {
            log.add("outer")
            engine.schedule(after: .zero) { log.add("inner") }
        }
        time.advance(by: .seconds(1))
        #expect(log.all == ["outer", "inner"])
    }

    @Test("timers with tolerance share a wake-up, and exact ones do not wait for them")
    func tolerance() {
        schedule("a", after: .milliseconds(100), tolerance: .milliseconds(100))
        schedule("b", after: .milliseconds(150), tolerance: .milliseconds(100))
        schedule("c", after: .milliseconds(201), tolerance: .milliseconds(100))
        let wakeUps = time.engine.statistics.wakeUps
        time.advance(by: .milliseconds(200))
        #expect(log.all == ["a", "b"])
        #expect(time.engine.statistics.wakeUps == wakeUps + 1)
        schedule("exact", after: .milliseconds(50))
        time.advance(by: .milliseconds(50))
        #expect(log.all == ["a", "b", "c", "exact"])
    }

    @Test("the engine does not wake while no timer is due")
    func idle() {
        let observation = time.engine.observeWallClock {}
        schedule("later", after: .seconds(1_000))
        schedule("wall", after: .seconds(1_000), clock: .wall)
        let before = time.engine.statistics
        time.advance(by: .seconds(999))
        #expect(time.engine.statistics == before)
        observation.cancel()
    }

    @Test("the kernel's timer is armed only when the earliest deadline changes")
    func rearms() {
        schedule("first", after: .seconds(1))
        let begin = time.engine.statistics.rearms
        let later = (2..<100).map { time.engine.schedule(after: .seconds($0)) {} }
        #expect(time.engine.statistics.rearms == begin)
        for timer in later { timer.cancel() }
        #expect(time.engine.statistics.rearms == begin)
        let earlier = time.engine.schedule(after: .milliseconds(1)) {}
        #expect(time.engine.statistics.rearms == begin + 1)
        earlier.cancel()
        #expect(time.engine.statistics.rearms == begin + 2)
    }

    @Test("timers of more than one batch fire in order at one instant")
    func manyAtOnce() {
        let log = Log<Int>()
        for number in 0..<1_000 { time.engine.schedule(after: .seconds(1)) { log.add(number) } }
        time.advance(by: .seconds(1))
        #expect(log.all == Array(0..<1_000))
        #expect(time.engine.statistics.fires == 1_000)
    }

    @Test("an engine that is dropped releases its timers without firing them")
    func dropped() {
        let log = log
        do {
            let time = VirtualTime()
            time.engine.schedule(after: .seconds(1)) { log.add("never") }
        }
        #expect(log.all == [])
    }
}

import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

/// A time source whose clocks a test moves together, and a wakeup that wakes once for each arming, 1 ms too early.
///
/// Deadlines at the same instant share a wake-up.
private final class EarlyWakeup: TimeSource, Wakeup {
    private struct State {
        var now: UInt64 = 1_000_000_000
        /// The instants, in nanoseconds, at which the timers of the clocks wake.
        var wakeAt: [ClockKind: UInt64] = [:]
        var handler: (@Sendable (WakeReason) -> Void)?
    }

    private let state = Locked(State())
    private let lead: UInt64 = 1_000_000

    private var now: UInt64 { state.withLock { $0.now } }
    func uptime() -> UptimeInstant { UptimeInstant(nanoseconds: now) }
    func continuous() -> ContinuousInstant { ContinuousInstant(nanoseconds: now) }
    func wall() -> WallInstant { WallInstant(nanoseconds: now) }

    func start(_ handler: @escaping @Sendable (WakeReason) -> Void) { state.withLock { $0.handler = handler } }

    func arm(at deadline: ClockInstant) {
        let instant = deadline.nanoseconds
        state.withLock { state in
            state.wakeAt[deadline.clock] = instant > state.now + lead ? instant - lead : max(instant, state.now)
        }
    }

    func disarm(_ clock: ClockKind) { state.withLock { $0.wakeAt[clock] = nil } }

    func stop() { state.withLock { $0.handler = nil } }

    func advance(by nanoseconds: UInt64) {
        let target = now + nanoseconds
        while let handler = nextWakeUp(until: target) { handler(.deadline) }
    }

    /// Moves to the next wake-up, or to `target` if there is no wake-up until then.
    private func nextWakeUp(until target: UInt64) -> (@Sendable (WakeReason) -> Void)? {
        state.withLock { state in
            guard let next = state.wakeAt.values.min(), next <= target else {
                state.now = target
                return nil
            }
            state.now = next
            state.wakeAt = state.wakeAt.filter { $0.value > next }
            return state.handler
        }
    }
}

@Suite("Wake-ups before the deadline")
struct EarlyWakeupTests {
    @Test("a timer fires at its deadline after a wakeup woke the engine early", arguments: ClockKind.allCases)
    func early(clock: ClockKind) {
        let wakeup = EarlyWakeup()
        let engine = TimerEngine(time: wakeup, wakeup: wakeup)
        let log = Log<UInt64>()
        let begin = wakeup.uptime().nanoseconds
        for seconds in [2, 5] {
            engine.schedule(after: .seconds(seconds), clock: clock) { log.add(wakeup.uptime().nanoseconds - begin) }
        }
        wakeup.advance(by: 10_000_000_000)
        #expect(log.all == [2_000_000_000, 5_000_000_000])
        #expect(engine.statistics.wakeUps == 4, "each deadline has an early wake-up and one on time")
        engine.stop()
    }

    @Test("an early wake-up is recognised as early even if a timer on another clock is due at the same instant")
    func earlyForOneClockOnly() {
        let wakeup = EarlyWakeup()
        let engine = TimerEngine(time: wakeup, wakeup: wakeup)
        let log = Log<String>()
        let begin = wakeup.uptime().nanoseconds
        @Sendable func report(_ name: String) {
            log.add("\(name) at \((wakeup.uptime().nanoseconds - begin) / 1_000_000) ms")
        }
        engine.schedule(after: .milliseconds(2_001), clock: .uptime) { report("uptime") }
        engine.schedule(after: .milliseconds(2_000), clock: .continuous) { report("continuous") }
        engine.schedule(after: .milliseconds(9_000), clock: .wall) { report("wall") }
        wakeup.advance(by: 10_000_000_000)
        #expect(log.all == ["continuous at 2000 ms", "uptime at 2001 ms", "wall at 9000 ms"])
        engine.stop()
    }

    @Test("a punctual wakeup is armed again only for the clock whose timer was due")
    func onTime() {
        let time = VirtualTime()
        for clock in ClockKind.allCases { time.engine.schedule(after: .seconds(3_600), clock: clock) {} }
        for seconds in 1...10 { time.engine.schedule(after: .seconds(seconds), clock: .continuous) {} }
        let before = time.engine.statistics
        time.advance(by: .seconds(10))
        #expect(time.engine.statistics.wakeUps - before.wakeUps == 10)
        #expect(time.engine.statistics.rearms - before.rearms == 10)
    }
}

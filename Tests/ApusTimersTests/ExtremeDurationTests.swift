import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Extreme durations of timers")
struct ExtremeDurationTests {
    @Test("instants and durations saturate", arguments: Duration.extremes)
    func instants(duration: Duration) {
        let middle = ContinuousInstant(nanoseconds: 1 << 62)
        let moved = middle.advanced(by: duration)
        #expect(duration >= .zero ? moved >= middle : moved <= middle)
        #expect(middle.duration(to: moved) <= max(duration, .zero))
        for origin: UInt64 in [0, 1, .max - 1, .max] {
            let instant = WallInstant(nanoseconds: origin)
            let moved = instant.advanced(by: duration)
            #expect(duration >= .zero ? moved >= instant : moved <= instant)
            #expect(abs(instant.duration(to: moved)) <= .nanoseconds(Int64.max))
            #expect(
                ClockInstant(clock: .wall, nanoseconds: origin).advanced(by: duration).nanoseconds == moved.nanoseconds)
        }
    }

    private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }

    @Test("a timer after any duration with any tolerance fires when the duration has passed, or stays pending")
    func timers() async throws {
        for duration in Duration.extremes {
            for tolerance in Duration.extremes {
                let time = VirtualTime()
                let fired = Log<String>()
                let handler = TimerHandler { _ in fired.add("handler") }
                for clock in ClockKind.allCases {
                    time.engine.schedule(after: duration, tolerance: tolerance, clock: clock) { fired.add("closure") }
                    time.engine.schedule(
                        after: duration, tolerance: tolerance, clock: clock, handler: handler, token: 1)
                }
                time.engine.schedule(at: time.wall().advanced(by: duration), tolerance: tolerance) { fired.add("at") }
                time.engine.schedule(
                    at: time.uptime().advanced(by: duration), tolerance: tolerance, handler: handler, token: 2)
                let moved = time.engine.schedule(after: .seconds(1)) { fired.add("moved") }
                #expect(moved.reset(after: duration, tolerance: tolerance))
                let sleeper = time.start { try await time.engine.sleep(for: duration, tolerance: tolerance) }
                let clockSleeper = time.start {
                    let clock = TimerClock.continuous(engine: time.engine)
                    try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: tolerance)
                }
                time.settle()
                time.advance(by: .seconds(1))
                // With a longer tolerance, a due timer may wait for another wake-up.
                if duration <= .seconds(1), tolerance <= .zero {
                    #expect(fired.all.count == 9, "\(duration), \(tolerance)")
                } else if duration > .seconds(1) {
                    #expect(fired.all.isEmpty, "\(duration), \(tolerance)")
                }
                time.engine.stop()
                time.settle()
                _ = (sleeper, clockSleeper)
            }
        }
    }

    @Test("a repeating timer of any interval and tolerance is refused, or ticks")
    func repeating() {
        for interval in Duration.extremes {
            for tolerance in Duration.extremes {
                let time = VirtualTime()
                let ticks = Log<Tick>()
                // Fractions of a nanosecond do not count.
                let isValid =
                    interval.wholeNanoseconds > 0 && tolerance >= .zero
                    && tolerance.wholeNanoseconds < interval.wholeNanoseconds
                let sequence = try? time.engine.ticks(every: interval, tolerance: tolerance)
                let timer = try? RepeatingTimer(every: interval, tolerance: tolerance, engine: time.engine) {
                    ticks.add($0)
                }
                #expect((timer != nil) == isValid && (sequence != nil) == isValid, "\(interval), \(tolerance)")
                timer?.resume()
                // The time is short, so that an interval of a nanosecond does not make a billion ticks.
                time.advance(by: .nanoseconds(10))
                timer?.pause()
                timer?.resume()
                timer?.cancel()
                #expect(ticks.all.count <= 10)
            }
        }
    }
}

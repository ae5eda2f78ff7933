import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Three clocks")
struct ClockTests {
    let time = VirtualTime()
    let log = Log<String>()

    private func scheduleOnAll(after duration: Duration) {
        let log = log
        for clock in ClockKind.allCases {
            time.engine.schedule(after: duration, clock: clock) { log.add("\(clock)") }
        }
    }

    @Test("while the machine sleeps, continuous and wall time advance and uptime does not")
    func sleep() {
        scheduleOnAll(after: .seconds(60))
        time.sleepMachine(for: .seconds(59))
        #expect(log.all == [])
        time.sleepMachine(for: .seconds(1))
        #expect(log.all == ["continuous", "wall"])
        time.advance(by: .seconds(59))
        #expect(log.all.count == 2)
        time.advance(by: .seconds(1))
        #expect(log.all == ["continuous", "wall", "uptime"])
        #expect(time.leaks == [])
    }

    @Test("setting the wall clock forward fires only wall deadlines, immediately")
    func forward() {
        scheduleOnAll(after: .seconds(86_400))
        time.moveWallClock(by: .seconds(86_399))
        #expect(log.all == [])
        time.moveWallClock(by: .seconds(1))
        #expect(log.all == ["wall"])
    }

    @Test("setting the wall clock back postpones earlier wall deadlines, but not those of timers scheduled afterwards")
    func backward() {
        scheduleOnAll(after: .seconds(60))
        time.advance(by: .seconds(30))
        time.moveWallClock(by: .seconds(-3_600))
        let log = log
        time.engine.schedule(after: .seconds(10), clock: .wall) { log.add("scheduled after") }
        time.advance(by: .seconds(30))
        #expect(log.all == ["scheduled after", "uptime", "continuous"])
        time.advance(by: .seconds(3_599))
        #expect(log.all.count == 3)
        time.advance(by: .seconds(1))
        #expect(log.all.last == "wall")
    }

    @Test("after the wall clock was set back, timers for instants that it had already reached do not fire early")
    func backwardAfterFiring() {
        let log = log
        time.engine.schedule(after: .seconds(30), clock: .wall) { log.add("reached") }
        time.advance(by: .seconds(30))
        time.moveWallClock(by: .seconds(-3_600))
        time.engine.schedule(after: .seconds(20), clock: .wall) { log.add("twenty") }
        time.engine.schedule(after: .seconds(10), clock: .wall) { log.add("ten") }
        time.advance(by: .seconds(10))
        #expect(log.all == ["reached", "ten"])
        time.advance(by: .seconds(10))
        #expect(log.all == ["reached", "ten", "twenty"])
    }

    @Test(
        "observers are notified of every setting of the wall clock until they are cancelled, before the timers that it made due"
    )
    func observers() {
        let log = log
        let observation = time.engine.observeWallClock { log.add("set") }
        time.engine.schedule(after: .seconds(60), clock: .wall) { log.add("due") }
        time.moveWallClock(by: .seconds(120))
        #expect(log.all == ["set", "due"])
        time.moveWallClock(by: .seconds(-120))
        #expect(log.all == ["set", "due", "set"])
        observation.cancel()
        observation.cancel()
        time.moveWallClock(by: .seconds(1))
        #expect(log.all.count == 3)
    }

    @Test("an observation ends when its last reference is dropped")
    func droppedObservation() {
        let log = log
        var observation: ObservationToken? = time.engine.observeWallClock { log.add("set") }
        time.moveWallClock(by: .seconds(1))
        #expect(observation != nil && log.all == ["set"])
        observation = nil
        time.moveWallClock(by: .seconds(1))
        #expect(log.all == ["set"])
    }

    @Test(
        "an instant on a clock chosen at run time has the same arithmetic as one whose type names the clock",
        arguments: ClockKind.allCases)
    func chosenClock(clock: ClockKind) {
        let instant = ClockInstant(clock: clock, nanoseconds: 5)
        #expect(instant.advanced(by: .nanoseconds(3)) == ClockInstant(clock: clock, nanoseconds: 8))
        #expect(instant.advanced(by: .seconds(-1)).nanoseconds == 0)
        #expect(instant.advanced(by: .nanoseconds(3)).duration(to: instant) == .nanoseconds(-3))
        #expect((instant.instant(WallInstant.self) != nil) == (clock == .wall))
        #expect(ClockInstant(UptimeInstant(nanoseconds: 5)) == ClockInstant(clock: .uptime, nanoseconds: 5))
    }

    @Test("a repeating timer on the wall clock waits again when the clock is set back")
    func repeatingOnWall() throws {
        let log = log
        let timer = try RepeatingTimer(every: .seconds(10), clock: .wall, engine: time.engine) { tick in
            log.add("\(tick.number)")
        }
        timer.resume()
        time.advance(by: .seconds(10))
        time.moveWallClock(by: .seconds(-10))
        time.advance(by: .seconds(19))
        #expect(log.all == ["1"])
        time.advance(by: .seconds(1))
        #expect(log.all == ["1", "2"])
    }

    @Test("instants saturate instead of overflowing")
    func saturation() {
        #expect(WallInstant(secondsSince1970: -1).nanoseconds == 0)
        #expect(WallInstant(secondsSince1970: .max).nanoseconds == .max)
        #expect(UptimeInstant(nanoseconds: 5).advanced(by: .seconds(-1)).nanoseconds == 0)
        #expect(UptimeInstant(nanoseconds: .max).advanced(by: .seconds(1)).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
    }

    @Test("whole nanoseconds equal the attoseconds divided by 10⁹, rounded towards zero and saturated")
    func wholeNanoseconds() {
        let random = SeededRandom(seed: 17)
        for bits in 0..<122 {
            for _ in 0..<20 {
                let below = (Int128(random.next()) << 64 | Int128(random.next())) & (Int128(1) << bits - 1)
                let attoseconds = Int128(1) << bits | below
                for attoseconds in [attoseconds, -attoseconds, attoseconds / 1_000_000_000 * 1_000_000_000] {
                    let exact = Int64(clamping: attoseconds / 1_000_000_000)
                    #expect(Duration(attoseconds: attoseconds).wholeNanoseconds == exact, "\(attoseconds) as")
                }
            }
        }
    }
}

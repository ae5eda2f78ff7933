import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("Timers and clocks on the simulated device")
struct SuspensionTests {
    /// Notes each tick, with its number and the number of missed ticks.
    private func tick(
        _ host: SimulatedHost, every interval: Duration, mode: MainLoopMode = .common
    ) throws
        -> RepeatingTimer
    {
        let timer = try RepeatingTimer(every: interval, clock: .uptime, engine: host.engine) { tick in
            host.mainLoop.run(in: mode) { host.note("\(mode) \(tick.number), missed \(tick.missedCount)") }
        }
        timer.resume()
        return timer
    }

    @Test("a suspended app runs nothing; then its repeating timer gives one tick with the number of missed ones")
    func suspendedTimer() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let timer = try tick(host, every: .seconds(10))
            host.start {
                try? await host.engine.sleep(for: .seconds(20))
                host.note("slept")
            }
            device.advance(by: .seconds(10))
            device.pressHome()
            device.advance(by: .seconds(5))
            let count = device.log.count
            device.advance(by: .seconds(3_600))
            #expect(device.log.count == count)
            device.open()
            #expect(device.ownNotes == ["common 1, missed 0", "slept", "common 361, missed 359"])
            device.advance(by: .seconds(5))
            #expect(device.ownNotes.last == "common 362, missed 0", "the phase is kept")
            timer.cancel()
        }
    }

    @Test("a tick in default mode waits while the user scrolls, and a tick in common mode does not")
    func scrolling() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let timers = [try tick(host, every: .seconds(1), mode: .default), try tick(host, every: .seconds(1))]
            device.advance(by: .seconds(1))
            #expect(device.ownNotes == ["default 1, missed 0", "common 1, missed 0"])
            device.scroll(for: .milliseconds(2_500))
            let scrolled = device.log.firstIndex { $0.what == .control("scroll for 2.5 seconds") }
            let later = device.log[try #require(scrolled)...].map {
                "\($0.uptime.nanoseconds / 100_000_000) \($0.what)"
            }
            #expect(
                later == [
                    "36010 scroll for 2.5 seconds", "36020 note: common 2, missed 0", "36030 note: common 3, missed 0",
                    "36035 note: default 2, missed 0", "36035 note: default 3, missed 0",
                ])
            for timer in timers { timer.cancel() }
        }
    }

    @Test("scrolling ends when the app leaves the foreground")
    func scrollEnds() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            host.engine.schedule(after: .seconds(1)) { host.mainLoop.run(in: .default) { host.note("default") } }
            device.scroll(for: .seconds(3))
            device.pressHome()
            #expect(device.ownNotes == ["default"])
        }
    }

    @Test("uptime timers are paused while the device sleeps, continuous and wall timers are not")
    func sleep() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            host.engine.schedule(after: .seconds(5), clock: .uptime) { host.note("uptime") }
            host.engine.schedule(after: .seconds(5), clock: .continuous) { host.note("continuous") }
            host.engine.schedule(after: .seconds(5), clock: .wall) { host.note("wall") }
            device.advance(by: .seconds(3))
            device.sleepMachine(for: .seconds(10))
            #expect(device.ownNotes == ["continuous", "wall"])
            device.advance(by: .seconds(1))
            #expect(device.ownNotes.count == 2)
            device.advance(by: .seconds(1))
            #expect(device.ownNotes.last == "uptime")
        }
    }

    @Test("an uptime timer of a suspended app keeps its remaining time while the device sleeps")
    func sleepSuspended() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            host.engine.schedule(after: .seconds(100), clock: .uptime) { host.note("uptime") }
            host.engine.schedule(after: .seconds(100), clock: .continuous) { host.note("continuous") }
            device.pressHome()
            device.advance(by: .seconds(10))
            device.sleepMachine(for: .seconds(1_000))
            #expect(device.ownNotes.isEmpty)
            device.open()
            #expect(device.ownNotes == ["continuous"])
            device.advance(by: .seconds(90))
            #expect(device.ownNotes == ["continuous", "uptime"])
        }
    }

    @Test("setting the wall clock moves wall timers only; a suspended app is notified when it runs again")
    func wallClock() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let app = try device.probe
            app.kept.append(host.engine.observeWallClock { host.note("wall clock") })
            host.engine.schedule(after: .seconds(100), clock: .wall) { host.note("wall") }
            host.engine.schedule(after: .seconds(100), clock: .uptime) { host.note("uptime") }
            device.moveWallClock(by: .seconds(50))
            #expect(device.ownNotes == ["wall clock"])
            device.pressHome()
            device.advance(by: .seconds(10))
            device.setWallClock(device.time.wall().advanced(by: .seconds(200)))
            #expect(device.ownNotes == ["wall clock"])
            device.open()
            #expect(device.ownNotes == ["wall clock", "wall clock", "wall"])
            device.advance(by: .seconds(90))
            #expect(device.ownNotes.last == "uptime")
        }
    }

    @Test("nothing else runs while an app computes, and overdue timers fire after that")
    func work() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let timer = try tick(host, every: .seconds(1))
            host.engine.schedule(after: .milliseconds(500)) {
                host.work(for: .seconds(3))
                host.note("worked")
            }
            device.advance(by: .seconds(1))
            #expect(device.ownNotes == ["worked", "common 3, missed 2"])
            #expect(device.log.last?.uptime == UptimeInstant(nanoseconds: 3_603_500_000_000), "later than asked for")
            timer.cancel()
        }
    }

    @Test("advance(until:) lets time pass until the wall clock shows the instant")
    func runUntil() throws {
        try SimulatedDevice.run { device in
            let instant = device.time.wall().advanced(by: .seconds(86_400))
            device.advance(until: instant)
            #expect(device.time.wall() == instant)
            device.advance(until: WallInstant(secondsSince1970: 0))
            #expect(device.time.wall() == instant)
        }
    }

    @Test("the asynchronous form runs main-actor tasks of the app at the instants that start them")
    func mainActorTasks() async throws {
        try await SimulatedDevice.run { device in
            let host = try device.launchProbe()
            host.engine.schedule(after: .seconds(10)) {
                Task { @MainActor in
                    host.note("first hop at \(host.engine.time.uptime().nanoseconds / 1_000_000_000)")
                    Task { @MainActor in
                        host.note("second hop")
                        host.engine.schedule(after: .seconds(5)) { host.note("timer") }
                    }
                }
            }
            await device.advance(by: .seconds(20))
            #expect(device.ownNotes == ["first hop at 3610", "second hop", "timer"])
            #expect(device.log.last?.uptime == UptimeInstant(nanoseconds: 3_615_000_000_000))
            // These hops lead from the queue to the engine and back, twice, while no time passes.
            Task { @MainActor in
                host.engine.schedule(after: .zero) {
                    Task { @MainActor in host.engine.schedule(after: .zero) { host.note("at once") } }
                }
            }
            await device.advance(by: .zero)
            #expect(device.ownNotes.last == "at once")
        }
    }
}

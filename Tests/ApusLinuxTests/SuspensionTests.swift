import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusLinux

@Suite("Suspension on Linux")
@MainActor
struct SuspensionTests {
    private let world = HostInVirtualTime()
    private var host: LinuxHost { world.host }

    /// Makes the machine sleep, which the kernel reports like a setting of the wall clock.
    private func sleepMachine(for duration: Duration) {
        world.time.sleepMachine(for: duration)
        world.time.setWallClock(world.time.wall())
    }

    @Test("Ctrl-Z enters the suspended phase before the process is stopped, and SIGCONT brings the phase before back")
    func standsStill() throws {
        let run = world.run()
        world.post(.standStillRequested)
        #expect(world.stops.all == [.suspended])
        #expect(host.phase == .suspended)
        world.post(.continued)
        #expect(host.phase == .active)
        #expect(world.seen.all == [.suspended, .active])
        world.send(.terminate)
        #expect(try world.outcome(of: run) == .completed)
    }

    @Test("a process that stands still is not stopped a second time")
    func once() {
        let run = world.run()
        world.post(.standStillRequested)
        world.post(.standStillRequested)
        #expect(world.stops.all == [.suspended])
        world.post(.continued)
        world.post(.standStillRequested)
        #expect(world.stops.all == [.suspended, .suspended])
        run.cancel()
        world.time.settle()
    }

    @Test("in the grace period, the phase after suspension is background, and the grace period continues")
    func inTheGracePeriod() throws {
        let task = try host.beginBackgroundTask(named: "upload")
        let run = world.run()
        world.send(.terminate)
        world.post(.standStillRequested)
        world.post(.continued)
        #expect(world.seen.all == [.background, .suspended, .background])
        world.time.advance(by: .seconds(26))
        #expect(try world.outcome(of: run) == .completed)
        task.end()
    }

    @Test("a process that is asked to end while it stands still is in the background when it is continued")
    func terminatedWhileStopped() throws {
        let task = try host.beginBackgroundTask(named: "upload")
        let run = world.run()
        world.post(.standStillRequested)
        // When both signals are pending, the kernel delivers SIGTERM, which has the smaller number, before SIGCONT.
        world.send(.terminate)
        world.post(.continued)
        #expect(world.seen.all == [.suspended, .background])
        task.end()
        #expect(try world.outcome(of: run) == .completed)
    }

    @Test("a process that was stopped without notice passes through suspended when it is continued")
    func stoppedWithoutNotice() {
        let run = world.run()
        world.post(.continued)
        #expect(world.seen.all == [.suspended, .active])
        #expect(world.stops.all == [])
        run.cancel()
        world.time.settle()
    }

    @Test("a sleep of the machine passes through suspended, once, when the kernel reports it")
    func machineSleep() {
        let run = world.run()
        sleepMachine(for: .seconds(1))
        #expect(world.seen.all == [.suspended, .active])
        world.time.moveWallClock(by: .seconds(3_600))
        #expect(world.seen.all == [.suspended, .active], "setting the clock is no sleep")
        sleepMachine(for: .seconds(3_600))
        #expect(world.seen.all == [.suspended, .active, .suspended, .active])
        run.cancel()
        world.time.settle()
    }

    @Test("a machine that sleeps while the process stands still makes one suspension of both")
    func sleepWhileStopped() {
        let run = world.run()
        world.post(.standStillRequested)
        sleepMachine(for: .seconds(60))
        #expect(world.seen.all == [.suspended])
        world.post(.continued)
        #expect(world.seen.all == [.suspended, .active])
        // A process that was stopped without notice enters the suspended phase only when it is continued, and then
        // becomes active at once.
        world.time.sleepMachine(for: .seconds(60))
        world.post(.continued)
        #expect(world.seen.all == [.suspended, .active, .suspended, .active])
        world.time.setWallClock(world.time.wall())
        #expect(world.seen.all == [.suspended, .active, .suspended, .active])
        run.cancel()
        world.time.settle()
    }

    @Test("a sleep of less than a second does not count, but short sleeps add up")
    func shortSleeps() {
        let run = world.run()
        sleepMachine(for: .milliseconds(999))
        #expect(world.seen.all == [])
        sleepMachine(for: .milliseconds(1))
        #expect(world.seen.all == [.suspended, .active])
        run.cancel()
        world.time.settle()
    }

    @Test("a sleep that was not reported is noticed with the host's next event, before it")
    func unreportedSleep() throws {
        let run = world.run()
        world.time.sleepMachine(for: .seconds(60))
        #expect(world.seen.all == [])
        world.send(.terminate)
        #expect(world.seen.all == [.suspended, .active, .background, .terminated])
        #expect(try world.outcome(of: run) == .completed)
    }

    @Test("the host needs no timer to notice suspensions")
    func noPolling() {
        let run = world.run()
        #expect(world.time.pendingTimerCount == 0)
        run.cancel()
        world.time.settle()
        #expect(world.time.leaks == [])
    }
}

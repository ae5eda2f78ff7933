import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusLinux

@Suite("The Linux host")
@MainActor
struct LinuxHostTests {
    private let world = HostInVirtualTime()
    private var host: LinuxHost { world.host }

    @Test("without background tasks the first signal is the end, through background to terminated")
    func idle() throws {
        let changes = host.phaseChanges()
        #expect(host.phase == .active)
        #expect(host.backgroundTimeRemaining == nil)
        let run = world.run()
        #expect(host.phase == .active)
        world.send(.terminate)
        #expect(try world.outcome(of: run) == .completed)
        let phases = try world.time.perform { () -> [Phase] in
            var phases: [Phase] = []
            for await phase in changes { phases.append(phase) }
            return phases
        }
        #expect(phases == [.background, .terminated])
        #expect(world.seen.all == [.background, .terminated])
        #expect(LinuxHost.Outcome.completed.exitCode == 0)
        #expect(throws: BackgroundError.self) { try host.beginBackgroundTask(named: "late") }
        world.time.settle()
        #expect(world.time.leaks == [])
    }

    @Test("any grace period and margin let a host stop", arguments: Duration.extremes)
    func extremePeriods(grace: Duration) throws {
        for margin in Duration.extremes {
            let world = HostInVirtualTime(grace: grace, margin: margin)
            let task = try world.host.beginBackgroundTask(named: "upload")
            let run = world.run()
            world.send(.terminate)
            if grace <= .zero {
                #expect(try world.outcome(of: run) == .cut(names: ["upload"]), "\(grace), \(margin)")
            } else {
                let remaining = try #require(world.host.backgroundTimeRemaining)
                #expect(remaining >= .zero && remaining <= grace, "\(grace), \(margin)")
                task.end()
                world.time.advance(by: .nanoseconds(1))
                _ = try world.outcome(of: run)
            }
        }
    }

    @Test("a background task keeps the process alive while the remaining time counts down")
    func keepsAlive() throws {
        let task = try host.beginBackgroundTask(named: "upload")
        let run = world.run()
        world.send(.interrupt)
        #expect(host.phase == .background)
        #expect(host.backgroundTimeRemaining == .seconds(30))
        world.time.advance(by: .seconds(10))
        #expect(host.backgroundTimeRemaining == .seconds(20))
        #expect(host.phase == .background)
        task.end()
        #expect(try world.outcome(of: run) == .completed)
        #expect(world.time.leaks == [], "the countdown leaves no timer")
    }

    @Test("a sleep of the machine is not part of the grace period")
    func sleepInTheGracePeriod() throws {
        let task = try host.beginBackgroundTask(named: "upload")
        let run = world.run()
        world.send(.terminate)
        world.time.sleepMachine(for: .seconds(3_600))
        #expect(host.backgroundTimeRemaining == .seconds(30))
        #expect(host.phase == .background)
        task.end()
        #expect(try world.outcome(of: run) == .completed)
    }

    @Test("near the end the tasks expire, on time and on the main loop, and those that wound up are not cut")
    func expires() throws {
        let expired = Log<UptimeInstant>()
        let start = world.time.uptime()
        let tasks = try ["upload", "sync"].map { name in
            try host.beginBackgroundTask(named: name) { [time = world.time] in expired.add(time.uptime()) }
        }
        let run = world.run()
        world.send(.terminate)
        world.time.advance(by: .milliseconds(25_999))
        #expect(expired.all == [])
        world.time.advance(by: .milliseconds(1))
        #expect(expired.all == [start.advanced(by: .seconds(26)), start.advanced(by: .seconds(26))])
        #expect(try world.outcome(of: run) == .completed)
        withExtendedLifetime(tasks) {}
        #expect(world.time.leaks == [])
    }

    @Test("the body of withBackgroundTask has the rest of the grace period to wind up")
    func windsUp() throws {
        let host = host
        let time = world.time
        let result = time.start {
            try await host.withBackgroundTask(named: "upload") {
                do {
                    try await host.engine.sleep(for: .seconds(3_600))
                    return "slept"
                } catch {
                    // This clean-up takes some time, and ignores the cancellation.
                    await withCheckedContinuation { continuation in
                        host.engine.schedule(after: .seconds(3)) { continuation.resume() }
                    }
                    return "wound up"
                }
            }
        }
        let run = world.run()
        world.send(.terminate)
        time.advance(by: .seconds(26))
        #expect(host.phase == .background)
        time.advance(by: .seconds(3))
        #expect(try world.outcome(of: run) == .completed)
        #expect(try time.perform { try await result.value } == "wound up")
    }

    @Test("a task that does not wind up is cut and named, and the exit code says so")
    func cuts() throws {
        let expired = Log<Bool>()
        var request = BackgroundTaskRequest(name: "deaf") { expired.add(true) }
        request.endsOnExpiration = false
        let deaf = try host.beginBackgroundTask(request)
        let good = try host.beginBackgroundTask(named: "good")
        let run = world.run()
        world.send(.terminate)
        good.end()
        world.time.advance(by: .seconds(26))
        #expect(expired.all == [true])
        #expect(throws: BackgroundError.self) { try host.beginBackgroundTask(named: "late") }
        world.time.advance(by: .seconds(4))
        #expect(host.backgroundTimeRemaining == .zero)
        #expect(try world.outcome(of: run) == .cut(names: ["deaf"]))
        #expect(LinuxHost.Outcome.cut(names: ["deaf"]).exitCode == 75)
        deaf.end()
    }

    @Test("a second signal expires the tasks at once, a third one ends the run")
    func impatience() throws {
        let expired = Log<Bool>()
        var request = BackgroundTaskRequest(name: "deaf") { expired.add(true) }
        request.endsOnExpiration = false
        let task = try host.beginBackgroundTask(request)
        let run = world.run()
        world.send(.interrupt)
        #expect(expired.all == [])
        world.send(.interrupt)
        #expect(expired.all == [true])
        #expect(host.phase == .background)
        #expect(host.backgroundTimeRemaining == .seconds(30))
        world.send(.interrupt)
        #expect(try world.outcome(of: run) == .cut(names: ["deaf"]))
        task.end()
    }

    @Test("a request to stop has the effect of a signal")
    func requestStop() throws {
        world.send.finish()
        let run = world.run()
        host.requestStop()
        #expect(try world.outcome(of: run) == .completed)
    }

    @Test("tasks that come and go while the process is active do not end it")
    func activeIdle() throws {
        try host.beginBackgroundTask(named: "before").end()
        let task = try host.beginBackgroundTask(named: "later")
        let run = world.run()
        #expect(host.phase == .active)
        world.send(.terminate)
        #expect(host.phase == .background)
        task.end()
        #expect(try world.outcome(of: run) == .completed)
    }

    @Test("cancelling the run ends it and names what was open")
    func cancellation() throws {
        let expired = Log<Bool>()
        let task = try host.beginBackgroundTask(named: "open") { expired.add(true) }
        let run = world.run()
        run.cancel()
        #expect(try world.outcome(of: run) == .cut(names: ["open"]))
        world.time.settle()
        #expect(expired.all == [true])
        task.end()
    }
}

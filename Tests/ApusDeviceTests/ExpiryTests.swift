import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The rules for the end of the time in the background.
///
/// The sources are developer.apple.com/forums/thread/85066, and the logs that ``SystemPolicy`` names.
@MainActor
@Suite("The end of the time in the background")
struct ExpiryTests {
    @Test("the handlers are called once, on the main loop, in one pass, in order, 4 s before the end")
    func handlers() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let tasks = try ["a", "b"].map { name in
                try host.beginBackgroundTask(named: name) {
                    MainActor.preconditionIsolated()
                    host.mainLoop.run { host.note("after the pass") }
                    host.note(name)
                }
            }
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(device.ownNotes == ["a", "b", "after the pass", "after the pass"])
            #expect(try device.delay(of: .backgroundTasksExpired(2)) == .seconds(26))
            #expect(device.log.filter { $0.what == .backgroundTaskEnded("a") }.count == 1)
            #expect(host.phase == .suspended)
            withExtendedLifetime(tasks) {}
        }
    }

    @Test("a background task that another task's handler has ended gets no call of its own handler")
    func endsAnother() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let second = Box(BackgroundTaskID.invalid)
            let first = Box(BackgroundTaskID.invalid)
            first.value = host.beginBackgroundTask(name: "first") {
                host.endBackgroundTask(first.value)
                host.endBackgroundTask(second.value)
            }
            second.value = host.beginBackgroundTask(name: "second") { host.note("never") }
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(device.ownNotes.isEmpty)
            #expect(device.ends.isEmpty)
        }
    }

    @Test("a handler that takes over a second causes a warning; one that takes a second does not")
    func slowHandler() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let slow = try host.beginBackgroundTask(named: "slow") { host.work(for: .milliseconds(1_001)) }
            let quick = try host.beginBackgroundTask(named: "quick") { host.work(for: .seconds(1)) }
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(
                device.warnings == [
                    "the expiration handler of “slow” took 1.001 seconds; it should return within 1.0 seconds"
                ])
            #expect(device.ends.isEmpty)
            withExtendedLifetime((slow, quick)) {}
        }
    }

    @Test("an app whose handlers take over 5 s together is ended at 5 s, but not if they take 5 s")
    func tooSlowHandlers() throws {
        for (milliseconds, survives) in [(Int64(2_500), true), (2_600, false)] {
            try SimulatedDevice.run { device in
                if !survives { device.expect(.slowHandlers) }
                let host = try device.launchProbe()
                let tasks = try ["a", "b"].map { name in
                    try host.beginBackgroundTask(named: name) {
                        host.work(for: .milliseconds(milliseconds))
                        host.note(name)
                    }
                }
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.ownNotes == (survives ? ["a", "b"] : ["a"]))
                #expect(device.ends.isEmpty == survives)
                guard !survives else { return }
                #expect(device.ends[0].hasPrefix("0x8badf00d watchdog"))
                #expect(try device.delay(of: .terminated(device.ends[0])) == .seconds(31))
                withExtendedLifetime(tasks) {}
            }
        }
    }

    @Test("an app with a background task without a handler is ended when the handlers are called")
    func noHandler() throws {
        try SimulatedDevice.run { device in
            device.expect(.backgroundTaskNotEnded)
            let host = try device.launchProbe()
            #expect(host.beginBackgroundTask(name: "forgotten") != .invalid)
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(try device.delay(of: .terminated(device.ends[0])) == .seconds(26))
        }
    }

    @Test(
        "an app that ends a task only in a later hop is ended after the handlers, with a reason and the place"
    )
    func laterHop() throws {
        try SimulatedDevice.run { device in
            device.expect(.backgroundTaskNotEnded)
            let host = try device.launchProbe()
            let id = Box(BackgroundTaskID.invalid)
            id.value = host.beginBackgroundTask(name: "sync", place: "App/Sync.swift:1") {
                host.mainLoop.run { host.endBackgroundTask(id.value) }
            }
            device.pressHome()
            device.advance(by: .seconds(60))
            let reason = try #require(device.ends.first)
            #expect(reason.contains("0x8badf00d") && reason.contains("“sync”"))
            #expect(try device.delay(of: .terminated(reason)) == .seconds(26))
            #expect(device.faults.first?.place == "App/Sync.swift:1")
            #expect(!device.log.contains { $0.what == .backgroundTaskEnded("sync") })
        }
    }

    @Test(
        "by the lenient policy, a task may be ended after its handler, with a warning, until no time is left")
    func lenient() throws {
        var policy = SystemPolicy()
        policy.unendedBackgroundTasks = .endsAppAtZero
        policy.backgroundTaskOverrunCode = .taskTimeout
        for (delay, survives) in [(Duration.seconds(3), true), (.seconds(5), false)] {
            try SimulatedDevice.run(policy: policy) { device in
                if !survives { device.expect(.backgroundTaskNotEnded) }
                let host = try device.launchProbe()
                let id = Box(BackgroundTaskID.invalid)
                id.value = host.beginBackgroundTask(name: "sync") {
                    host.engine.schedule(after: delay) { MainActor.assumeIsolated { host.endBackgroundTask(id.value) } }
                }
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.warnings.first?.contains("sync") == true)
                #expect(device.ends.isEmpty == survives)
                guard !survives else { return }
                #expect(device.ends.first?.hasPrefix("0x2182bad2 task timeout") == true)
                #expect(try device.delay(of: .terminated(device.ends[0])) == .seconds(30))
            }
        }
    }

    @Test("an app whose main thread is busy is ended for its background tasks when no time is left")
    func busyAtZero() throws {
        try SimulatedDevice.run { device in
            device.expect(.backgroundTaskNotEnded)
            let host = try device.launchProbe()
            let task = try host.beginBackgroundTask(named: "save") { host.note("expired") }
            host.engine.schedule(after: .seconds(20)) { host.work(for: .seconds(60)) }
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(device.ownNotes.isEmpty)
            #expect(try device.delay(of: .terminated(device.ends[0])) == .seconds(30))
            withExtendedLifetime(task) {}
        }
    }

    /// Apple says that the handlers are called shortly before the time is over
    /// ("beginBackgroundTask(withName:expirationHandler:)").
    @Test(
        "a background task that begins in a job with a used-up budget expires before the app is ended",
        arguments: [0, 1, 2] as [UInt64])
    func claimInJob(seed: UInt64) throws {
        var policy = SystemPolicy.impatient
        policy.suspensionDelay = .seconds(10)...(.seconds(10))
        try SimulatedDevice.run(seed: seed, policy: policy) { device in
            let late = Box<BackgroundTask?>(nil)
            let host = try device.launchJobApp { host, job in
                late.value = try? host.beginBackgroundTask(named: "late") { host.note("expired") }
                host.engine.schedule(after: .seconds(5)) {
                    MainActor.assumeIsolated { job.setCompleted(success: true) }
                }
            }
            try host.jobs.submitRequest(.refresh)
            let first = try host.beginBackgroundTask(named: "first") { host.note("first expired") }
            device.pressHome()
            device.advance(by: .seconds(33))
            #expect(device.appPhase == .background)
            device.launchJob("refresh")
            device.advance(by: .seconds(60))
            #expect(device.ownNotes == ["first expired", "runs refresh", "expired"])
            #expect(device.ends.isEmpty)
            #expect(device.appPhase == .suspended)
            withExtendedLifetime((first, late)) {}
        }
    }
}

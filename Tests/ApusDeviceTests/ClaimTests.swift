import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The rules of Apple's background-task notes, developer.apple.com/forums/thread/85066, and of the documentation.
@MainActor
@Suite("Background tasks on the simulated device")
struct ClaimTests {
    @Test("a background task keeps an app's own work going in the background; without one it stops")
    func keepsRunning() throws {
        for claims in [true, false] {
            try SimulatedDevice.run { device in
                let host = try device.launchProbe()
                let task = claims ? try host.beginBackgroundTask(named: "save") : nil
                host.engine.schedule(after: .seconds(10)) {
                    host.note("saved")
                    task?.end()
                }
                device.pressHome()
                device.advance(by: .seconds(20))
                #expect(device.ownNotes == (claims ? ["saved"] : []))
                #expect(host.phase == .suspended)
            }
        }
    }

    @Test("background tasks are begun and ended, and the remaining time read, off the main actor")
    func offMain() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            device.pressHome()
            host.start {
                let id = host.beginBackgroundTask(name: "raw")
                host.note("\(host.backgroundTimeRemaining ?? .zero)")
                host.endBackgroundTask(id)
            }
            device.advance(by: .zero)
            #expect(device.ownNotes == ["30.0 seconds"])
        }
    }

    @Test("an app that is suspended before it requests time never requests it")
    func neverAsked() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            host.engine.schedule(after: .seconds(5)) { _ = host.beginBackgroundTask(name: "late") }
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(!device.log.contains { $0.what == .backgroundTaskBegan("late") })
        }
    }

    @Test("a background task that is requested too late is refused: its handler is called, and Apus throws tooLate")
    func tooLate() throws {
        var policy = SystemPolicy()
        // After the expiration handlers have returned, the app still runs for a second.
        policy.suspensionDelay = .seconds(1)...(.seconds(1))
        try SimulatedDevice.run(policy: policy) { device in
            let host = try device.launchProbe()
            let first = try host.beginBackgroundTask(named: "first") { host.note("first expired") }
            _ = first
            host.engine.schedule(after: .milliseconds(26_010)) {
                do {
                    _ = try host.beginBackgroundTask(named: "second") { host.note("second expired") }
                } catch {
                    host.note("\((error as? BackgroundError)?.code.description ?? "")")
                }
                let raw = host.beginBackgroundTask(name: "raw") { host.note("raw expired") }
                host.endBackgroundTask(raw)
            }
            device.pressHome()
            device.advance(by: .seconds(27))
            #expect(device.ownNotes == ["first expired", "tooLate", "second expired", "raw expired"])
            #expect(device.log.contains { $0.what == .backgroundTaskRefused("second") })
            #expect(device.warnings.isEmpty, "a refused identifier may be ended")
        }
    }

    @Test("a policy that grants late background tasks expires them at once")
    func lateButGranted() throws {
        var policy = SystemPolicy()
        policy.refusesLateBackgroundTasks = false
        policy.suspensionDelay = .seconds(1)...(.seconds(1))
        try SimulatedDevice.run(policy: policy) { device in
            let host = try device.launchProbe()
            let first = try host.beginBackgroundTask(named: "first")
            _ = first
            let app = try device.probe
            host.engine.schedule(after: .milliseconds(26_010)) {
                host.mainLoop.run {
                    guard
                        let task = try? host.beginBackgroundTask(
                            named: "second", onExpiration: { host.note("expired") })
                    else { return }
                    app.kept.append(task)
                    host.note("granted")
                }
            }
            device.pressHome()
            device.advance(by: .milliseconds(26_010))
            #expect(device.ownNotes == ["granted", "expired"])
        }
    }

    @Test("if the policy grants no background tasks, the identifier is invalid, and Apus throws and calls the handler")
    func invalid() throws {
        var policy = SystemPolicy()
        policy.givesInvalidBackgroundTasks = true
        try SimulatedDevice.run(policy: policy) { device in
            let host = try device.launchProbe()
            #expect(host.beginBackgroundTask(name: "raw") { host.note("raw") } == .invalid)
            #expect(throws: BackgroundError.self) {
                try host.beginBackgroundTask(named: "apus") { host.note("wound up") }
            }
            device.advance(by: .zero)
            #expect(device.ownNotes == ["wound up"])
        }
    }

    @Test("background tasks overlap, each is ended separately, and the app is suspended after the last one")
    func parallel() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let (a, b) = (host.beginBackgroundTask(name: "a"), host.beginBackgroundTask(name: "b"))
            #expect(a != b)
            device.pressHome()
            device.advance(by: .seconds(5))
            host.endBackgroundTask(a)
            device.advance(by: .seconds(5))
            #expect(host.phase == .background)
            host.endBackgroundTask(b)
            device.advance(by: .seconds(3))
            #expect(host.phase == .suspended)
        }
    }

    @Test("two background tasks share one budget: a second task that begins later adds no time")
    func sharedBudget() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let first = try host.beginBackgroundTask(named: "first")
            device.pressHome()
            device.advance(by: .seconds(20))
            #expect(host.backgroundTimeRemaining == .seconds(10))
            let second = try host.beginBackgroundTask(named: "second")
            first.end()
            #expect(host.backgroundTimeRemaining == .seconds(10))
            device.advance(by: .seconds(20))
            #expect(try device.delay(of: .backgroundTasksExpired(1)) == .seconds(26))
            withExtendedLifetime(second) {}
        }
    }

    @Test("a background task that begins in the foreground consumes no budget until the app leaves it")
    func dormant() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let task = try host.beginBackgroundTask(named: "save")
            device.advance(by: .seconds(3_600))
            #expect(host.backgroundTimeRemaining == nil)
            device.pressHome()
            #expect(host.backgroundTimeRemaining == .seconds(30))
            device.advance(by: .seconds(60))
            #expect(try device.delay(of: .backgroundTasksExpired(1)) == .seconds(26))
            withExtendedLifetime(task) {}
        }
    }

    @Test("a return to the foreground gives a new budget")
    func newBudget() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let task = try host.beginBackgroundTask(named: "save")
            device.pressHome()
            device.advance(by: .seconds(20))
            device.open()
            #expect(host.backgroundTimeRemaining == nil)
            device.pressHome()
            device.advance(by: .seconds(20))
            #expect(host.backgroundTimeRemaining == .seconds(10))
            task.end()
        }
    }

    @Test("the remaining time is unlimited in the foreground and counts down in the background")
    func remaining() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            #expect(host.backgroundTimeRemaining == nil)
            let task = try host.beginBackgroundTask(named: "save")
            device.pressHome()
            device.advance(by: .seconds(12))
            #expect(host.backgroundTimeRemaining == .seconds(18))
            task.end()
        }
    }

    @Test("a background task that is dropped before its end is a fault with the place where it began")
    func dropped() throws {
        try SimulatedDevice.run { device in
            device.expect(.backgroundTaskDropped)
            let host = try device.launchProbe()
            _ = try host.beginBackgroundTask(named: "leak")
            #expect(device.faults.count == 1)
            #expect(device.faults.first?.place?.hasPrefix("ApusDeviceTests/ClaimTests.swift:") == true)
            #expect(device.log.contains { $0.what == .backgroundTaskEnded("leak") })
        }
    }

    @Test("a thousand background tasks are accepted, one more ends the app")
    func tooMany() throws {
        try SimulatedDevice.run { device in
            device.expect(.tooManyBackgroundTasks)
            let host = try device.launchProbe()
            for _ in 0..<1000 { #expect(host.beginBackgroundTask(name: "one") != .invalid) }
            #expect(device.ends.isEmpty)
            #expect(host.beginBackgroundTask(name: "last") == .invalid)
            device.advance(by: .zero)
            #expect(device.ends.first?.hasPrefix("0xbada5e47") == true)
            #expect(device.app == nil)
        }
    }

    /// Holds a background task and renews it, in the hope of more time.
    private final class Renewal: Sendable {
        private let host: SimulatedHost
        private let task = Locked<BackgroundTaskID?>(nil)

        init(_ host: SimulatedHost) { self.host = host }

        func renew() {
            if let old = task.exchange(\.self, with: nil) { host.endBackgroundTask(old) }
            let new = host.beginBackgroundTask(name: "upload") { self.renew() }
            task.withLock { $0 = new }
        }
    }

    /// Tests a published pattern, in which the handler ends the background task and begins another one.
    @Test("an app whose expiration handler begins a background task again and again is ended")
    func renewedInHandler() throws {
        try SimulatedDevice.run { device in
            device.expect(.backgroundTaskInHandler)
            let host = try device.launchProbe()
            let renewal = Renewal(host)
            renewal.renew()
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(device.ends.first?.hasPrefix("0x8badf00d") == true)
            #expect(device.faults.first?.message.contains("“upload”") == true)
            #expect(device.log.count { $0.what == .backgroundTaskRefused("upload") } == 1000)
        }
    }

    @Test("the limit of open background tasks is not a limit of refusals at one instant")
    func refusedBesideEachOther() throws {
        var policy = SystemPolicy()
        policy.backgroundTaskLimit = 1
        try SimulatedDevice.run(policy: policy) { device in
            let host = try device.launchProbe()
            let first = try host.beginBackgroundTask(named: "first")
            _ = first
            host.engine.schedule(after: .milliseconds(26_010)) {
                for _ in 0..<3 { host.endBackgroundTask(host.beginBackgroundTask(name: "late")) }
            }
            device.pressHome()
            device.advance(by: .milliseconds(26_010))
            #expect(device.log.count { $0.what == .backgroundTaskRefused("late") } == 3)
            #expect(device.host != nil)
        }
    }

    @Test("an app that never comes to rest at an instant is ended, and the fault has the events that it repeats")
    func neverAtRest() throws {
        for isLogged in [false, true] {
            try SimulatedDevice.run { device in
                device.expect(.neverAtRest)
                let host = try device.launchProbe()
                @Sendable func again(_ count: Int) {
                    if isLogged, count < 1_000 { host.note("again") }
                    host.mainLoop.run { again(count + 1) }
                }
                host.engine.schedule(after: .seconds(5)) { again(0) }
                device.advance(by: .seconds(60))
                let what = isLogged ? "most often in the log: “note: again” × 1000" : "none of it is in the log"
                #expect(device.faults.first?.message.contains(what) == true)
                #expect(device.host == nil)
            }
        }
    }

    @Test("an app whose timer schedules the next one for the same instant is ended", arguments: [1, 200])
    func timersNeverAtRest(timers: Int) throws {
        try SimulatedDevice.run { device in
            device.expect(.neverAtRest)
            let host = try device.launchProbe()
            let handler = Locked<TimerHandler?>(nil)
            @Sendable func again() {
                guard let handler = handler.withLock({ $0 }) else { return }
                host.engine.schedule(after: .zero, handler: handler, token: 0)
            }
            handler.withLock { $0 = TimerHandler { _ in again() } }
            for _ in 0..<timers { host.engine.schedule(after: .seconds(5)) { again() } }
            device.advance(by: .seconds(60))
            #expect(device.faults.count == 1 && device.faults.first?.rule == .neverAtRest)
            #expect(device.host == nil)
            handler.withLock { $0 = nil }
        }
    }

    @Test("a lot of work at one instant is no fault if it ends")
    func muchWork() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            @Sendable func again(_ left: Int) { if left > 0 { host.mainLoop.run { again(left - 1) } } }
            again(200_000)
            device.advance(by: .seconds(1))
            #expect(device.host != nil)
        }
    }

    @Test("a background task that is held for 30 s causes one warning, in the foreground too")
    func longClaim() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let id = host.beginBackgroundTask(name: "long")
            device.advance(by: .milliseconds(29_999))
            #expect(device.warnings.isEmpty)
            device.advance(by: .seconds(60))
            #expect(device.warnings.count == 1)
            #expect(device.warnings.first?.contains("long") == true)
            host.endBackgroundTask(id)
            device.advance(by: .seconds(60))
            #expect(device.warnings.count == 1)
        }
    }

    @Test("ending an identifier twice or an unknown one is only a warning; ending Apus's task twice is silent")
    func doubleEnd() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let id = host.beginBackgroundTask(name: "once")
            host.endBackgroundTask(id)
            host.endBackgroundTask(id)
            host.endBackgroundTask(.invalid)
            #expect(
                device.warnings == [
                    "there is no open background task 1 to end",
                    "there is no open background task invalid to end",
                ])
            let task = try host.beginBackgroundTask(named: "twice")
            task.end()
            task.end()
            #expect(device.warnings.count == 2)
        }
    }

    /// Tests identifiers that outlive a process.
    ///
    /// On a phone, identifiers end with their process. In a test's process, a thread or a variable may still have an
    /// identifier of an earlier process.
    @Test("an identifier of an earlier process or another device ends no background task, and causes a warning")
    func staleIdentifier() throws {
        let foreign = try SimulatedDevice.run { device in
            device.install { ProbeApp($0) }
            device.launch()
            return try #require(device.host).beginBackgroundTask(name: "foreign")
        }
        try SimulatedDevice.run { device in
            let stale = try device.launchProbe().beginBackgroundTask(name: "old")
            device.kill()
            device.launch()
            let host = try #require(device.host)
            let new = host.beginBackgroundTask(name: "new")
            host.endBackgroundTask(stale)
            host.endBackgroundTask(foreign)
            #expect(!device.log.contains { $0.what == .backgroundTaskEnded("new") })
            #expect(
                device.warnings == [
                    "background task 1 was begun by an earlier process of the app, so it is not ended here",
                    "background task 1 was begun on another device, so it is not ended here",
                ])
            host.endBackgroundTask(new)
            #expect(device.log.contains { $0.what == .backgroundTaskEnded("new") })
            #expect(device.warnings.count == 2)
        }
    }

    @Test(
        "a call of an ended process about background tasks is dropped, and the log names the process and the call"
    )
    func callsOfTheDead() throws {
        try SimulatedDevice.run { device in
            let first = try device.launchProbe()
            let claim = first.beginBackgroundTask(name: "old")
            device.kill()
            device.launch()
            let second = try #require(device.host)
            first.endBackgroundTask(claim)
            #expect(first.beginBackgroundTask(name: "late") == .invalid)
            #expect(
                device.warnings == [
                    "process 1 has ended, so its call endBackgroundTask(1) has no effect",
                    "process 1 has ended, so its call beginBackgroundTask(“late”) has no effect",
                ])
            device.kill()
            second.endBackgroundTask(.invalid)
            #expect(device.warnings.last == "process 2 has ended, so its call endBackgroundTask(invalid) has no effect")
            #expect(!device.log.contains { $0.what == .backgroundTaskBegan("late") })
        }
    }

    @Test("a background task without a name is named after the calling function")
    func nameless() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            host.endBackgroundTask(host.beginBackgroundTask())
            #expect(device.log.contains { $0.what == .backgroundTaskBegan("Called from nameless()") })
        }
    }

    @Test("withBackgroundTask cancels its body on expiry, and the app is suspended, not ended")
    func structured() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            host.start {
                do {
                    try await host.withBackgroundTask(named: "long") {
                        try await host.engine.sleep(for: .seconds(3_600))
                    }
                } catch {
                    host.note("cancelled: \(error is CancellationError)")
                }
            }
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(device.ownNotes == ["cancelled: true"])
            #expect(host.phase == .suspended)
            #expect(device.ends.isEmpty)
        }
    }
}

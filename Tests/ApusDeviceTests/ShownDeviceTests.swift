import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("What a person sees of a simulated device")
struct ShownDeviceTests {
    @Test("the screen, the process's phase and the switcher follow the user's actions")
    func showing() throws {
        try SimulatedDevice.run { device in
            #expect(device.showing == .home)
            #expect(device.appPhase == nil)
            #expect(!device.isInSwitcher)
            #expect(device.launchCount == 0)
            _ = try device.launchProbe()
            #expect(device.showing == .app)
            #expect(device.appPhase == .active)
            #expect(device.isInSwitcher)
            device.openAppSwitcher()
            #expect(device.showing == .switcher)
            #expect(device.appPhase == .inactive)
            device.open()
            device.lock()
            #expect(device.showing == .lock)
            #expect(device.appPhase == .background)
            device.advance(by: .seconds(60))
            #expect(device.appPhase == .suspended)
            device.unlock()
            #expect(device.showing == .app)
            device.receiveCall()
            #expect(device.isInCall)
            #expect(device.appPhase == .inactive)
            device.endCall()
            device.swipeAway()
            #expect(device.showing == .home)
            #expect(device.appPhase == nil)
            #expect(!device.isInSwitcher)
            device.reboot()
            #expect(device.bootNumber == 2)
            device.open()
            #expect(device.launchCount == 2)
        }
    }

    @Test("during scrolling, work of the default mode waits, and work of the common mode runs")
    func scrolling() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            device.beginScrolling()
            #expect(device.isScrolling)
            host.mainLoop.run(in: .default) { host.note("default") }
            host.mainLoop.run(in: .common) { host.note("common") }
            device.advance(by: .seconds(5))
            #expect(device.ownNotes == ["common"])
            device.endScrolling()
            #expect(!device.isScrolling)
            #expect(device.ownNotes == ["common", "default"])
        }
    }

    @Test("only an active app is scrolled, and entering the background ends the scrolling")
    func noScrolling() throws {
        try SimulatedDevice.run { device in
            device.beginScrolling()
            let host = try device.launchProbe()
            #expect(!device.isScrolling)
            device.beginScrolling()
            device.pressHome()
            #expect(!device.isScrolling)
            device.beginScrolling()
            host.mainLoop.run(in: .default) { host.note("default") }
            device.advance(by: .zero)
            #expect(device.ownNotes == ["default"])
        }
    }

    @Test("a phase is reported to the test before the app is notified of it, and so is a suspension")
    func phases() throws {
        try SimulatedDevice.run { device in
            var seen: [String] = []
            device.onPhase = { [unowned device] phase in
                seen.append("\(phase) \((device.app as? ProbeApp)?.phases.count ?? 0)")
            }
            _ = try device.launchProbe()
            device.pressHome()
            device.advance(by: .seconds(10))
            #expect(seen == ["inactive 0", "active 1", "inactive 2", "background 3", "suspended 4"])
        }
    }

    @Test("a notification is shown with its content and its instant until it is opened")
    func notifications() throws {
        try SimulatedDevice.run { device in
            device.notifications.setAuthorization(.authorized)
            let begin = device.time.wall()
            _ = try device.launchProbe()
            device.notifications.add(
                NotificationRequest(
                    identifier: "tea", notification: UserNotification(title: "Tea", body: "Now"),
                    trigger: .after(.seconds(60))))
            device.pressHome()
            #expect(device.notifications.shown.isEmpty)
            device.advance(by: .seconds(300))
            let shown = try #require(device.notifications.shown.first)
            #expect(shown.request.notification == UserNotification(title: "Tea", body: "Now"))
            #expect(shown.instant == begin.advanced(by: .seconds(60)))
            #expect(device.notifications.tap("tea"))
            #expect(device.notifications.shown.isEmpty)
        }
    }

    @Test("a skip ends with the next event, at its instant, and before any later work")
    func skips() async throws {
        try await SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let begin = device.time.uptime()
            host.engine.schedule(after: .seconds(20)) { host.note("twenty") }
            host.engine.schedule(after: .seconds(20.5)) { host.note("later") }
            let timer = try RepeatingTimer(every: .seconds(3), engine: host.engine) { _ in }
            timer.resume()
            let event = await device.skipToNextEvent()
            #expect(event?.what == .note("twenty"))
            #expect(begin.duration(to: device.time.uptime()) == .seconds(20))
            #expect(device.ownNotes == ["twenty"])
            await device.skipToNextEvent()
            #expect(device.ownNotes == ["twenty", "later"])
            #expect(await device.skipToNextEvent(within: .seconds(100)) == nil)
            #expect(begin.duration(to: device.time.uptime()) == .seconds(120.5))
        }
    }
}

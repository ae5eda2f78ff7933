import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The rule that an alert of the system interrupts the app in front.
///
/// The source is Apple, documentation/uikit/uiapplicationdelegate/applicationwillresignactive(_:). The page does not
/// say whether the app gets the user's answer before it becomes active again.
@MainActor
@Suite("The system's questions for permission")
struct PermissionTests {
    @Test("the app is inactive while the user is asked, and is asked once")
    func inactive() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            device.advance(by: .seconds(1))
            for _ in 1...2 {
                host.start { host.note("\(await host.notifications.requestAuthorization())") }
                host.start { host.note("\(await host.location.requestAuthorization(.whenInUse))") }
                device.advance(by: .seconds(1))
            }
            #expect(
                device.notes.dropFirst(2) == [
                    "hears inactive", "authorized", "whenInUse", "hears active", "authorized", "whenInUse",
                ])
            #expect(device.appPhase == .active)
        }
    }

    @Test("quiet notifications are allowed without a question")
    func provisional() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            host.start { host.note("\(await host.notifications.requestAuthorization(provisional: true))") }
            device.advance(by: .seconds(1))
            #expect(device.notes.dropFirst(2) == ["provisional"])
        }
    }

    @Test("a question for a permission during the launch is asked when the app is active")
    func inLaunch() throws {
        try SimulatedDevice.run { device in
            device.install { host in
                host.start { host.note("\(await host.notifications.requestAuthorization())") }
                return ProbeApp(host)
            }
            device.launch()
            #expect(
                device.notes == ["hears inactive", "hears active", "hears inactive", "authorized", "hears active"])
        }
    }

    @Test("a question for a permission in the background is asked in front, unless the process has ended")
    func inBackground() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let claim = host.beginBackgroundTask(name: "asks")
            device.pressHome()
            host.start { host.note("\(await host.location.requestAuthorization(.whenInUse))") }
            device.advance(by: .seconds(1))
            #expect(device.ownNotes == [])
            #expect(device.location.authorization == .notDetermined)
            device.open()
            #expect(device.notes.suffix(3) == ["hears inactive", "whenInUse", "hears active"])
            device.pressHome()
            host.start { host.note("\(await host.notifications.requestAuthorization())") }
            device.advance(by: .seconds(1))
            host.endBackgroundTask(claim)
            device.kill()
            device.launch()
            device.advance(by: .seconds(1))
            #expect(device.notifications.authorization == .notDetermined)
            #expect(device.ownNotes == ["whenInUse"])
        }
    }

    @Test("a question that is asked during a call waits until the call has ended")
    func callBeforeAnswer() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            device.receiveCall()
            host.start { host.note("\(await host.notifications.requestAuthorization())") }
            device.advance(by: .seconds(1))
            #expect(device.ownNotes == [])
            device.endCall()
            #expect(device.notes.suffix(4) == ["hears active", "hears inactive", "authorized", "hears active"])
        }
    }
}

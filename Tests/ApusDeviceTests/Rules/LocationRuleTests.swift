import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The rules of Apple, documentation/corelocation/cllocationmanager/allowsbackgroundlocationupdates, and
/// documentation/corelocation/handling-location-updates-in-the-background.
@MainActor
@Suite("Location on the simulated device")
struct LocationRuleTests {
    private let declared = AppManifest(backgroundModes: [.location])

    private func launch(
        _ device: SimulatedDevice, _ manifest: AppManifest, allowing authorization: LocationAuthorization
    ) throws -> SimulatedHost {
        let host = try device.launchProbe(manifest)
        device.location.setRoute(.north)
        device.location.setAuthorization(authorization)
        return host
    }

    @Test(
        "with “when in use”, updates that start in front continue in the background and keep the app running"
    )
    func background() throws {
        try SimulatedDevice.run { device in
            let host = try launch(device, declared, allowing: .whenInUse)
            try device.follow(inBackground: true)
            device.pressHome()
            device.advance(by: .seconds(300))
            #expect(host.phase == .background)
            #expect(host.backgroundTimeRemaining == nil)
            #expect(device.ownNotes == (0...30).map { "at \($0)" })
            device.lock()
            device.advance(by: .seconds(10))
            #expect(device.ownNotes.last == "at 31")
        }
    }

    @Test("an app that stops its updates in the background is suspended")
    func stop() throws {
        try SimulatedDevice.run { device in
            let host = try launch(device, declared, allowing: .whenInUse)
            try device.follow(inBackground: true)
            device.pressHome()
            device.advance(by: .seconds(100))
            try device.inApp { $0.location.stop() }
            #expect(device.ownNotes.last == "no more updates")
            device.advance(by: .seconds(2))
            #expect(host.phase == .suspended)
        }
    }

    @Test("without inBackground the app is suspended, and gets the updates that it missed on its next run, in order")
    func missed() throws {
        try SimulatedDevice.run { device in
            let host = try launch(device, declared, allowing: .whenInUse)
            try device.follow(inBackground: false)
            device.pressHome()
            device.advance(by: .seconds(95))
            #expect(host.phase == .suspended)
            #expect(device.ownNotes == ["at 0"])
            device.open()
            #expect(device.ownNotes == (0...9).map { "at \($0)" })
            device.advance(by: .seconds(5))
            #expect(device.ownNotes.last == "at 10")
        }
    }

    @Test("updates that the user has denied, or was not asked about, are an error")
    func denied() throws {
        for authorization in [LocationAuthorization.denied, .notDetermined] {
            try SimulatedDevice.run { device in
                _ = try launch(device, declared, allowing: authorization)
                try device.follow(inBackground: true)
                #expect(device.ownNotes == ["error modeUnavailable"])
            }
        }
    }

    @Test("inBackground without the declared mode is an error, and ends an app that uses the raw service")
    func undeclared() throws {
        try SimulatedDevice.run { device in
            device.expect(.undeclaredLocationMode)
            let host = try launch(device, AppManifest(), allowing: .always)
            try device.follow(inBackground: true)
            #expect(device.ownNotes == ["error modeUnavailable"])
            host.location.startUpdating(LocationSettings(inBackground: true)) { _ in host.note("an update") }
            device.advance(by: .seconds(60))
            #expect(device.ownNotes.count == 1)
            #expect(device.host == nil)
        }
    }

    @Test("updates can be started in the background only with “always”")
    func startInBackground() throws {
        for authorization in [LocationAuthorization.whenInUse, .always] {
            try SimulatedDevice.run { device in
                let host = try launch(device, declared, allowing: authorization)
                let task = try host.beginBackgroundTask(named: "start")
                device.pressHome()
                try device.follow(inBackground: true)
                task.end()
                device.advance(by: .seconds(60))
                #expect(host.phase == (authorization == .always ? .background : .suspended))
                #expect(device.ownNotes.first == (authorization == .always ? "at 0" : "error modeUnavailable"))
            }
        }
    }

    @Test("an app that is being launched to the front may start updates with “when in use”")
    func startAtLaunch() throws {
        for usesScenes in [true, false] {
            try SimulatedDevice.run { device in
                device.install(AppManifest(backgroundModes: [.location], usesScenes: usesScenes)) { host in
                    host.location.startUpdating(LocationSettings(inBackground: true)) { update in
                        if case .update(.position) = update { host.note("a position") }
                    }
                    return ProbeApp(host)
                }
                device.location.setAuthorization(.whenInUse)
                device.location.setRoute(.north)
                device.launch()
                #expect(device.ownNotes == ["a position"])
                #expect(device.warnings.isEmpty)
            }
        }
    }

    @Test("when the user withdraws the permission in the background, the app is notified and suspended")
    func takenAway() throws {
        try SimulatedDevice.run { device in
            let host = try launch(device, declared, allowing: .always)
            try device.follow(inBackground: true)
            device.pressHome()
            device.advance(by: .seconds(10))
            device.location.setAuthorization(.denied)
            device.advance(by: .seconds(60))
            #expect(device.ownNotes == ["at 0", "at 1", "now denied"])
            #expect(host.phase == .suspended)
        }
    }

    @Test("when the phone does not move, updates pause and the app is suspended; a move does not resume them")
    func standsStill() throws {
        try SimulatedDevice.run { device in
            let host = try launch(device, declared, allowing: .whenInUse)
            device.location.setRoute(.standing(at: LocationRoute.Place(latitude: 1, longitude: 1)))
            try device.follow(inBackground: true)
            device.pressHome()
            device.advance(by: .seconds(599))
            #expect(host.phase == .background)
            device.advance(by: .seconds(4))
            #expect(host.phase == .suspended)
            device.location.setRoute(.north)
            device.advance(by: .seconds(60))
            #expect(host.phase == .suspended)
            device.open()
            device.advance(by: .seconds(60))
            #expect(device.ownNotes == ["at 1"])
            try device.follow(inBackground: true)
            #expect(device.ownNotes.last == "error modeUnavailable", "until it is launched again")
        }
    }
}

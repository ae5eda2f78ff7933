import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("The device's parts when a process ends or the device restarts")
struct ProcessEndRuleTests {
    private static let ends: [(name: String, @MainActor @Sendable (SimulatedDevice) -> Void)] = [
        ("crash", { $0.kill() }), ("force quit", { $0.swipeAway() }), ("restart", { $0.reboot() }),
        ("update", { $0.install(AppManifest(backgroundModes: [.audio, .location])) { ProbeApp($0) } }),
    ]

    @Test("audio and location end with their process, and pending notifications are kept")
    func ends() throws {
        for (name, end) in Self.ends {
            try SimulatedDevice.run { device in
                _ = try device.launchProbe(AppManifest(backgroundModes: [.audio, .location]))
                device.notifications.setAuthorization(.authorized)
                device.location.setAuthorization(.always)
                device.location.setRoute(.north)
                try device.play()
                try device.follow(inBackground: true)
                try device.inApp {
                    try await $0.notifications.schedule(NotificationRequest("tea", after: .seconds(600)))
                }
                device.pressHome()
                device.advance(by: .seconds(30))
                end(device)
                #expect(device.app == nil, "\(name)")
                #expect(device.audio.state == AudioState(), "\(name)")
                #expect(!device.audio.isSessionActive, "\(name)")
                let notes = device.ownNotes
                device.advance(by: .seconds(60))
                #expect(device.ownNotes == notes, "\(name)")
                #expect(device.time.pendingTimerCount == 1, "\(name): the notification's, and no other")
                device.advance(by: .seconds(600))
                #expect(device.deliveries() == ["tea"], "\(name)")
            }
        }
    }

    @Test("the next process begins without a queue and updates, and is suspended like any other")
    func next() throws {
        try SimulatedDevice.run { device in
            _ = try device.launchProbe(AppManifest(backgroundModes: [.audio, .location]))
            device.location.setAuthorization(.always)
            try device.play()
            try device.follow(inBackground: true)
            device.kill()
            device.open()
            device.pressHome()
            device.advance(by: .seconds(3))
            #expect(device.host?.phase == .suspended)
            device.open()
            try device.play()
            #expect(device.audio.state.isPlaying)
        }
    }

    @Test("the app's handlers are released with the process, so that they retain nothing of it")
    func handlers() throws {
        try SimulatedDevice.run { device in
            let app = try { () throws -> Weak in
                _ = try device.launchProbe()
                let app = try device.probe
                device.audio.onSessionEvent = { _ in app.kept = [] }
                device.notifications.onTap = { _ in app.kept = [] }
                device.notifications.onForegroundDelivery = { _ in app.kept.isEmpty ? .none : .shown }
                device.location.setAuthorization(.always)
                device.location.startUpdating(LocationSettings()) { _ in app.kept = [] }
                return Weak(app)
            }()
            #expect(app.object != nil)
            device.kill()
            #expect(app.object == nil)
        }
    }

    @Test("a device that is released ends its running process")
    func dropped() throws {
        let host = try { () throws -> Weak in
            let device = SimulatedDevice()
            _ = try device.launchProbe(AppManifest(backgroundModes: [.audio]))
            try device.play()
            return Weak(try #require(device.host))
        }()
        #expect(host.object == nil)
    }

    @Test("permissions and the phone's route survive an update of the app, whose declarations hold at once")
    func update() throws {
        try SimulatedDevice.run { device in
            device.location.setAuthorization(.whenInUse)
            device.location.setRoute(.north)
            let (audio, location) = (device.audio, device.location)
            _ = try device.launchProbe(AppManifest())
            try device.follow(inBackground: true)
            #expect(device.ownNotes == ["error modeUnavailable"])
            _ = try device.launchProbe(AppManifest(backgroundModes: [.location]))
            try device.follow(inBackground: true)
            #expect(device.ownNotes.last == "at 0")
            #expect(device.audio === audio && device.location === location)
        }
    }

    @Test("a notification that is due during a restart is delivered late, and later ones stay pending")
    func reboot() throws {
        try SimulatedDevice.run { device in
            _ = try device.launchProbe()
            device.notifications.setAuthorization(.authorized)
            try device.inApp { host in
                for (name, seconds) in [("early", 10), ("late", 600)] {
                    try await host.notifications.schedule(NotificationRequest(name, after: .seconds(seconds)))
                }
            }
            let start = device.time.wall()
            device.reboot()
            #expect(device.deliveries() == ["early"])
            device.advance(until: start.advanced(by: .seconds(599)))
            #expect(device.deliveries() == ["early"])
            device.advance(until: start.advanced(by: .seconds(600)))
            #expect(device.deliveries() == ["early", "late"])
            #expect(device.app == nil)
        }
    }

    @Test("a call ends when the device restarts, and the app can play again")
    func rebootInCall() throws {
        try SimulatedDevice.run { device in
            _ = try device.launchProbe(AppManifest(backgroundModes: [.audio]))
            device.receiveCall()
            device.reboot()
            device.open()
            try device.play()
            #expect(device.ownNotes.isEmpty)
            #expect(device.audio.state.isPlaying)
        }
    }

    @Test("an app that is installed during a call has no sound until the call ends")
    func installInCall() throws {
        try SimulatedDevice.run { device in
            device.receiveCall()
            _ = try device.launchProbe(AppManifest(backgroundModes: [.audio]))
            try device.play()
            #expect(device.ownNotes == ["error modeUnavailable"])
            device.endCall()
            try device.play()
            #expect(device.audio.state.isPlaying)
        }
    }

    @Test("the rest of a function whose process was ended has no effect on the parts")
    func rest() throws {
        try SimulatedDevice.run { device in
            device.expect(.slowBackgroundEntry)
            device.notifications.setAuthorization(.authorized)
            let host = try device.launchProbe(AppManifest(backgroundModes: [.audio])) { app, phase in
                guard phase == .background else { return }
                app.host.work(for: .seconds(6))
                app.host.notifications.add(NotificationRequest("tea", after: .seconds(60)))
                _ = app.host.audio.activateSession(.playback)
            }
            device.pressHome()
            #expect(host.phase == .terminated)
            #expect(!device.audio.isSessionActive)
            device.advance(by: .seconds(60))
            #expect(device.deliveries().isEmpty)
        }
    }
}

@MainActor
private final class Weak {
    weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
}

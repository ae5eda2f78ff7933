import ApusBackground
import ApusTimers
import Testing

@testable import ApusDevice

/// Random programs over the whole device: its controls, its parts, and an app that uses them.
@MainActor
@Suite("Random use of the whole device")
struct RandomUseTests {
    /// Installs an app that does random things in each phase and for each event.
    private static func install(on device: SimulatedDevice, _ random: SeededRandom) {
        let modes: [Set<AppManifest.BackgroundMode>] = [[], [.audio], [.location], [.audio, .location]]
        let manifest = AppManifest(
            backgroundModes: modes[Int(random.next() % 4)], usesScenes: random.next() % 2 == 0)
        device.install(manifest, trackDurations: ["2": .seconds(20), "3": .zero]) { host in
            host.notifications.onForegroundDelivery = { request in
                host.note("asked about \(request.identifier)")
                return request.identifier == "1" ? .shown : .none
            }
            host.notifications.onTap = { host.note("tapped \($0.identifier)") }
            host.audio.onSessionEvent = { host.note("\($0)") }
            let app = ProbeApp(host) { app, _ in act(app, random) }
            if let timer = try? RepeatingTimer(
                every: .seconds(30), engine: host.engine,
                handler: { tick in
                    host.note("tick \(tick.number), missed \(tick.missedCount)")
                })
            {
                timer.resume()
                app.kept.append(timer)
            }
            return app
        }
    }

    /// Executes a random action of the app.
    private static func act(_ app: ProbeApp, _ random: SeededRandom) {
        let host = app.host
        let number = Int(random.next() % 80)
        switch random.next() % 24 {
        case 0: host.endBackgroundTask(host.beginBackgroundTask(name: "raw"))
        case 1:
            let id = Box(BackgroundTaskID.invalid)
            id.value = host.beginBackgroundTask(name: "raw \(number)") { host.endBackgroundTask(id.value) }
        case 2: app.kept.append((try? host.beginBackgroundTask(named: "kept")) as Any)
        case 3: host.work(for: .milliseconds(number * 80))
        case 4:
            host.start {
                try? await host.withBackgroundTask(named: "work") { try await host.engine.sleep(for: .seconds(number)) }
                host.note("worked")
            }
        case 5: host.mainLoop.run(in: .default) { host.note("default") }
        case 6, 7: play(host)
        case 8: host.start { await host.audio.pause() }
        case 9: host.start { await host.audio.skipToNext() }
        case 10: if host.audio.activateSession(number % 2 == 0 ? .playback : .soloAmbient) { host.audio.startPlaying() }
        case 11: host.audio.deactivateSession()
        case 12, 13:
            host.start {
                do {
                    for await update in try host.location.updates(inBackground: number % 2 == 0) {
                        host.note("\(update)")
                    }
                } catch { host.note("\(error)") }
            }
        case 14:
            host.location.startUpdating(LocationSettings(inBackground: number % 2 == 0)) {
                host.note($0 == .paused ? "paused" : "an update")
            }
        case 15: number % 2 == 0 ? host.location.stop() : host.location.stop(1)
        case 16: host.start { _ = await host.location.requestAuthorization(number % 2 == 0 ? .always : .whenInUse) }
        case 17: host.notifications.add(request(number))
        case 18, 19:
            host.start {
                do { try await host.notifications.schedule(request(number)) } catch { host.note("\(error)") }
            }
        case 20: host.start { await host.notifications.removePending(["\(number)"]) }
        case 21: host.start { try? await host.notifications.notify(UserNotification(title: "now")) }
        case 22: host.location.change(1, LocationSettings(pausesAutomatically: number % 2 == 0))
        default: app.kept = []
        }
    }

    private static func play(_ host: SimulatedHost) {
        host.start {
            await host.audio.setQueue((1...4).map { AudioItem(id: "\($0)", title: "", source: "") })
            do { try await host.audio.play() } catch { host.note("\(error)") }
        }
    }

    nonisolated private static func request(_ number: Int) -> NotificationRequest {
        let repeats = number % 5 == 0
        return NotificationRequest("\(number)", after: .seconds(number * (repeats ? 30 : 10)), repeats: repeats)
    }

    /// Executes a random action of the user or of the environment.
    private static func use(_ device: SimulatedDevice, _ random: SeededRandom) {
        let number = Int(random.next() % 90)
        let duration = Duration.seconds(number)
        switch random.next() % 42 {
        case 0: device.launch()
        case 1, 2, 3: device.open()
        case 4, 5, 6: device.pressHome()
        case 7: device.openAppSwitcher()
        case 8: device.swipeAway()
        case 9: device.lock()
        case 10: device.unlock()
        case 11: device.receiveCall()
        case 12, 13: device.endCall()
        case 14: device.scroll(for: duration)
        case 15: device.setBattery(Double(number) / 90)
        case 16: number % 2 == 0 ? device.plugIn() : device.unplug()
        case 17: device.setLowPowerMode(number % 2 == 0)
        case 18: device.setNetwork(DeviceConditions.Network.allCases[number % 3])
        case 19: device.setBackgroundRefresh(number % 2 == 0)
        case 20: device.setThermalState(DeviceConditions.ThermalState.allCases[number % 4])
        case 21: device.applyMemoryPressure()
        case 22: device.sleepMachine(for: duration)
        case 23: device.moveWallClock(by: duration * 10 - .seconds(450))
        case 24: device.setWallClock(WallInstant(secondsSince1970: 1_767_225_600).advanced(by: duration * 100))
        case 25: if number % 4 == 0 { device.reboot() }
        case 26: if number % 4 == 0 { device.kill(number % 8 == 0 ? .thermal : nil) }
        case 27: if number % 8 == 0 { install(on: device, random) }
        case 28: device.wakeInBackground("a visitor")
        case 29: device.location.setRoute(.north)
        case 30: device.location.setRoute(.standing(at: LocationRoute.Place(latitude: 1, longitude: 1)))
        case 31: device.location.setRoute(.noFix)
        case 32: device.location.setAuthorization(LocationAuthorization.allCases[number % 4])
        case 33: device.notifications.setAuthorization(NotificationAuthorization.allCases[number % 4])
        case 34: _ = device.notifications.tap("\(number)")
        case 35: number % 2 == 0 ? device.audio.beginInterruption() : device.audio.endInterruption(shouldResume: true)
        case 36, 37, 38: if let app = device.app as? ProbeApp { app.host.mainLoop.run { act(app, random) } }
        default: device.advance(by: duration * 3)
        }
    }

    /// Returns the invariant that is violated after a step; `nil` if there is none.
    private func check(_ device: SimulatedDevice, from first: Int, _ standing: inout Standing) -> String? {
        for event in device.log[first...] { if let wrong = standing.take(event) { return wrong } }
        if standing.openBackgroundTasks < 0 { return "more background tasks ended than were begun" }
        guard let host = device.host else {
            if standing.phase != nil { return "no process, and phase \(standing.phase.map(\.rawValue) ?? "")" }
            if device.audio.state != AudioState() { return "sound without a process" }
            return nil
        }
        if host.phase != standing.phase { return "the host says \(host.phase), the log something else" }
        if let remaining = host.backgroundTimeRemaining, remaining < .zero || remaining > device.policy.backgroundBudget
        {
            return "\(remaining) of the time are left"
        }
        if host.phase == .active || host.phase == .inactive, host.backgroundTimeRemaining != nil {
            return "the time is limited in front"
        }
        if host.phase == .suspended, device.audio.state.isPlaying || device.audio.isSessionActive {
            return "sound of a suspended app"
        }
        return nil
    }

    private func run(seed: UInt64, steps: Int) -> (text: String, wrong: String?) {
        var policy = SystemPolicy()
        policy.pendingNotificationLimit = 10
        policy.notificationOverflow = seed % 2 == 0 ? .keepsSoonest : .keepsLast
        policy.unendedBackgroundTasks = seed % 3 == 0 ? .endsAppAtZero : .endsAppAfterHandlers
        let device = SimulatedDevice(seed: seed, policy: policy)
        let random = SeededRandom(seed: seed &+ 1)
        Self.install(on: device, random)
        var standing = Standing()
        for step in 0..<steps {
            let first = device.log.count
            Self.use(device, random)
            if let wrong = check(device, from: first, &standing) {
                return (device.logText, "seed \(seed), step \(step): \(wrong)")
            }
        }
        device.switchOff()
        return (device.logText, nil)
    }

    @Test(
        "3,000 random steps never trap, preserve the invariants, and give the same log again",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func random(seed: UInt64) {
        let (text, wrong) = run(seed: seed, steps: 3_000)
        #expect(wrong == nil)
        guard wrong == nil else { return }
        let isSame = run(seed: seed, steps: 3_000).text == text
        #expect(isSame, "the second run's log differs")
        let missing = [
            "phase suspended", "background tasks expired", "terminated", "fault", "missed", "force quit", "reboot",
            "purged",
            "tapped", "asked about", "notification delivered", "playing", "interruptionBegan", "end of the queue",
            "location: started", "an update", "position", "paused", "thermal", "replaced", "launched: a visitor",
        ].filter { !text.contains($0) }
        #expect(missing.isEmpty, "the program is not random enough")
    }
}

/// The state of the process according to the log, which decides which events may follow.
private struct Standing {
    var phase: Phase?
    var openBackgroundTasks = 0
    private var isLaunching = false

    /// The phases that may follow a phase.
    ///
    /// A process begins in the background, or, without scenes, in the foreground.
    private static let next: [Phase: Set<Phase>] = [
        .active: [.inactive], .inactive: [.active, .background], .background: [.inactive, .suspended, .terminated],
        .suspended: [.inactive, .background], .terminated: [],
    ]

    mutating func take(_ event: DeviceEvent) -> String? {
        if event.actor == .app, phase == nil || phase == .suspended { return "the app does not run: \(event)" }
        switch event.what {
        case .launched:
            if phase != nil { return "a second process: \(event)" }
            (phase, isLaunching, openBackgroundTasks) = (.background, true, 0)
        case .phase(let new):
            guard let phase else { return "no process: \(event)" }
            // An app without scenes begins in the foreground; an app that the system launches is notified that it is in
            // the background.
            let mayFollow =
                Self.next[phase, default: []].contains(new) || isLaunching && (new == .active || new == .background)
            if !mayFollow { return "from \(phase) to \(new)" }
            (self.phase, isLaunching) = (new, false)
        case .terminated:
            if phase == nil { return "ended twice: \(event)" }
            phase = nil
        case .backgroundTaskBegan: openBackgroundTasks += 1
        case .backgroundTaskEnded: openBackgroundTasks -= 1
        default: break
        }
        return nil
    }
}

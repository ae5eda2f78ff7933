import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("The simulated device's log")
struct DeterminismTests {
    /// Installs an app that does something random in each phase.
    private func install(_ seed: UInt64, on device: SimulatedDevice) {
        let random = SeededRandom(seed: seed)
        device.install(AppManifest(backgroundModes: [.audio])) { host in
            let app = ProbeApp(host) { app, _ in
                switch random.next() % 8 {
                case 0: _ = host.beginBackgroundTask(name: "raw")
                case 1: app.kept.append((try? host.beginBackgroundTask(named: "kept")) as Any)
                case 2: host.work(for: .milliseconds(Int64(random.next() % 7_000)))
                case 3:
                    host.start {
                        try? await host.engine.sleep(for: .seconds(random.next() % 100))
                        host.note("slept")
                    }
                case 4:
                    let limit = Duration.seconds(random.next() % 20)
                    host.start {
                        try? await host.withBackgroundTask(named: "work") { try await host.engine.sleep(for: limit) }
                    }
                case 5: host.mainLoop.run(in: .default) { host.note("default") }
                default: app.kept = []
                }
            }
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

    private func use(_ device: SimulatedDevice, _ random: SeededRandom) {
        let seconds = Duration.seconds(random.next() % 90)
        switch random.next() % 24 {
        case 0: device.launch()
        case 1, 2, 3: device.open()
        case 4, 5, 6: device.pressHome()
        case 7: device.openAppSwitcher()
        case 8: device.swipeAway()
        case 9: device.lock()
        case 10: device.unlock()
        case 11: device.receiveCall()
        case 12: device.endCall()
        case 13: device.scroll(for: seconds)
        case 14: device.setBattery(Double(random.next() % 11) / 10)
        case 15: random.next() % 2 == 0 ? device.plugIn() : device.unplug()
        case 16: device.setLowPowerMode(random.next() % 2 == 0)
        case 17: device.setNetwork(random.next() % 2 == 0 ? .none : .available)
        case 18: device.applyMemoryPressure()
        case 19: device.sleepMachine(for: seconds)
        case 20: device.moveWallClock(by: seconds - .seconds(30))
        case 21: random.next() % 4 == 0 ? device.reboot() : device.kill()
        default: device.advance(by: seconds)
        }
    }

    private func randomProgram(seed: UInt64, controls: Int) -> String {
        let device = SimulatedDevice(seed: seed)
        install(seed, on: device)
        let random = SeededRandom(seed: seed &+ 1)
        for _ in 0..<controls { use(device, random) }
        return device.logText
    }

    @Test("a random program of 2,000 controls never traps, and gives the same log again")
    func randomProgram() {
        let text = randomProgram(seed: 11, controls: 2_000)
        #expect(text == randomProgram(seed: 11, controls: 2_000))
        for word in [
            "phase suspended", "background tasks expired", "terminated", "fault", "missed", "force quit", "reboot",
        ] {
            #expect(text.contains(word), "the program is not random enough: no \(word)")
        }
    }

    @Test("a seed gives the same log byte for byte, and another seed gives another log where chance is involved")
    func seeds() throws {
        func text(_ seed: UInt64) throws -> String {
            let device = SimulatedDevice(seed: seed)
            let host = try device.launchProbe()
            host.endBackgroundTask(host.beginBackgroundTask(name: "one"))
            device.pressHome()
            device.advance(by: .seconds(10))
            return device.logText
        }
        #expect(try text(1) == text(1))
        #expect(try text(1) != text(2))
    }

    @Test("in random programs, the log has no event of the app while it is suspended, and all events are in order")
    func invariants() {
        for seed in 0..<20 as Range<UInt64> {
            let device = SimulatedDevice(seed: seed)
            install(seed, on: device)
            let random = SeededRandom(seed: seed &+ 1_000)
            for _ in 0..<200 { use(device, random) }
            var isSuspended = false
            for event in device.log {
                switch event.what {
                case .phase(let phase): isSuspended = phase == .suspended
                case .terminated: isSuspended = true
                case .launched: isSuspended = false
                default: if isSuspended { #expect(event.actor != .app, "seed \(seed): \(event)") }
                }
            }
            let isOrdered = zip(device.log, device.log.dropFirst()).allSatisfy { before, after in
                [.control("reboot"), .terminated("reboot")].contains(before.what) || before.uptime <= after.uptime
            }
            #expect(isOrdered, "seed \(seed)")
        }
    }

    @Test("a small app that is used twice a day saves its data sixty times in thirty days")
    func thirtyDays() throws {
        try SimulatedDevice.run { device in
            _ = try device.launchProbe { app, phase in
                guard phase == .background, let task = try? app.host.beginBackgroundTask(named: "save") else { return }
                let host = app.host
                host.engine.schedule(after: .seconds(2)) {
                    let count = (try? host.storage.load(Int.self, for: "saves")) ?? 0
                    try? host.storage.save(count + 1, for: "saves")
                    task.end()
                }
            }
            for day in 0..<30 {
                for _ in 0..<2 {
                    device.open()
                    device.advance(by: .seconds(300))
                    device.lock()
                    device.advance(by: .seconds(43_200 - 300))
                }
                if day % 7 == 6 { device.applyMemoryPressure() }
            }
            #expect(try device.storage.load(Int.self, for: "saves") == 60)
            #expect(device.time.wall() == WallInstant(secondsSince1970: 1_767_225_600 + 30 * 86_400))
        }
    }
}

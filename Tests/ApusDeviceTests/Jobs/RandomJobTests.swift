import ApusBackground
import Testing

@testable import ApusDevice
@testable import ApusTimers

/// Random programs of a user, and of an app that has background jobs.
@MainActor
@Suite("Random use of background jobs")
struct RandomJobTests {
    private static let identifiers = ["refresh", "refresh.2", "tidy.1", "tidy.2", "export.1", "export.2", "export.3"]

    private static func request(_ random: SeededRandom) -> BackgroundJobRequest {
        let identifier = identifiers[Int(random.next() % 7)]
        let number = random.next() % 8
        let kind: BackgroundJobRequest.Kind =
            switch identifier.first {
            case "r": .refresh
            case "t": .processing(requiresNetwork: number % 2 == 0, requiresExternalPower: number % 3 == 0)
            default: .continued(ContinuedJob(title: "Export", strategy: number % 2 == 0 ? .fail : .queue))
            }
        let begin = number == 0 ? WallInstant(secondsSince1970: 1_767_225_600 + Int64(random.next() % 90_000)) : nil
        return BackgroundJobRequest(identifier, kind, earliestBegin: begin)
    }

    private static func submit(_ host: SimulatedHost, _ random: SeededRandom) {
        do throws(BackgroundJobError) { try host.jobs.submitRequest(request(random)) } catch {
            host.note("\(error.code)")
        }
    }

    private static func install(on device: SimulatedDevice, _ random: SeededRandom) {
        let manifest = AppManifest(
            backgroundModes: [.fetch, .processing],
            permittedTaskIdentifiers: ["refresh", "refresh.2", "tidy.1", "tidy.2", "export.*"],
            usesScenes: random.next() % 2 == 0)
        device.install(manifest) { host in
            let app = ProbeApp(host) { app, phase in if phase != .terminated { submit(app.host, random) } }
            for identifier in identifiers where random.next() % 16 != 0 {
                _ = host.jobs.registerLaunchHandler(identifier) { run($0, of: host, random) }
            }
            return app
        }
    }

    /// Handles a run in a random way.
    private static func run(_ task: SimulatedTask, of host: SimulatedHost, _ random: SeededRandom) {
        let duration = Duration.seconds(random.next() % 50)
        switch random.next() % 8 {
        case 0: task.setCompleted(success: true)
        case 1: break
        case 2:
            task.expirationHandler = { host.note("expired, and does nothing") }
            host.work(for: duration / 4)
        case 3:
            task.expirationHandler = { task.setCompleted(success: false) }
            host.work(for: duration)
        case 4:
            host.engine.schedule(after: duration) { task.report(completed: Int64(duration.components.seconds), of: 50) }
            task.expirationHandler = { task.setCompleted(success: false) }
        default:
            submit(host, random)
            host.engine.schedule(after: duration) {
                task.setCompleted(success: true)
                if duration < .seconds(5) { task.setCompleted(success: true) }
            }
        }
    }

    private static func use(_ device: SimulatedDevice, _ random: SeededRandom) {
        let number = random.next() % 90
        let identifier = identifiers[Int(random.next() % 7)]
        switch random.next() % 32 {
        case 0: device.launch()
        case 1, 2: device.open()
        case 3: device.pressHome()
        case 4, 5: device.lock()
        case 6: device.unlock()
        case 7: if number % 3 == 0 { device.swipeAway() }
        case 8: device.setBattery(Double(number) / 90)
        case 9: number % 2 == 0 ? device.plugIn() : device.unplug()
        case 10: device.setLowPowerMode(number % 4 == 0)
        case 11: device.setNetwork(DeviceConditions.Network.allCases[Int(number % 3)])
        case 12: device.setBackgroundRefresh(number % 4 != 0)
        case 13: device.applyMemoryPressure()
        case 14: device.sleepMachine(for: .seconds(number * 30))
        case 15: device.moveWallClock(by: .seconds(Int64(number) * 10 - 450))
        case 16: if number % 8 == 0 { device.reboot() }
        case 17: if number % 4 == 0 { device.kill() }
        case 18: if number % 8 == 0 { install(on: device, random) }
        case 19: device.cancelJob(identifier)
        case 20: device.jobs.cancelRequest(identifier)
        case 21, 22: device.launchJob(identifier)
        case 23: device.expireJob(identifier)
        case 24: if let host = device.host { host.mainLoop.run { submit(host, random) } }
        default: device.advance(by: .seconds(number * (number % 4 == 0 ? 200 : 1)))
        }
        device.advance(by: .zero)
    }

    /// Returns the invariant that is violated after a step; `nil` if there is none.
    private func check(_ device: SimulatedDevice) -> String? {
        let jobs = device.jobs
        let running = jobs.running.map(\.identifier)
        if running != jobs.history.filter({ $0.outcome == nil }).map(\.identifier) { return "runs and records differ" }
        if !running.isEmpty, device.host == nil || device.host?.phase == .suspended { return "a run without a process" }
        if running.isEmpty, device.host?.state.withLock({ !$0.covers.isEmpty }) == true {
            return "kept awake for nothing"
        }
        let pending = jobs.pendingRequests()
        if pending.count(where: \.kind.isRefresh) > 1 { return "two refreshes wait" }
        if Set(pending.map(\.identifier)).count != pending.count { return "two requests with an identifier" }
        return nil
    }

    private func run(seed: UInt64, steps: Int) -> (text: String, wrong: String?) {
        let device = SimulatedDevice(seed: seed)
        let random = SeededRandom(seed: seed &+ 1)
        Self.install(on: device, random)
        for step in 0..<steps {
            Self.use(device, random)
            if let wrong = check(device) { return (device.logText, "seed \(seed), step \(step): \(wrong)") }
        }
        device.switchOff()
        return (device.logText, nil)
    }

    @Test(
        "1,500 random steps never trap, preserve the invariants, and give the same log again",
        arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) {
        let (text, wrong) = run(seed: seed, steps: 1_500)
        #expect(wrong == nil)
        guard wrong == nil else { return }
        let isSame = run(seed: seed, steps: 1_500).text == text
        #expect(isSame, "the second run's log differs")
        let missing = [
            "job: submitted refresh", "job: replaced", "job: cancelled", "job: launched tidy", "job: launched export",
            "job: expired", "completed refresh", "success", "failure", "job: deferred", "the process ended",
            "force quit",
            "0x2182bad2 task timeout", "was already completed", "no launch handler", "launched: background job",
            "cannotStartNow", "tooManyPending", "unavailable", "notPermitted", "jobNotCompleted",
        ].filter { !text.contains($0) }
        #expect(missing.isEmpty, "the program is not random enough")
    }
}

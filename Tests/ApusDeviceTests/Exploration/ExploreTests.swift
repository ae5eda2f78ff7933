import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("Exploration by a random user")
struct ExploreTests {
    /// A countdown that is correct, or that is wrong because it counts its ticks.
    @MainActor
    private final class Countdown {
        private(set) var passed = 0
        private let begin: UptimeInstant
        private let host: SimulatedHost
        private var timer: RepeatingTimer?

        init(_ host: SimulatedHost, countsTicks: Bool) throws {
            self.host = host
            begin = host.engine.time.uptime()
            let timer = try RepeatingTimer(every: .seconds(1), engine: host.engine) { [weak self] _ in
                MainActor.assumeIsolated {
                    guard let self else { return }
                    self.passed = countsTicks ? self.passed + 1 : self.truth
                }
            }
            timer.resume()
            self.timer = timer
        }

        var truth: Int { Int(begin.duration(to: host.engine.time.uptime()).components.seconds) }
    }

    private static func check(_ device: SimulatedDevice) -> String? {
        guard device.appPhase == .active, let countdown = device.app as? Countdown else { return nil }
        let error = abs(countdown.passed - countdown.truth)
        return error > 1 ? "the countdown is wrong by \(error) s" : nil
    }

    private func failure(_ body: () throws -> Void) throws -> ExplorationFailure {
        var found: ExplorationFailure?
        do { try body() } catch let failure as ExplorationFailure { found = failure }
        return try #require(found, "nothing was found")
    }

    @Test("the user finds a countdown that counts its ticks, with three steps: leave, wait, return")
    func tickCounting() throws {
        let failure = try failure {
            try SimulatedDevice.explore(seeds: 1...50) { device in
                device.install { try Countdown($0, countsTicks: true) }
            } check: {
                Self.check($0)
            }
        }
        #expect(failure.isReproducible)
        #expect(failure.steps.count <= 4, "\(failure)")
        guard case .check(let text) = failure.problem else { return #expect(Bool(false), "\(failure)") }
        #expect(text.hasPrefix("the countdown is wrong by"))
        // The steps of the script cause the problem without the explorer.
        let device = SimulatedDevice(seed: failure.seed)
        device.install { try Countdown($0, countsTicks: true) }
        for step in failure.steps { step.perform(on: device) }
        #expect(Self.check(device) != nil)
    }

    @Test("a countdown that reads the clock passes, and the report has the counts")
    func tidy() throws {
        let report = try SimulatedDevice.explore(seeds: 1...50) { device in
            device.install { try Countdown($0, countsTicks: false) }
        } check: {
            Self.check($0)
        }
        #expect(report.seedCount == 50)
        #expect(report.stepCount == 50 * 30)
        #expect(report.launchCount > 50)
        #expect(report.suspensionCount > 50)
        #expect(report.endCount > 50)
        #expect(report.time > .seconds(50 * 3_600))
    }

    @Test("the user finds a background task that is not ended, and the script is shortened")
    func leakedTask() throws {
        let failure = try failure {
            try SimulatedDevice.explore(seeds: 1...50) { device in
                device.install { host in
                    ProbeApp(host) { _, phase in
                        if phase == .background { _ = host.beginBackgroundTask(name: "forgotten") }
                    }
                }
            }
        }
        guard case .fault(let fault) = failure.problem else { return #expect(Bool(false), "\(failure)") }
        #expect(fault.rule == .backgroundTaskNotEnded)
        #expect(failure.steps.count <= 3, "\(failure)")
        #expect(failure.log.contains { $0.what == .fault(fault) })
    }

    @Test("the user finds a job that is not completed, as the system launches pending jobs")
    func forgottenCompletion() throws {
        let failure = try failure {
            try SimulatedDevice.explore(seeds: 1...50) { device in
                let manifest = AppManifest(backgroundModes: [.fetch], permittedTaskIdentifiers: ["feed"])
                device.install(manifest) { host in
                    _ = host.jobs.registerLaunchHandler("feed") { task in task.expirationHandler = {} }
                    return ProbeApp(host) { _, phase in
                        if phase == .background {
                            try? host.jobs.submitRequest(BackgroundJobRequest("feed", .refresh))
                        }
                    }
                }
            }
        }
        guard case .fault(let fault) = failure.problem else { return #expect(Bool(false), "\(failure)") }
        #expect(fault.rule == .jobNotCompleted)
        #expect(failure.steps.count <= 4, "\(failure)")
    }

    @Test("the user finds an app object that outlives its process")
    func leakedApp() throws {
        let failure = try failure {
            try SimulatedDevice.explore(seeds: 1...3) { device in
                device.install { host in
                    let app = ProbeApp(host)
                    app.kept.append(app)
                    return app
                }
            }
        }
        guard case .fault(let fault) = failure.problem else { return #expect(Bool(false), "\(failure)") }
        #expect(fault.rule == .leakedApp)
        #expect(failure.steps == [.launch])
    }

    @Test("expected faults are not problems, and steps that `allows` rejects are not performed")
    func settings() throws {
        var exploration = Exploration()
        exploration.steps = 100
        exploration.allows = { step in
            switch step {
            case .kill, .reboot, .swipeAway, .applyMemoryPressure: false
            default: true
            }
        }
        let report = try SimulatedDevice.explore(seeds: 1...10, exploration) { device in
            device.expect(.backgroundTaskNotEnded)
            device.install { host in
                ProbeApp(host) { _, phase in if phase == .background { _ = host.beginBackgroundTask(name: "forgotten") }
                }
            }
        } check: { device in
            let ends = device.log.compactMap { if case .terminated(let why) = $0.what { why } else { nil } }
            return ends.first { !$0.contains("0x8badf00d") }
        }
        #expect(report.stepCount == 1_000)
        #expect(report.endCount > 10)
    }

    @Test("actions of the app are performed while it is active, and are lines of the script")
    func actions() throws {
        let exploration = Exploration { device in
            [
                AppAction("(device.app as? ProbeApp)?.host.note(\"tapped\")") { device in
                    #expect(device.appPhase == .active)
                    (device.app as? ProbeApp)?.host.note("tapped")
                }
            ]
        }
        let failure = try failure {
            try SimulatedDevice.explore(seeds: 1...3, exploration) { device in
                device.install { ProbeApp($0) }
            } check: { device in
                device.log.count { $0.what == .note("tapped") } >= 2 ? "tapped twice" : nil
            }
        }
        let tap = "    (device.app as? ProbeApp)?.host.note(\"tapped\")\n"
        #expect(
            failure.script == """
                try SimulatedDevice.run(seed: \(failure.seed)) { device in
                    // Install the app here.
                    device.launch()
                \(tap)\(tap)}
                """)
        #expect("\(failure)".hasPrefix("seed \(failure.seed): tapped twice\n3 of "))
    }

    @Test("a seed gives the same steps again, and another seed gives other steps")
    func deterministic() throws {
        func steps(_ seed: UInt64) throws -> [DeviceEvent] {
            let last = Box<[DeviceEvent]>([])
            try SimulatedDevice.explore(seeds: seed...seed) { device in
                device.install { try Countdown($0, countsTicks: false) }
            } check: { device in
                last.value = device.log
                return nil
            }
            return last.value
        }
        #expect(try steps(1) == steps(1))
        #expect(try steps(1) != steps(2))
    }

    @Test("a problem that does not occur again is reported as not reproducible, with all its steps")
    func notReproducible() throws {
        let count = Box(0)
        let failure = try failure {
            try SimulatedDevice.explore(seeds: 1...1) { device in
                count.value += 1
                device.install { ProbeApp($0) }
            } check: { device in
                count.value == 1 && device.launchCount > 0 && device.time.wall() > device.log[0].wall ? "once" : nil
            }
        }
        #expect(!failure.isReproducible)
        #expect(failure.steps.count == failure.stepsBeforeShortening)
        #expect("\(failure)".contains("the problem did not occur again"))
    }

    @Test("an app with tasks of the main actor is explored by the asynchronous form")
    func asynchronous() async throws {
        var found: ExplorationFailure?
        do {
            try await SimulatedDevice.explore(seeds: 1...20) { device in
                device.install { host in
                    ProbeApp(host) { _, phase in
                        guard phase == .background else { return }
                        Task { @MainActor in _ = host.beginBackgroundTask(name: "forgotten") }
                    }
                }
            }
        } catch let failure as ExplorationFailure { found = failure }
        let failure = try #require(found)
        #expect(failure.steps.count <= 3, "\(failure)")
    }
}

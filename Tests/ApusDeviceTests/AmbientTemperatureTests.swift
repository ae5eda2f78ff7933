import ApusBackground
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusDevice

// Shown: ambient-temperature
/// Reports the temperature around the phone, in degrees Celsius.
final class AmbientTemperature: DeviceService {
    enum Request: Codable { case read }
    typealias Event = Double

    private struct State {
        var degrees = 20.0
        var isUsed = false
    }

    private let surroundings: PartSurroundings
    private let state = Locked(State())

    init(_ surroundings: PartSurroundings) { self.surroundings = surroundings }

    func answer(_ request: Request) -> Double {
        state.withLock { state in
            state.isUsed = true
            return state.degrees
        }
    }

    func change(to degrees: Double) {
        let degrees = min(max(degrees, -100), 100)
        let isNew = state.withLock { state in
            defer { state.degrees = degrees }
            return state.degrees != degrees
        }
        guard isNew else { return }
        surroundings.note("\(degrees) °C")
        surroundings.send(degrees, of: Self.self)
    }

    func processEnded() { state.withLock { $0.isUsed = false } }

    func steps(on device: SimulatedDevice) -> [StepChoice] {
        guard state.withLock({ $0.isUsed }) else { return [] }
        return [
            StepChoice(1) { random in
                let degrees = Double(random.number(below: 40))
                let line = "device.setAmbientTemperature(\(degrees))"
                return .control(AppAction(line) { $0.setAmbientTemperature(degrees) })
            }
        ]
    }
}

extension SimulatedDevice {
    /// Changes the temperature around the phone.
    func setAmbientTemperature(_ degrees: Double) {
        perform("ambient temperature \(degrees)") { part(AmbientTemperature.self).change(to: degrees) }
    }
}
// Shown: end

@MainActor
@Suite("A part of the device in one file")
struct AmbientTemperatureTests {
    /// Notes the temperature at its start, and each change.
    private final class Greenhouse {
        init(_ host: SimulatedHost) {
            host.observe(AmbientTemperature.self) { host.note("now \($0)") }
            host.note("at the start \(host.ask(AmbientTemperature.self, .read))")
        }
    }

    // Shown: ambient-temperature-test
    @Test("the app reads the temperature and is notified of changes; a suspended app is notified when it runs again")
    func notified() throws {
        try SimulatedDevice.run { device in
            device.add(AmbientTemperature.self)
            device.install { host in Greenhouse(host) }
            device.setAmbientTemperature(4)
            device.launch()
            device.setAmbientTemperature(25)
            device.pressHome()
            device.advance(by: .seconds(10))
            device.setAmbientTemperature(30)
            #expect(device.notes == ["at the start 4.0", "now 25.0"])
            device.open()
            #expect(device.notes == ["at the start 4.0", "now 25.0", "now 30.0"])
        }
    }
    // Shown: end

    @Test("the part's lines are in the log, and in a lane of the timeline")
    func logged() throws {
        let device = SimulatedDevice()
        device.add(AmbientTemperature.self)
        device.setAmbientTemperature(25)
        #expect(
            device.logText == """
                1767225600.000 user ambient temperature 25.0
                1767225600.000 system AmbientTemperature: 25.0 °C

                """)
        let lanes = DeviceTimeline(device.log).lanes
        #expect(lanes.map(\.name) == ["user", "AmbientTemperature"])
        #expect(lanes.last?.marks.map(\.label) == ["25.0 °C"])
    }

    @Test("a temperature is brought into range, and an equal one is no change")
    func values() throws {
        try SimulatedDevice.run { device in
            device.add(AmbientTemperature.self)
            device.install { host in Greenhouse(host) }
            device.launch()
            for degrees in [20.0, 1_000, 200, -1_000] { device.setAmbientTemperature(degrees) }
            #expect(device.notes == ["at the start 20.0", "now 100.0", "now -100.0"])
        }
    }

    @Test("a random user changes the temperature only if the app uses the part")
    func explored() throws {
        func steps(usingIt: Bool) -> [DeviceStep] {
            var settings = Exploration()
            settings.steps = 300
            let trial = ExplorationTrial(settings, seed: 3, given: nil) { _ in nil }
            trial.device.add(AmbientTemperature.self)
            trial.device.install { host in usingIt ? Greenhouse(host) as AnyObject : ProbeApp(host) }
            while let step = trial.next() { step.perform(on: trial.device) }
            return trial.steps
        }
        func isControl(_ step: DeviceStep) -> Bool { if case .control = step { true } else { false } }
        #expect(steps(usingIt: false).count(where: isControl) == 0)
        let lines = steps(usingIt: true).filter(isControl).map(\.description)
        #expect(lines.first?.hasPrefix("device.setAmbientTemperature(") == true)
    }

    @Test("a part that the app does not use does not change the log, although it draws random numbers")
    func otherHistories() throws {
        func history(_ prepare: (SimulatedDevice) -> Void) -> String {
            let device = SimulatedDevice(seed: 7)
            prepare(device)
            device.install(AppManifest(backgroundModes: [.fetch], permittedTaskIdentifiers: ["feed"])) { host in
                _ = host.jobs.registerLaunchHandler("feed") { $0.setCompleted(success: true) }
                try host.jobs.submitRequest(BackgroundJobRequest("feed", .refresh))
                return ProbeApp(host)
            }
            device.launch()
            device.pressHome()
            device.advance(by: .seconds(86_400))
            return device.logText
        }
        let plain = history { _ in }
        #expect(plain.contains("job: launched feed"))
        #expect(history { _ = $0.add(Dice.self).surroundings.random.next() } == plain)
    }

    @Test("the seed and the part's name determine the part's random numbers")
    func streams() {
        func draw(_ seed: UInt64) -> UInt64 { SimulatedDevice(seed: seed).add(Dice.self).surroundings.random.next() }
        #expect(draw(1) == draw(1))
        #expect(draw(1) != draw(2))
        let device = SimulatedDevice(seed: 1)
        #expect(device.add(Dice.self) === device.add(Dice.self))
        #expect(device.add(OtherDice.self).surroundings.random.next() != draw(1))
    }

    @Test("the process runs as long as any of the parts keeps it running")
    func keepsRunning() throws {
        try SimulatedDevice.run { device in
            let (dice, other) = (device.add(Dice.self), device.add(OtherDice.self))
            let host = try device.launchProbe()
            let end = device.time.uptime().advanced(by: .seconds(600)).nanoseconds
            dice.surroundings.keepRunning(ProcessCover(end: end))
            other.surroundings.keepRunning(ProcessCover())
            device.pressHome()
            device.advance(by: .seconds(300))
            other.surroundings.keepRunning(nil)
            device.advance(by: .seconds(5))
            #expect(host.phase == .background)
            dice.surroundings.keepRunning(nil)
            device.advance(by: .seconds(5))
            #expect(host.phase == .suspended)
        }
    }

    @Test("a part may end an app that computes past the part's limit")
    func limits() throws {
        try SimulatedDevice.run { device in
            let dice = device.add(Dice.self)
            let host = try device.launchProbe()
            dice.limit = device.time.uptime().advanced(by: .seconds(3)).nanoseconds
            host.mainLoop.run { host.work(for: .seconds(10)) }
            device.advance(by: .zero)
            #expect(device.logText.contains("1767225603.000 system terminated: too slow for the dice"))
        }
    }
}

private final class Dice: DevicePart {
    let surroundings: PartSurroundings
    private let locked = Locked<UInt64?>(nil)

    init(_ surroundings: PartSurroundings) { self.surroundings = surroundings }

    var limit: UInt64? {
        get { locked.withLock { $0 } }
        set { locked.withLock { $0 = newValue } }
    }

    var limits: [ProcessLimit] {
        limit.map { instant in
            [ProcessLimit(instant: instant) { [self] in surroundings.host?.end("too slow for the dice") }]
        } ?? []
    }
}

private final class OtherDice: DevicePart {
    let surroundings: PartSurroundings

    init(_ surroundings: PartSurroundings) { self.surroundings = surroundings }
}

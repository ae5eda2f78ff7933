import ApusBackground
import ApusTesting
import ApusTimers
import Testing

/// An app that is nothing but what a test gives it.
@MainActor
final class ProbeApp {
    let host: SimulatedHost
    var phases: [Phase] = []
    private var observation: Observation?
    var onPhase: (ProbeApp, Phase) -> Void
    var kept: [Any] = []

    init(_ host: SimulatedHost, onPhase: @escaping (ProbeApp, Phase) -> Void = { _, _ in }) {
        self.host = host
        self.onPhase = onPhase
        observation = host.observePhase { [weak self] phase in
            guard let self else { return }
            host.note("app: \(phase)")
            phases.append(phase)
            self.onPhase(self, phase)
        }
    }
}

@MainActor
@Suite("SimulatedDevice")
struct DeviceTests {
    @Test("an app without claims is active, goes to the background, and is suspended shortly after")
    func life() throws {
        try SimulatedDevice.run { device in
            device.install { ProbeApp($0) }
            device.launch()
            device.pressHome()
            device.advance(by: .seconds(10))
            print(device.logText)
            #expect(device.host?.phase == .suspended)
        }
    }
}

import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// An app that a test controls, and that notes the phases of which it is notified.
@MainActor
final class ProbeApp {
    let host: SimulatedHost
    private(set) var phases: [Phase] = []
    /// What the test wants to live as long as the app.
    var kept: [Any] = []
    private var observation: ObservationToken?

    init(_ host: SimulatedHost, onPhase: @escaping @MainActor (ProbeApp, Phase) -> Void = { _, _ in }) {
        self.host = host
        observation = host.observePhase { [weak self] phase in
            guard let self else { return }
            host.note("hears \(phase)")
            phases.append(phase)
            onPhase(self, phase)
        }
    }
}

extension SimulatedDevice {
    /// The running probe.
    var probe: ProbeApp {
        get throws { try #require(app as? ProbeApp) }
    }

    /// Installs a probe and launches it.
    func launchProbe(
        _ manifest: AppManifest = AppManifest(),
        onPhase: @escaping @MainActor (ProbeApp, Phase) -> Void = { _, _ in }
    ) throws -> SimulatedHost {
        install(manifest) { ProbeApp($0, onPhase: onPhase) }
        launch()
        return try #require(host)
    }

    /// What the app noted, apart from the phases.
    var ownNotes: [String] { notes.filter { !$0.hasPrefix("hears ") } }

    /// Why processes ended.
    var ends: [String] {
        log.compactMap { if case .terminated(let text) = $0.what { text } else { nil } }
    }

    /// When that first happened, on the uptime clock.
    func instant(of what: DeviceEvent.What) throws -> UptimeInstant {
        try #require(log.first { $0.what == what }).uptime
    }

    /// How long after the app entered the background that first happened.
    func delay(of what: DeviceEvent.What) throws -> Duration {
        try instant(of: .phase(.background)).duration(to: instant(of: what))
    }
}

/// A value that closures of an app under test change.
@MainActor
final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

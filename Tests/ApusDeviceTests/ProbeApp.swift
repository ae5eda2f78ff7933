import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// An app that a test controls, and that notes the phases of which it is notified.
@MainActor
final class ProbeApp {
    let host: SimulatedHost
    private(set) var phases: [Phase] = []
    /// The objects that the app retains for the test.
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
    /// The app object of the running probe.
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

    /// The app's notes, except those of phases.
    var ownNotes: [String] { notes.filter { !$0.hasPrefix("hears ") } }

    /// The reasons for which processes ended.
    var ends: [String] {
        log.compactMap { if case .terminated(let text) = $0.what { text } else { nil } }
    }

    /// Returns the uptime of the first event `what`.
    func instant(of what: DeviceEvent.What) throws -> UptimeInstant {
        try #require(log.first { $0.what == what }).uptime
    }

    /// Returns the time from the app's entry into the background to the first event `what`.
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

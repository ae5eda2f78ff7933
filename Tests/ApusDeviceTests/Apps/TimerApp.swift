import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// An app with ``BackgroundTimers`` that notes the events of its timers.
@MainActor
final class TimerApp {
    let host: SimulatedHost
    let timers: BackgroundTimers
    /// The identifiers of the timers, in the order of scheduling.
    private(set) var ids: [BackgroundTimers.ID] = []
    private let listener: Listener

    init(_ host: SimulatedHost, coverage: BackgroundTimers.Coverage, mode: MainLoopMode) {
        self.host = host
        listener = Listener(host)
        timers = BackgroundTimers(
            host: host, coverage: coverage, mode: mode, notificationScheduler: host.notifications, delegate: listener)
        host.start { [host] in _ = await host.notifications.requestAuthorization() }
    }

    @discardableResult
    func schedule(
        after duration: Duration, every interval: Duration? = nil, handover: BackgroundTimers.Handover = .none
    ) throws -> BackgroundTimers.ID {
        let name = "timer \(ids.count + 1)"
        let id = try timers.schedule(after: duration, every: interval, handover: handover) { [host] in
            host.note("\(name) fires")
        }
        ids.append(id)
        return id
    }

    private final class Listener: BackgroundTimersDelegate {
        let host: SimulatedHost

        init(_ host: SimulatedHost) { self.host = host }

        func backgroundTimers(named name: String, did event: BackgroundTimers.Event) {
            switch event {
            case .executed: break
            case .cancelled: host.note("cancelled")
            case .expired(let ids): host.note("expired \(ids.count)")
            case .handedOver(let ids): host.note("handed over \(ids.count)")
            }
        }
    }
}

extension SimulatedDevice {
    func launchTimers(
        coverage: BackgroundTimers.Coverage = .shared, mode: MainLoopMode = .common
    ) throws -> TimerApp {
        install { TimerApp($0, coverage: coverage, mode: mode) }
        launch()
        return try timerApp
    }

    var timerApp: TimerApp {
        get throws { try #require(app as? TimerApp) }
    }

    /// Returns the notes from an instant on, each with the seconds of uptime since that instant.
    func notes(since start: UptimeInstant) -> [String] {
        log.compactMap { event in
            guard case .note(let text) = event.what, event.uptime >= start else { return nil }
            return "\(start.duration(to: event.uptime).wholeNanoseconds / 1_000_000_000) \(text)"
        }
    }

    var claims: ClaimBalance { ClaimBalance(log) }
}

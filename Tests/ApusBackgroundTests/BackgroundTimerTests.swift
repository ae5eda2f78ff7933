import ApusTesting
import Testing

@testable import ApusBackground
@testable import ApusTimers

/// Collects what the main loop's work does.
final class Log<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])
    var all: [Element] { elements.withLock { $0 } }
    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Collects the events.
final class EventLog: BackgroundTimerDelegate {
    let log = Log<BackgroundTimer.Event>()
    var events: [BackgroundTimer.Event] { log.all }
    @MainActor func backgroundTimer(named name: String, did event: BackgroundTimer.Event) { log.add(event) }
}

@MainActor
@Suite("Background timers")
struct BackgroundTimerTests {
    private let host = ScriptedHost()
    private let log = EventLog()

    private func timers(
        coverage: BackgroundTimer.Coverage = .shared, notifications: (any NotificationScheduler)? = nil
    ) -> BackgroundTimer {
        BackgroundTimer(host: host, coverage: coverage, notifications: notifications, delegate: log)
    }

    @Test("a one-shot runs once at its deadline on the main loop, and its claim ends then")
    func oneShot() throws {
        let timers = timers()
        let runs = Log<ContinuousInstant>()
        let start = host.time.continuous()
        let id = try timers.schedule(after: .seconds(3)) { [time = host.time] in runs.add(time.continuous()) }
        #expect(timers.pending == [id])
        #expect(host.claims.open.count == 1)
        host.advance(by: .seconds(10))
        #expect(runs.all == [start.advanced(by: .seconds(3))])
        #expect(timers.pending.isEmpty)
        #expect(log.events == [.executed(id, willRepeat: false)])
        #expect(host.claims.open.isEmpty && host.claims.begun == 1 && host.claims.faults == 0)
        let wasPending = timers.cancel(id)
        #expect(!wasPending)
        #expect(host.time.leaks.isEmpty)
    }
}

import ApusTimers
import LoopbackWeb
import SleeplessApp

/// The feed that sends the screen to the pages soon after each change, but at most twenty times a second.
@MainActor
final class ScreenFeed {
    private static let pause: Duration = .milliseconds(50)

    nonisolated let events = EventFeed()
    /// The number of changes.
    private(set) var revision = 0
    /// The number of events that were created.
    private(set) var made = 0
    /// Returns the screen to send.
    var screen: (@MainActor () -> Screen)?

    private let engine: TimerEngine
    private var isWaiting = false
    private var lastSent: UptimeInstant

    init(engine: TimerEngine = .shared) {
        self.engine = engine
        lastSent = engine.time.uptime()
    }

    func changed() {
        revision += 1
        guard !isWaiting, events.isHeard else { return }
        isWaiting = true
        engine.schedule(at: lastSent.advanced(by: Self.pause), on: .mainActor) { [weak self] in
            MainActor.assumeIsolated { self?.send() }
        }
    }

    /// Sends a frame of the balloon at once.
    func frame(_ balloon: BalloonSnapshot) {
        guard events.isHeard else { return }
        send(ServerEvent("frame", Frame(progress: balloon.progress, frame: balloon.frames)))
    }

    /// Sends new lines of the log, which are created only while a page listens.
    func log(_ lines: () -> [LogLine]) {
        guard events.isHeard else { return }
        let lines = lines()
        if !lines.isEmpty { send(ServerEvent("log", lines)) }
    }

    private func send(_ event: ServerEvent) {
        made += 1
        events.send(event)
    }

    private func send() {
        isWaiting = false
        lastSent = engine.time.uptime()
        if let screen, events.isHeard { send(ServerEvent("screen", screen())) }
    }

    private struct Frame: Encodable {
        var progress: Double
        var frame: Int
    }
}

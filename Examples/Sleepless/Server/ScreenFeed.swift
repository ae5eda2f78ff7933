import ApusTimers
import LoopbackWeb
import SleeplessApp

/// Sends the screen to those who look at it: soon after it changed, and at most twenty times a second.
@MainActor
final class ScreenFeed {
    private static let pause: Duration = .milliseconds(50)

    /// What is listened to.
    nonisolated let events = EventFeed()
    /// Counts the changes.
    private(set) var revision = 0
    /// Counts the events that were made.
    private(set) var made = 0
    /// What is sent.
    var screen: (@MainActor () -> Screen)?

    private let engine: TimerEngine
    private var isWaiting = false
    private var lastSent: UptimeInstant

    init(engine: TimerEngine = .shared) {
        self.engine = engine
        lastSent = engine.time.uptime()
    }

    /// The screen looks different now.
    func changed() {
        revision += 1
        guard !isWaiting, events.isHeard else { return }
        isWaiting = true
        engine.schedule(at: lastSent.advanced(by: Self.pause), on: .mainActor) { [weak self] in
            MainActor.assumeIsolated { self?.send() }
        }
    }

    /// A frame of the balloon, which does not wait.
    func frame(_ balloon: BalloonSnapshot) {
        guard events.isHeard else { return }
        send(ServerEvent("frame", Frame(progress: balloon.progress, frame: balloon.frames)))
    }

    /// New lines of the log; they are asked for when a page listens.
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

public import ApusBackground
public import ApusTimers
import ApusVirtualTime
import Foundation

/// One line of a simulated device's log: an event, its actor and its instant.
public struct DeviceEvent: Sendable, Hashable, CustomStringConvertible {
    /// The origin of an event.
    public enum Actor: String, Sendable, Hashable, CaseIterable {
        /// The person who holds the device; the controls of the simulation are this person's actions.
        case user
        /// The operating system.
        case system
        /// The app under test.
        case app
    }

    /// A kind of event; later versions may add cases.
    public enum What: Sendable, Hashable {
        /// A control was used, such as "press home".
        case control(String)
        /// The app was started, for this reason.
        case launched(String)
        /// The app entered a phase.
        case phase(Phase)
        /// The app was ended, for this reason.
        case terminated(String)
        /// A background task of the app began.
        case backgroundTaskBegan(String)
        /// A background task ended.
        case backgroundTaskEnded(String)
        /// A background task was requested when no more time was granted.
        case backgroundTaskRefused(String)
        /// The expiration handlers of this many background tasks were called.
        case backgroundTasksExpired(Int)
        /// A notification request waits for its instant.
        case notificationScheduled(String)
        /// A pending notification request was removed, or replaced, or displaced by another one.
        case notificationDropped(String)
        /// A notification was shown.
        case notificationDelivered(String)
        /// The audio player changed its state, for example to "playing track-1".
        case audio(String)
        /// The location service changed its state, for example to "started".
        case location(String)
        /// A silent push changed its state, for example to "handed over".
        case push(String)
        /// The transfers of a background session changed, as in "photos 1 begins".
        case transfer(String)
        /// Another part of the device changed its state: the part's name and the state, such as ("temperature", "21
        /// °C").
        case part(String, String)
        /// A background job changed its state: it was submitted, postponed, launched or completed.
        case job(BackgroundJobEvent)
        /// The system warns, as a real system does in its log.
        case warning(String)
        /// The app made a mistake for which a real system ends it, or which makes a test worthless.
        case fault(Fault)
        /// The app under test wrote a line into the log.
        case note(String)
        /// The app's own process wrote a line to its standard output or standard error.
        case printed(String)
    }

    /// The instant of the event on the wall clock.
    public var wall: WallInstant
    /// The time since boot, without sleep.
    public var uptime: UptimeInstant
    /// The time since the device was created, including sleep and restarts, regardless of changes to the clocks.
    public var elapsed: Duration
    /// The origin of the event.
    public var actor: Actor
    /// The event itself.
    public var what: What

    /// Creates an event.
    public init(
        wall: WallInstant, uptime: UptimeInstant, elapsed: Duration = .zero, actor: Actor, what: What
    ) {
        self.wall = wall
        self.uptime = uptime
        self.elapsed = elapsed
        self.actor = actor
        self.what = what
    }

    /// The event in one line, the same on every machine: seconds since 1970, actor, event.
    public var description: String {
        let (seconds, rest) = wall.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = String(rest / 1_000_000)
        return "\(seconds).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) \(actor.rawValue) \(what)"
    }
}

extension DeviceEvent.What: CustomStringConvertible {
    /// The event in words.
    public var description: String {
        switch self {
        case .control(let name): name
        case .launched(let why): "launched: \(why)"
        case .phase(let phase): "phase \(phase.rawValue)"
        case .terminated(let why): "terminated: \(why)"
        case .backgroundTaskBegan(let name): "background task began: \(name)"
        case .backgroundTaskEnded(let name): "background task ended: \(name)"
        case .backgroundTaskRefused(let name): "background task refused: \(name)"
        case .backgroundTasksExpired(let count): "background tasks expired: \(count)"
        case .notificationScheduled(let identifier): "notification scheduled: \(identifier)"
        case .notificationDropped(let identifier): "notification dropped: \(identifier)"
        case .notificationDelivered(let identifier): "notification delivered: \(identifier)"
        case .audio(let text): "audio: \(text)"
        case .location(let text): "location: \(text)"
        case .push(let text): "push: \(text)"
        case .transfer(let text): "transfer: \(text)"
        case .part(let name, let text): "\(name): \(text)"
        case .job(let event): "job: \(event)"
        case .warning(let text): "warning: \(text)"
        case .fault(let fault): "fault: \(fault)"
        case .note(let text): "note: \(text)"
        case .printed(let line): "prints: \(line)"
        }
    }
}

/// The log of a simulated device, in order.
///
/// It may be used from any thread.
final class DeviceLog: Sendable {
    private struct State {
        var events: [DeviceEvent] = []
        var faults: [Fault] = []
        var boot: UInt64 = 0
        var showsOutput = true
    }

    private let state = Locked(State())
    private let time: VirtualTime
    private let start: ContinuousInstant

    init(time: VirtualTime) {
        self.time = time
        start = time.continuous()
    }

    var elapsed: Duration { start.duration(to: time.continuous()) }

    /// Whether lines that the app prints are also written to the standard output of the test.
    var showsOutput: Bool {
        get { state.withLock { $0.showsOutput } }
        set { state.withLock { $0.showsOutput = newValue } }
    }

    var events: [DeviceEvent] { state.withLock { $0.events } }
    var faults: [Fault] { state.withLock { $0.faults } }

    var count: Int { state.withLock { $0.events.count } }

    /// The three lines that were logged most often at this instant, with their counts.
    ///
    /// Lines that were logged only once are left out.
    var repeatedNow: [String] {
        let now = time.uptime().nanoseconds
        let lines = state.withLock { state in
            state.events.reversed().prefix { $0.uptime.nanoseconds == now - state.boot }.map { "\($0.what)" }
        }
        let counts = lines.reduce(into: [:]) { $0[$1, default: 0] += 1 }.filter { $0.value > 1 }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3).map { "“\($0.key)” × \($0.value)" }
    }

    /// Returns the event at an index; `nil` if it has not happened yet.
    func event(_ index: Int) -> DeviceEvent? {
        state.withLock { $0.events.indices.contains(index) ? $0.events[index] : nil }
    }

    /// Restarts the uptime of later events from zero, because the device boots now.
    func restartUptime() {
        let uptime = time.uptime().nanoseconds
        state.withLock { $0.boot = uptime }
    }

    func add(_ actor: DeviceEvent.Actor, _ what: DeviceEvent.What) {
        let (wall, uptime, elapsed) = (time.wall(), time.uptime().nanoseconds, elapsed)
        let showsOutput = state.withLock { state in
            let uptime = UptimeInstant(nanoseconds: uptime - state.boot)
            state.events.append(DeviceEvent(wall: wall, uptime: uptime, elapsed: elapsed, actor: actor, what: what))
            if case .fault(let fault) = what { state.faults.append(fault) }
            return state.showsOutput
        }
        guard showsOutput, case .printed(let line) = what else { return }
        print("[\(elapsed.inSeconds)] \(line)")
        // The output is flushed, so that the line is shown even if the test crashes later.
        fflush(nil)
    }
}

extension Duration {
    /// The duration in seconds with three decimals, rounded down: "12.500 s".
    fileprivate var inSeconds: String {
        let fraction = String(components.attoseconds / 1_000_000_000_000_000)
        return "\(components.seconds).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
    }
}

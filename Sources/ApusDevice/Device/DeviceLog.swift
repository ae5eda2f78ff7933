public import ApusBackground
public import ApusTimers
import ApusVirtualTime
import Foundation

/// One line of a simulated device's log: who did what, and when.
public struct DeviceEvent: Sendable, Hashable, CustomStringConvertible {
    /// Who did it.
    public enum Actor: String, Sendable, Hashable, CaseIterable {
        /// The person with the device in the hand: a control of the simulation.
        case user
        /// The operating system.
        case system
        /// The app under test.
        case app
    }

    /// A kind of event. More cases may be added.
    public enum What: Sendable, Hashable {
        /// A control was used: "press home".
        case control(String)
        /// The app was started.
        case launched(String)
        /// The app entered a phase.
        case phase(Phase)
        /// The app was ended, and why.
        case terminated(String)
        /// A background task was begun in the app's name.
        case backgroundTaskBegan(String)
        /// A background task ended.
        case backgroundTaskEnded(String)
        /// A background task was asked for when no more time was granted.
        case backgroundTaskRefused(String)
        /// The expiration handlers of so many background tasks were called.
        case backgroundTasksExpired(Int)
        /// A notification request waits for its instant.
        case notificationScheduled(String)
        /// A pending notification request was removed or replaced, or made way for another one.
        case notificationDropped(String)
        /// A notification was shown.
        case notificationDelivered(String)
        /// The audio player changed what it does: "playing track-1".
        case audio(String)
        /// The location service changed what it does: "started".
        case location(String)
        /// Something about silent pushes: "handed over".
        case push(String)
        /// Something about the transfers of a background session: "photos 1 begins".
        case transfer(String)
        /// Something about another part of the device, by its name: ("temperature", "21 °C").
        case part(String, String)
        /// Something about a background job: it was submitted, postponed, launched, completed.
        case job(BackgroundJobEvent)
        /// A warning, as a real system prints it.
        case warning(String)
        /// A mistake for which a real system ends the app, or which makes a test worthless.
        case fault(Fault)
        /// A line that the app under test has written.
        case note(String)
        /// A line of the standard output or the error output of the app's own process.
        case printed(String)
    }

    /// The time of day.
    public var wall: WallInstant
    /// Time since boot without sleep.
    public var uptime: UptimeInstant
    /// Time since the device was made, sleep and restarts included, whatever the clocks were set to.
    public var elapsed: Duration
    /// Who.
    public var actor: Actor
    /// What.
    public var what: What

    /// An event.
    public init(
        wall: WallInstant, uptime: UptimeInstant, elapsed: Duration = .zero, actor: Actor, what: What
    ) {
        self.wall = wall
        self.uptime = uptime
        self.elapsed = elapsed
        self.actor = actor
        self.what = what
    }

    /// The event in one line, the same on every machine: seconds since 1970, actor, what.
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

/// The log of a simulated device, in order. From any thread.
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

    /// Whether lines that the app prints are written to the standard output of the test too.
    var showsOutput: Bool {
        get { state.withLock { $0.showsOutput } }
        set { state.withLock { $0.showsOutput = newValue } }
    }

    var events: [DeviceEvent] { state.withLock { $0.events } }
    var faults: [Fault] { state.withLock { $0.faults } }

    var count: Int { state.withLock { $0.events.count } }

    /// The three lines that were logged most often at this instant, with their counts. Lines that came once are left out.
    var repeatedNow: [String] {
        let now = time.uptime().nanoseconds
        let lines = state.withLock { state in
            state.events.reversed().prefix { $0.uptime.nanoseconds == now - state.boot }.map { "\($0.what)" }
        }
        let counts = lines.reduce(into: [:]) { $0[$1, default: 0] += 1 }.filter { $0.value > 1 }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3).map { "“\($0.key)” × \($0.value)" }
    }

    /// The event of that index; nil when it has not happened yet.
    func event(_ index: Int) -> DeviceEvent? {
        state.withLock { $0.events.indices.contains(index) ? $0.events[index] : nil }
    }

    /// The machine starts now: uptime begins again.
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
        // A test that crashes later has shown it.
        fflush(nil)
    }
}

extension Duration {
    /// In seconds with three decimals, rounded down: "12.500 s".
    fileprivate var inSeconds: String {
        let fraction = String(components.attoseconds / 1_000_000_000_000_000)
        return "\(components.seconds).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
    }
}

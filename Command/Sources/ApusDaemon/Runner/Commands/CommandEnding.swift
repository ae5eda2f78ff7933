import ApusClient
import ApusTimers
import Logging
import PlatformC

/// The termination of a command, with everything that it started: SIGTERM, then after the patience SIGKILL,
/// until nothing of it is left. No clock, no process: the owner looks, sends what is asked for, and looks again.
struct CommandEnding: Sendable {
    /// What the owner saw.
    struct Look: Sendable {
        /// The command's processes that run: those of its session, and those that have its token.
        var left: [ProcessEntry]
        /// Whether the command's own process has ended.
        var hasExited: Bool
        /// Whether its output is closed.
        var isOutputClosed: Bool
    }

    /// A signal, and who gets it.
    struct Signal: Hashable, Sendable {
        enum Target: Hashable, Sendable {
            /// The group of the command's own process.
            case group
            case process(Int32)
        }
        var isKill: Bool
        var target: Target
    }

    enum Next: Hashable, Sendable {
        /// Look again after this long.
        case look(Duration)
        /// Nothing of the command is left.
        case gone
        /// Some of it withstood SIGKILL (another user's, or stuck in the kernel).
        case remains
    }

    private enum Phase: Hashable, Sendable {
        case asked, killed, drained
    }

    /// How long SIGKILL may take to show, and a pipe without writers to close.
    static let killPatience: Duration = .seconds(2)
    private static let firstPause: Duration = .milliseconds(2)
    private static let longestPause: Duration = .milliseconds(250)

    private let leader: Int32
    private var phase = Phase.asked
    private var deadline: UptimeInstant
    private var pause = firstPause
    private var groupWasAsked = false
    private var asked: Set<Int32> = []

    /// The end of the command with this process begins.
    init(leader: Int32, patience: Duration, now: UptimeInstant) {
        self.leader = leader
        deadline = now.advanced(by: patience)
    }

    /// The first signal.
    mutating func begin(hasExited: Bool) -> [Signal] {
        // The number of a group without its leader may be another's.
        groupWasAsked = !hasExited
        return hasExited ? [] : [Signal(isKill: false, target: .group)]
    }

    /// The owner looked.
    mutating func looked(_ look: Look, now: UptimeInstant) -> (signals: [Signal], next: Next) {
        if look.left.isEmpty, look.hasExited {
            if look.isOutputClosed { return ([], .gone) }
            // No process of the command writes any more. What is in the pipe is read; then it need not be waited for.
            if phase != .drained { enter(.drained, until: now.advanced(by: Self.killPatience)) }
            return now >= deadline ? ([], .gone) : ([], wait(now))
        }
        if phase == .asked, now >= deadline { enter(.killed, until: now.advanced(by: Self.killPatience)) }
        switch phase {
        case .asked:
            return (ask(look), wait(now))
        case .killed where now >= deadline:
            return ([], .remains)
        case .killed, .drained:
            return (kill(look), wait(now))
        }
    }

    private mutating func enter(_ phase: Phase, until deadline: UptimeInstant) {
        self.phase = phase
        self.deadline = deadline
        pause = Self.firstPause
    }

    /// Processes that the signal to the group does not reach are asked one by one, once each.
    private mutating func ask(_ look: Look) -> [Signal] {
        look.left.compactMap { entry in
            if groupWasAsked, entry.group == leader { return nil }
            return asked.insert(entry.process).inserted ? Signal(isKill: false, target: .process(entry.process)) : nil
        }
    }

    private func kill(_ look: Look) -> [Signal] {
        (look.hasExited ? [] : [Signal(isKill: true, target: .group)])
            + look.left.filter { $0.process != leader }.map { Signal(isKill: true, target: .process($0.process)) }
    }

    private mutating func wait(_ now: UptimeInstant) -> Next {
        defer { pause = min(pause * 2, Self.longestPause) }
        return .look(min(pause, max(now.duration(to: deadline), Self.firstPause)))
    }
}

/// Ends commands with everything that they started, in their group or out of it.
struct CommandEnder: Sendable {
    var engine: TimerEngine
    var table: ProcessTable
    /// How long a command that was asked to end (SIGTERM) has until it is killed.
    var patience: Duration
    var logger: Logger

    /// Ends the command.
    /// - Returns: whether nothing of it is left.
    func end(_ command: RunningCommand, token: String) async -> Bool {
        command.followOutput()
        let leader = command.process
        var ending = CommandEnding(leader: leader, patience: patience, now: engine.time.uptime())
        send(ending.begin(hasExited: command.exit != nil), leader: leader)
        while true {
            // The exit first: what was alive after it is in the table.
            let hasExited = command.exit != nil
            let left = await table.processes().filter { Self.belongs($0, leader: leader, token: token) }
            let look = CommandEnding.Look(
                left: left.filter { $0.process != leader || !hasExited }, hasExited: hasExited,
                isOutputClosed: command.isOutputClosed)
            let (signals, next) = ending.looked(look, now: engine.time.uptime())
            send(signals, leader: leader)
            switch next {
            case .look(let pause): try? await engine.sleep(for: pause)
            case .gone:
                command.closeOutput()
                return true
            case .remains:
                command.closeOutput()
                logger.warning(
                    "processes of a command withstood SIGKILL",
                    metadata: ["processes": "\(left.map(\.process))"])
                return false
            }
        }
    }

    /// A process that cleared its environment is still in the session, unless it left that as well.
    static func belongs(_ entry: ProcessEntry, leader: Int32, token: String) -> Bool {
        entry.token.map { $0 == token } ?? (entry.session == leader)
    }

    private func send(_ signals: [CommandEnding.Signal], leader: Int32) {
        for signal in signals {
            let number = signal.isKill ? SIGKILL : SIGTERM
            switch signal.target {
            case .group: kill(-leader, number)
            case .process(let process): kill(process, number)
            }
        }
    }
}

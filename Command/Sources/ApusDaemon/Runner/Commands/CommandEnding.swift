import ApusClient
import ApusTimers
import Logging
import PlatformC

/// Decides how a command and everything that it started are ended: by SIGTERM and, after `patience`, by SIGKILL, until
/// no process is left.
///
/// It uses no clock and no processes. Its owner observes the processes, sends the signals that this type requests, and
/// observes the processes again.
struct CommandEnding: Sendable {
    /// An observation of the command's processes.
    struct Look: Sendable {
        /// The command's running processes: those of its session, and those with its token.
        var left: [ProcessEntry]
        /// Whether the command's own process has ended.
        var hasExited: Bool
        var isOutputClosed: Bool
    }

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
        /// Observe again after this time.
        case look(Duration)
        /// No process of the command is left.
        case gone
        /// Some processes withstood SIGKILL: they belong to another user, or hang in the kernel.
        case remains
    }

    private enum Phase: Hashable, Sendable {
        case asked, killed, drained
    }

    /// The time within which SIGKILL must take effect, and within which a pipe without writers must close.
    static let killPatience: Duration = .seconds(2)
    private static let firstPause: Duration = .milliseconds(2)
    private static let longestPause: Duration = .milliseconds(250)

    private let leader: Int32
    private var phase = Phase.asked
    private var deadline: UptimeInstant
    private var pause = firstPause
    private var groupWasAsked = false
    private var asked: Set<Int32> = []

    /// Begins to end the command whose own process is `leader`.
    init(leader: Int32, patience: Duration, now: UptimeInstant) {
        self.leader = leader
        deadline = now.advanced(by: patience)
    }

    /// Returns the signal that asks the leader's group to end; empty if the leader has ended.
    mutating func begin(hasExited: Bool) -> [Signal] {
        // The group gets no signal if its leader has ended, because the group's number may then belong to another
        // group.
        groupWasAsked = !hasExited
        return hasExited ? [] : [Signal(isKill: false, target: .group)]
    }

    /// Handles an observation, and returns the signals to send and the next step.
    mutating func looked(_ look: Look, now: UptimeInstant) -> (signals: [Signal], next: Next) {
        if look.left.isEmpty, look.hasExited {
            if look.isOutputClosed { return ([], .gone) }
            // No process of the command writes any more, so the rest of its output is awaited for a short time only.
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

    /// Returns a SIGTERM for each process that the signal to the group does not reach, unless it has already got one.
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

/// Ends commands with all processes that they started, in their group or outside of it.
struct CommandEnder: Sendable {
    var engine: TimerEngine
    var table: ProcessTable
    /// The time that a command has between SIGTERM and SIGKILL.
    var patience: Duration
    var logger: Logger

    /// Ends a command.
    ///
    /// - Returns: whether no process of it is left.
    func end(_ command: RunningCommand, token: String) async -> Bool {
        command.followOutput()
        let leader = command.process
        var ending = CommandEnding(leader: leader, patience: patience, now: engine.time.uptime())
        send(ending.begin(hasExited: command.exit != nil), leader: leader)
        while true {
            // Whether the command's process has ended is read before the table. The table then contains every process
            // that outlived it.
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
                    "processes of a command survived SIGKILL",
                    metadata: ["processes": "\(left.map(\.process))"])
                return false
            }
        }
    }

    /// Returns whether a process belongs to a command.
    ///
    /// A process that cleared its environment still belongs to the command's session, unless it left the session as
    /// well.
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

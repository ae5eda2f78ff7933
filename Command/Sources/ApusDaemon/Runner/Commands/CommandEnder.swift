import ApusClient
import ApusTimers
import Logging
import PlatformC

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

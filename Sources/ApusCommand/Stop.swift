import ApusDaemon
import ApusTimers
import ArgumentParser
import Foundation

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the daemon. Jobs stay, and go on when it is started again.",
        discussion: "Running commands may end within the daemon's grace (10 s).")

    func run() async throws {
        try await reporting {
            let session = try Session()
            let health: WireHealth
            do {
                health = try await session.client.health()
                do { try await session.client.stop() } catch let error as DaemonError where error.code == .noAnswer {
                    // It may have stopped before its answer went out; whether it has is seen below.
                }
            } catch let error as DaemonError where error.code == .notRunning {
                return Terminal.note("apus: no daemon runs for \(session.home.path)")
            }
            if health.running > 0 {
                Terminal.note(
                    "apus: waiting for \(health.running) running \(health.running == 1 ? "command" : "commands")")
            }
            try await session.client.untilStopped()
            Terminal.out("stopped (process \(health.pid))")
        }
    }
}

import ApusClient
import ApusTimers
import ArgumentParser

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the daemon. Jobs are kept, and continue when it is started again.",
        discussion: "Running commands have the daemon's grace period (10 s by default) to end.")

    @Flag(help: "Print JSON: the process that was stopped, or null.")
    var json = false

    private struct Stopped: Encodable {
        @Nullable var pid: Int32? = nil
    }

    func run() async throws {
        try await reporting {
            let session = try Session()
            let health: WireHealth
            do {
                health = try await session.client.health()
                do { try await session.client.stop() } catch let error as DaemonError where error.code == .noAnswer {
                    // The daemon may have stopped before it sent its answer; `untilStopped()` below waits for its end
                    // in any case.
                }
            } catch let error as DaemonError where error.code == .notRunning {
                Terminal.note("apus: no daemon is running for \(session.home.path)")
                return json ? try Terminal.json(Stopped()) : ()
            }
            if health.running > 0 {
                Terminal.note(
                    "apus: waiting for \(health.running) running \(health.running == 1 ? "command" : "commands")")
            }
            try await session.client.untilStopped()
            if json { return try Terminal.json(Stopped(pid: health.pid)) }
            Terminal.out("stopped (process \(health.pid))")
        }
    }
}

import ApusClient
import ArgumentParser

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether a daemon is running, and where, without starting one. Exit code 3 if none is."
    )

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let session = try Session()
            do {
                let health = try await session.client.health()
                if json { return try Terminal.json(health) }
                Terminal.out(
                    "running: process \(health.pid), version \(health.version), since \(When.local(health.started)), "
                        + "\(health.running) \(health.running == 1 ? "command runs" : "commands run") now")
                if let problem = health.problem {
                    let since = health.problemSince.map { " since \(When.local($0))" } ?? ""
                    Terminal.out("the store cannot be used\(since), and nothing starts until it can: \(problem)")
                }
                if let store = health.store, let node = health.node, store != session.home.databasePath {
                    Terminal.out("store \(store), as the node \(node)")
                }
                Terminal.out("home \(health.home), socket \(try await session.client.socketPath())")
            } catch let error as DaemonError where error.code == .notRunning {
                if json {
                    Terminal.out(#"{ "status" : "stopped" }"#)
                } else {
                    Terminal.out("no daemon is running for \(session.home.path)")
                }
                throw ExitCode(3)
            }
        }
    }
}

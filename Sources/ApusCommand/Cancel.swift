import ApusDaemon
import ArgumentParser

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel jobs: what runs is ended, and nothing more is started.")

    @Argument(help: "Identifiers, beginnings of identifiers, or names.")
    var ids: [String] = []

    @Flag(help: "Every job.")
    var all = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only the run of this occurrence, which waits or goes on; the job stays.", valueName: "n"))
    var occurrence: Int?

    func validate() throws {
        if all != ids.isEmpty { throw ValidationError(all ? "--all takes no identifiers" : "name a job, or say --all") }
        if occurrence != nil, ids.count != 1 { throw ValidationError("--occurrence: name one job") }
    }

    func run() async throws {
        try await reporting {
            if let occurrence { return try await cancelRun(occurrence) }
            guard all else { return try await forEach(ids) { "\(try await $0.cancel($1).id) cancelled" } }
            let ids = try await Session().call { try await $0.cancelAll() }
            Terminal.out("\(ids.count) \(ids.count == 1 ? "job" : "jobs") cancelled")
        }
    }

    private func cancelRun(_ occurrence: Int) async throws {
        try await forEach(ids) { client, id in
            let run = try await client.cancelRun(id, occurrence: occurrence)
            // A command is given some seconds to end.
            let fate = run.outcome == "running" ? "is told to end" : "cancelled"
            return "\(run.job) occurrence \(run.occurrence) \(fate)"
        }
    }
}

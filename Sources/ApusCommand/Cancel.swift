import ApusDaemon
import ArgumentParser

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel jobs: what runs is ended, and nothing more is started.")

    @Argument(help: "Identifiers, beginnings of identifiers, or names.")
    var ids: [String] = []

    @Flag(help: "Every job.")
    var all = false

    func validate() throws {
        if all != ids.isEmpty { throw ValidationError(all ? "--all takes no identifiers" : "name a job, or say --all") }
    }

    func run() async throws {
        try await reporting {
            guard all else { return try await forEach(ids) { "\(try await $0.cancel($1).id) cancelled" } }
            let ids = try await Session().call { try await $0.cancelAll() }
            Terminal.out("\(ids.count) \(ids.count == 1 ? "job" : "jobs") cancelled")
        }
    }
}

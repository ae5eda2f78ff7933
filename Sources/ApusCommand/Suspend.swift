import ApusDaemon
import ArgumentParser

struct Suspend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspend jobs: nothing starts until they are resumed; durations keep what is left of them.")

    @Argument(help: "Identifiers, beginnings of identifiers, or names.")
    var ids: [String]

    func run() async throws {
        try await reporting {
            try await forEach(ids) { client, id in
                let job = try await client.suspend(id)
                return "\(job.id) \(When.due(job))"
            }
        }
    }
}

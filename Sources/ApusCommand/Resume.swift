import ApusDaemon
import ArgumentParser

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Resume suspended jobs.")

    @Argument(help: "Identifiers, beginnings of identifiers, or names.")
    var ids: [String]

    func run() async throws {
        try await reporting {
            try await forEach(ids) { client, id in
                let job = try await client.resume(id)
                return "\(job.id) \(When.due(job))"
            }
        }
    }
}

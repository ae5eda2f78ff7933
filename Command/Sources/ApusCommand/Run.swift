import ApusClient
import ApusJobs
import ArgumentParser

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a job now, in addition to its occurrences, even if it has finished.")

    @Argument(help: "An identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String

    @Flag(help: "Print the run as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let run = try await Session().call { try await $0.run(id) }
            if json { return try Terminal.json(run) }
            Terminal.out(
                "\(run.job) \(OccurrenceText.words(run.occurrence)) is requested; `apus logs \(run.job) --follow` shows its output"
            )
        }
    }
}

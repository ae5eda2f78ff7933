import ApusClient
import ApusJobs
import ArgumentParser

struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Retry an occurrence that has failed, was lost or was cancelled, also of a finished job.")

    @Argument(help: "An identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String

    @Argument(help: "The occurrence as apus history shows it (default: the last one that did not succeed).")
    var occurrence: OccurrenceArgument?

    @Flag(help: "Print the run as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let run = try await Session().call { try await $0.retry(id, occurrence: occurrence?.number) }
            if json { return try Terminal.json(run) }
            Terminal.out(
                "\(run.job) \(OccurrenceText.words(run.occurrence)) is tried again, as attempt \(run.attempt); "
                    + "`apus wait \(run.job)` waits for its outcome")
        }
    }
}

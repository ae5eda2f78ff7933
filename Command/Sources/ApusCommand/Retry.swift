import ApusClient
import ApusJobs
import ArgumentParser

struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Retry an occurrence that failed, was lost or was cancelled, even if its job has finished.",
        discussion: """
            With --failed, it asks for confirmation first; in scripts, use --yes.
            """)

    @Argument(help: "An identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String?

    @Argument(
        help: "The occurrence, by its number in apus history (default: the last that did not succeed).",
        transform: OccurrenceText.argument)
    var occurrence: Int?

    @Flag(help: "Every job whose last ended attempt failed or was lost, except cancelled jobs.")
    var failed = false

    @OptionGroup(title: "With --failed") var options: FilterOptions

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation, with --failed.")
    var yes = false

    @Flag(help: "Print the run as JSON; with --failed, all of the runs.")
    var json = false

    func validate() throws {
        if failed == (id != nil) {
            throw ValidationError(
                failed ? "--failed: leave out the name of the job" : "no job is named; name one, or use --failed")
        }
        if !failed { try options.refuse("can only be used with --failed") }
    }

    func run() async throws {
        try await reporting {
            guard let id else { return try await retryFailed() }
            let run = try await Session().call { try await $0.retry(id, occurrence: occurrence) }
            if json { return try Terminal.json(run) }
            Terminal.out(
                "\(run.job) \(OccurrenceText.words(run.occurrence)) is tried again, as attempt \(run.attempt); "
                    + "`apus wait \(run.job)` waits for its outcome")
        }
    }

    private func retryFailed() async throws {
        let filter = try options.filter()
        let session = try Session()
        if !yes {
            let count = try await session.call {
                try await $0.jobCount(states: DaemonClient.retriableStates, filter, failed: true)
            }
            if count > 0 { try Confirmation.require("retry \(jobCount(count))?", isGiven: false) }
        }
        let progress = Progress("retried")
        defer { progress.end() }
        let runs = try await session.call { try await $0.retryFailed(filter) { progress.show($0) } }
        progress.end()
        if json { return try Terminal.json(WireRetried(runs: runs)) }
        Terminal.out("\(jobCount(runs.count)) retried")
    }
}

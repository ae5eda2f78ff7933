import ApusClient
import ArgumentParser

struct Suspend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspend jobs: nothing starts until they are resumed, and durations keep their remaining time.")

    @Argument(help: "Identifiers, beginnings of identifiers, or names.", completion: .jobs)
    var ids: [String]

    @Flag(help: "Print the jobs as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            try await forEach(ids) {
                try await $0.suspend($1)
            } done: { jobs in
                if json { return try Terminal.json(ChangedJobs(jobs: jobs)) }
                for job in jobs { Terminal.out("\(job.id) \(When.due(job))") }
            }
        }
    }
}

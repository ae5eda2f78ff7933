import ApusClient
import ArgumentParser

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Resume suspended jobs.")

    @Argument(help: "Identifiers, beginnings of identifiers, or names.", completion: .jobs)
    var ids: [String]

    @Flag(help: "Print the jobs as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            try await forEach(ids) {
                try await $0.resume($1)
            } done: { jobs in
                if json { return try Terminal.json(ChangedJobs(jobs: jobs)) }
                for job in jobs { Terminal.out("\(job.id) \(When.due(job))") }
            }
        }
    }
}

import ApusClient
import ApusJobs
import ArgumentParser

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete ended jobs, with their history and output, before the end of their retention.",
        discussion: """
            With --ended or --failed, it asks for confirmation first; in scripts, use --yes.

            Use apus cancel first for a job that has not ended.
            """)

    @Argument(help: "Identifiers, beginnings of identifiers, or names.", completion: .jobs)
    var ids: [String] = []

    @Flag(help: "Every job that has ended.")
    var ended = false

    @Flag(help: "Every ended job whose last attempt failed or was lost.")
    var failed = false

    @OptionGroup(title: "With --ended or --failed") var options: FilterOptions

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation, with --ended or --failed.")
    var yes = false

    @Flag(help: "Print the number of deleted jobs as JSON.")
    var json = false

    func validate() throws {
        guard [!ids.isEmpty, ended, failed].count(where: { $0 }) == 1 else {
            throw ValidationError("use exactly one of: names of jobs, --ended, --failed")
        }
        if !ids.isEmpty {
            try options.refuse("cannot be used with named jobs; use --ended or --failed instead of the names")
        }
    }

    func run() async throws {
        try await reporting {
            guard ids.isEmpty else {
                return try await forEach(ids) {
                    try await $0.delete($1)
                    return $1
                } done: { deleted in
                    if json { return try Terminal.json(WireDeleted(deleted: deleted.count)) }
                    for job in deleted { Terminal.out("\(job) deleted") }
                }
            }
            try await deleteMany()
        }
    }

    private func deleteMany() async throws {
        let filter = try options.filter()
        let session = try Session()
        if !yes {
            let count = try await session.call {
                try await $0.jobCount(states: DaemonClient.endedStates, filter, failed: failed)
            }
            if count > 0 { try Confirmation.require("delete \(jobCount(count))?", isGiven: false) }
        }
        let progress = Progress("deleted")
        defer { progress.end() }
        let count = try await session.call { try await $0.deleteEnded(filter, failed: failed) { progress.show($0) } }
        progress.end()
        if json { return try Terminal.json(WireDeleted(deleted: count)) }
        Terminal.out("\(jobCount(count)) deleted")
    }
}

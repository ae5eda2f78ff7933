import ApusClient
import ApusJobs
import ArgumentParser

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel jobs: running commands are ended, and no further runs start.",
        discussion: """
            With --all, --label, --queue or --fairness-key, it asks for confirmation first; in scripts, use --yes.
            """)

    @Argument(help: "Identifiers, beginnings of identifiers, or names.", completion: .jobs)
    var ids: [String] = []

    @Flag(help: "Every job that has not ended.")
    var all = false

    @OptionGroup(title: "Instead of jobs") var options: FilterOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Cancel only the waiting or running run of this occurrence (its number in apus history); the job stays.",
            valueName: "n"), transform: OccurrenceText.argument)
    var occurrence: Int?

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Print what was cancelled as JSON.")
    var json = false

    func validate() throws {
        let ways = [!ids.isEmpty, all, !options.isEmpty].count(where: { $0 })
        guard ways == 1 else {
            throw ValidationError(
                ways == 0
                    ? "no job is named; name jobs, or use --all, --label, --queue or --fairness-key"
                    : "use only one of: names of jobs, --all, filters (--label, --queue, --fairness-key)")
        }
        if occurrence != nil, ids.count != 1 { throw ValidationError("--occurrence: name exactly one job") }
    }

    func run() async throws {
        try await reporting {
            if let occurrence { return try await cancelRun(occurrence) }
            guard ids.isEmpty else {
                return try await forEach(ids) {
                    try await $0.cancel($1)
                } done: { jobs in
                    let cancelled = jobs.filter { $0.state == "cancelled" }
                    if json { return try Terminal.json(WireCancelled(cancelled: cancelled.map(\.id))) }
                    for job in jobs {
                        Terminal.out("\(job.id) \(job.state == "cancelled" ? "cancelled" : "had already \(job.state)")")
                    }
                }
            }
            try await cancelMany()
        }
    }

    private func cancelMany() async throws {
        let filter = try options.filter()
        let session = try Session()
        if !yes {
            let count = try await session.call { try await $0.jobCount(states: DaemonClient.openStates, filter) }
            if count > 0 { try Confirmation.require("cancel \(jobCount(count))?", isGiven: false) }
        }
        let progress = Progress("cancelled")
        defer { progress.end() }
        let ids = try await session.call { try await $0.cancelAll(filter) { progress.show($0) } }
        progress.end()
        if json { return try Terminal.json(WireCancelled(cancelled: ids)) }
        Terminal.out("\(jobCount(ids.count)) cancelled")
    }

    private func cancelRun(_ occurrence: Int) async throws {
        let run = try await Session().call { try await $0.cancelRun(ids[0], occurrence: occurrence) }
        if json { return try Terminal.json(run) }
        // A running command gets some seconds to end, so it is not cancelled yet.
        let fate = run.outcome == "running" ? "is being cancelled" : "cancelled"
        Terminal.out("\(run.job) \(OccurrenceText.words(run.occurrence)) \(fate)")
    }
}

import ApusClient
import ApusJobs
import ArgumentParser

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel jobs: running commands are ended, and no further runs start.",
        discussion: """
            With --all or --label, it asks at the terminal whether to cancel that many jobs; in scripts, say --yes.
            """)

    @Argument(help: "Identifiers, beginnings of identifiers, or names.", completion: .jobs)
    var ids: [String] = []

    @Flag(help: "Every job that has not ended.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "The jobs with this label; given several times, those with all of the labels.", valueName: "key=value"))
    var label: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only the run of this occurrence, as apus history shows it, waiting or running; the job stays.",
            valueName: "n"))
    var occurrence: OccurrenceArgument?

    @Flag(name: .shortAndLong, help: "Do not ask, with --all and --label.")
    var yes = false

    @Flag(help: "Print what was cancelled as JSON.")
    var json = false

    func validate() throws {
        switch (ids.isEmpty, all, label.isEmpty) {
        case (false, false, true), (true, true, true), (true, false, false): break
        case (true, false, true): throw ValidationError("name a job, or say --all or --label KEY=VALUE")
        default: throw ValidationError("give one of: identifiers, --all, --label KEY=VALUE")
        }
        if occurrence != nil, ids.count != 1 { throw ValidationError("--occurrence: name one job") }
    }

    func run() async throws {
        try await reporting {
            _ = try JobOptions.pairs(label, option: "--label")
            if let occurrence { return try await cancelRun(occurrence.number) }
            guard ids.isEmpty else {
                return try await forEach(ids) {
                    try await $0.cancel($1)
                } done: { jobs in
                    let cancelled = jobs.filter { $0.state == "cancelled" }
                    if json { return try Terminal.json(WireCancelled(cancelled: cancelled.map(\.id))) }
                    for job in jobs {
                        Terminal.out("\(job.id) \(job.state == "cancelled" ? "cancelled" : "had \(job.state) before")")
                    }
                }
            }
            try await cancelMany()
        }
    }

    private func cancelMany() async throws {
        let session = try Session()
        if !yes {
            let count = try await session.call {
                try await $0.jobCount(states: ["scheduled", "suspended"], JobFilter(labels: label))
            }
            if count > 0 { try Confirmation.require("cancel \(jobCount(count))?", isGiven: false) }
        }
        let progress = Progress("cancelled")
        defer { progress.end() }
        let ids = try await session.call { try await $0.cancelAll(labels: label) { progress.show($0) } }
        progress.end()
        if json { return try Terminal.json(WireCancelled(cancelled: ids)) }
        Terminal.out("\(jobCount(ids.count)) cancelled")
    }

    private func cancelRun(_ occurrence: Int) async throws {
        let run = try await Session().call { try await $0.cancelRun(ids[0], occurrence: occurrence) }
        if json { return try Terminal.json(run) }
        // A command is given some seconds to end.
        let fate = run.outcome == "running" ? "is being cancelled" : "cancelled"
        Terminal.out("\(run.job) \(OccurrenceText.words(run.occurrence)) \(fate)")
    }
}

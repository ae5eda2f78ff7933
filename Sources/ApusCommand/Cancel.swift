import ApusDaemon
import ArgumentParser

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel jobs: running commands are ended, and no further runs start.",
        discussion: """
            --all and --label say how many jobs it would cancel, and ask at the terminal; in scripts, say --yes.
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
        help: ArgumentHelp("Only the run of this occurrence, waiting or running; the job stays.", valueName: "n"))
    var occurrence: Int?

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
            if let occurrence { return try await cancelRun(occurrence) }
            guard ids.isEmpty else {
                return try await forEach(ids) {
                    try await $0.cancel($1)
                } done: { jobs in
                    if json { return try Terminal.json(WireCancelled(cancelled: jobs.map(\.id))) }
                    for job in jobs { Terminal.out("\(job.id) cancelled") }
                }
            }
            try await cancelMany()
        }
    }

    private func cancelMany() async throws {
        let session = try Session()
        if !yes {
            let count = try await session.call { try await $0.allJobs(labels: label) }.count
            if count > 0 { try Confirmation.require("cancel \(jobCount(count))?", isGiven: false) }
        }
        let ids = try await session.call { try await $0.cancelAll(labels: label) }
        if json { return try Terminal.json(WireCancelled(cancelled: ids)) }
        Terminal.out("\(jobCount(ids.count)) cancelled")
    }

    private func cancelRun(_ occurrence: Int) async throws {
        let run = try await Session().call { try await $0.cancelRun(ids[0], occurrence: occurrence) }
        if json { return try Terminal.json(run) }
        // A command is given some seconds to end.
        let fate = run.outcome == "running" ? "is being cancelled" : "cancelled"
        Terminal.out("\(run.job) occurrence \(run.occurrence) \(fate)")
    }
}

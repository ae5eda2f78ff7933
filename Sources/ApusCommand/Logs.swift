import ApusDaemon
import ArgumentParser

struct Logs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Print what a job's last run printed (its last 64 KiB).")

    @Argument(help: "An identifier, the beginning of one, or a name.")
    var id: String

    @Flag(help: "Go on with what it prints from now on, until it can run no more.")
    var follow = false

    @Option(help: ArgumentHelp("Another occurrence than the last.", valueName: "n"))
    var occurrence: Int?

    func run() async throws {
        try await reporting {
            let session = try Session()
            let output = try await session.call { try await $0.logs(id, occurrence: occurrence) }
            Terminal.out(output)
            guard follow else { return }
            let job = try await session.client.job(id)
            guard job.state == "scheduled" || job.state == "suspended" else { return }
            try await session.client.listen(job: job.id, terminal: true) { event in
                guard let event else { return true }
                switch event.name {
                case "output":
                    Terminal.out(try event.decoded(as: WireOutput.self).text, terminator: "")
                case "notification":
                    Terminal.note("\u{7}\(try event.decoded(as: WireNotification.self).text)")
                case "run":
                    let run = try event.decoded(as: WireRun.self)
                    if run.finished != nil || run.outcome == "skipped" { Terminal.note("apus: \(History.line(run))") }
                case "job":
                    let job = try event.decoded(as: WireJob.self)
                    return job.state == "scheduled" || job.state == "suspended"
                default:
                    break
                }
                return true
            }
        }
    }
}

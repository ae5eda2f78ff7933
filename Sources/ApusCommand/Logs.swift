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
            guard follow else {
                Terminal.out(try await session.call { try await $0.logs(id, occurrence: occurrence) })
                return
            }
            let job = try await session.call { try await $0.job(id) }
            var printed: WireRun?
            try await session.client.listen(job: job.id, terminal: true) { event in
                guard let event else {
                    // Only now, when nothing that happens meanwhile is missed.
                    printed = try await printLast(of: job.id, session.client)
                    return Self.canRun(try await session.client.job(job.id))
                }
                switch event.name {
                case "output":
                    let output = try event.decoded(as: WireOutput.self)
                    guard output.occurrence != printed?.occurrence || output.attempt != printed?.attempt else { break }
                    Terminal.out(Array(output.text.utf8))
                case "lost":
                    let lost = try event.decoded(as: WireLost.self)
                    if lost.outputBytes > 0 {
                        Terminal.note("apus: it prints faster than this reads; \(lost.outputBytes) bytes are left out")
                    }
                    // The end of the job may be among what was left out.
                    return lost.events == 0 ? true : Self.canRun(try await session.client.job(job.id))
                case "notification":
                    Terminal.note("\u{7}\(lines: try event.decoded(as: WireNotification.self).text)")
                case "run":
                    let run = try event.decoded(as: WireRun.self)
                    if run.finished != nil || run.outcome == "skipped" { Terminal.note("apus: \(History.line(run))") }
                case "job":
                    return Self.canRun(try event.decoded(as: WireJob.self))
                default:
                    break
                }
                return true
            }
        }
    }

    private static func canRun(_ job: WireJob) -> Bool { job.state == "scheduled" || job.state == "suspended" }

    /// Prints what the last run that has ended has printed. Its output is among the events too, if it has just ended.
    private func printLast(of job: String, _ client: DaemonClient) async throws -> WireRun? {
        let last = try await client.runs(job: job, begun: true, limit: 100).runs.first { $0.finished != nil }
        Terminal.out(try await client.logs(job, occurrence: occurrence ?? last?.occurrence))
        return occurrence == nil ? last : nil
    }
}

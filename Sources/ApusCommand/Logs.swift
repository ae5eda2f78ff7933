import ApusDaemon
import ArgumentParser

struct Logs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Print what a job's last run printed (its last 64 KiB).")

    @Argument(help: "An identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String

    @Flag(
        help: "Go on with what it prints from now on, until it can run no more; also over restarts of the daemon.")
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
            var log = JobLog(client: session.client, job: try await session.call { try await $0.job(id) })
            try await log.begin(at: occurrence)
            // A daemon that was stopped stays so.
            try await JobFollower(session: session, job: log.job.id, restartsDaemon: false).follow {
                try await log.look($0)
            } note: { text in
                Terminal.note("\u{7}\(lines: text)")
            } event: { event in
                try await log.take(event)
            } interrupted: {
                log.interrupt()
            }
        }
    }
}

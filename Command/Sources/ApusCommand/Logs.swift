import ApusClient
import ApusJobs
import ArgumentParser

struct Logs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Print the output of the run in progress, or else of the last run (its last 64 KiB).")

    @Argument(help: "An identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String

    @Flag(
        help: "Print new output until the job has ended, even if the daemon is restarted.")
    var follow = false

    @Option(
        name: [.customLong("run"), .customLong("occurrence")], parsing: .unconditional,
        help: ArgumentHelp("The output of this occurrence (its number in apus history).", valueName: "n"),
        transform: OccurrenceText.argument)
    var occurrence: Int?

    func run() async throws {
        try await reporting {
            let session = try Session()
            guard follow else { return try await printOnce(session) }
            var log = JobLog(client: session.client, job: try await session.call { try await $0.job(id) })
            try await log.begin(at: occurrence)
            // A daemon that has died or was stopped is not started again.
            try await JobFollower(session: session, job: log.job.id, restartsDaemon: false, replaysOutput: true).follow
            {
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

    private func printOnce(_ session: Session) async throws {
        let output = try await session.call { try await $0.logs(id, occurrence: occurrence, running: true) }
        Terminal.out(output)
        guard output.isEmpty else { return }
        // The output is empty if the run has printed nothing, and if there is no such run. Only the second case is an
        // error.
        let runs = try await session.call {
            try await $0.runs(job: id, occurrence: occurrence, begun: true, limit: 1)
        }
        if let occurrence, runs.runs.isEmpty {
            throw DaemonError(
                .jobs(.notFound),
                "\(id): no attempt at \(OccurrenceText.words(occurrence)) has begun, or its history is gone; apus history \(id) shows the runs"
            )
        }
    }
}

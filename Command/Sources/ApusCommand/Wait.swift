import ApusClient
import ApusJobs
import ArgumentParser

struct Wait: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract:
            "Wait for the outcome of a job's run in progress, else of its next run; exit with its exit code.",
        discussion: """
            For a job that has ended, it reports the last run. A run that is tried again has no outcome yet.
            Exit codes: the command's own (0 after a success, 127 if it could not be started); 1 for a failure \
            without one; 124 after --timeout; 125 if the run was cancelled, skipped or lost, the job ended before it, \
            or the daemon was stopped.
            """)

    /// The exit code of timeout(1) after its time limit.
    private static let timedOut = ExitCode(124)
    private static let noExitCode = ExitCode(125)

    @Argument(help: "An identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String

    @Option(help: ArgumentHelp("How long to wait at most; the job continues.", valueName: "duration"))
    var timeout: String?

    @Flag(help: "Print the run as JSON; null if the job ended before it.")
    var json = false

    func run() async throws {
        try await reporting {
            let limit = try timeout.map { try DurationText.parse($0, argument: "--timeout") }
            let session = try Session()
            let job = try await session.call { try await $0.job(id) }
            let waiting = OutcomeWait(session: session, job: job)
            let end: OutcomeWait.End
            do {
                end =
                    if let limit { try await within(limit) { try await waiting.end() } } else {
                        try await waiting.end()
                    }
            } catch is DeadlineExceeded {
                Terminal.note("apus: \(job.id) has no outcome after \(DurationText.format(limit ?? .zero))")
                throw Self.timedOut
            } catch is JobFollower.Stopped {
                Terminal.note("apus: the daemon was stopped before \(job.id) had an outcome")
                throw Self.noExitCode
            }
            switch end {
            case _ where json: try Terminal.json(end.run)
            case .outcome(let run): Terminal.out("\(run.job) \(History.line(run))")
            case .without(let reason): Terminal.note("apus: \(job.id) \(reason) before the run")
            }
            let code = Self.exitCode(end.run)
            if code != .success { throw code }
        }
    }

    private static func exitCode(_ run: WireRun?) -> ExitCode {
        switch run?.outcome {
        case "succeeded": .success
        case "failed": run?.exitCode.flatMap { $0 == 0 ? nil : ExitCode(Int32(clamping: $0)) } ?? .failure
        default: noExitCode
        }
    }
}

/// Waits for the outcome of one occurrence.
private struct OutcomeWait: Sendable {
    let session: Session
    let job: WireJob

    enum End: Sendable {
        case outcome(WireRun)
        /// The job has ended without an outcome; `reason` completes a sentence about the job, such as `was cancelled`.
        case without(reason: String)

        var run: WireRun? { if case .outcome(let run) = self { run } else { nil } }
    }

    /// Waits for the outcome of the oldest open occurrence, or else of the next occurrence, or else of the last one.
    ///
    /// - Returns: the outcome, or the reason why the job ended without one.
    func end() async throws -> End {
        var occurrence: Int?
        var outcome: WireRun?
        var reason = "ended"
        func look(_ client: DaemonClient) async throws -> Bool {
            let current = try await client.job(job.id)
            // If another job has the identifier, this job was replaced.
            guard current.created == job.created else {
                reason = "was replaced"
                return false
            }
            if current.state == "cancelled" { reason = "was cancelled" }
            if occurrence == nil { occurrence = try await client.why(job.id).occurrence }
            guard let occurrence else { return false }
            outcome = try await client.runs(job: job.id, occurrence: occurrence, limit: 100).runs.first(where: \.final)
            return outcome == nil && isOpen(current)
        }
        try await JobFollower(session: session, job: job.id).follow(look: look) { text in
            Terminal.note("\u{7}\(lines: text)")
        } event: { event in
            switch event.name {
            case "run":
                let run: WireRun = try event.decoded()
                guard run.final, let occurrence, (run.occurrence...run.through).contains(occurrence) else {
                    return true
                }
                outcome = run
                return false
            case "job":
                // The daemon may report the end of the job before the end of its run.
                let current: WireJob = try event.decoded()
                return isOpen(current) && current.created == job.created ? true : try await look(session.client)
            default:
                return true
            }
        }
        return outcome.map(End.outcome) ?? .without(reason: reason)
    }

    private func isOpen(_ job: WireJob) -> Bool { job.state == "scheduled" || job.state == "suspended" }
}

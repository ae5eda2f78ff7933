import ApusDaemon
import ApusJobs
import ArgumentParser
import Foundation

/// Jobs in a file: what `apus export` writes, and `apus import` reads.
struct ExportedJobs: Codable {
    static let currentVersion = 1

    struct ExportedJob: Codable {
        var submission: WireSubmission
        var suspended: Bool
    }

    var version = currentVersion
    var jobs: [ExportedJob]
}

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the jobs that have not ended as JSON, for apus import.",
        discussion: """
            Jobs that count elapsed time are written with the instant at which they are due now; intervals begin anew when \
            they are imported. Identifiers and history stay here; apus store copy takes everything along. The file has the \
            commands' variables and the webhooks' headers: keep it as you keep those.
            """)

    @Option(help: ArgumentHelp("Only jobs with this label; can be given several times.", valueName: "key=value"))
    var label: [String] = []

    func run() async throws {
        try await reporting {
            let jobs = try await Session().call { try await $0.allJobs(labels: label) }
            try Terminal.json(ExportedJobs(jobs: jobs.map(Self.exported)))
            Terminal.note("\(jobs.count) \(jobs.count == 1 ? "job" : "jobs") exported")
        }
    }

    static func exported(_ job: WireJob) -> ExportedJobs.ExportedJob {
        var trigger = job.trigger
        if trigger.after != nil {
            if let due = job.nextDue {
                trigger = WireTrigger(at: due)
            } else if let left = job.remainingMs {
                trigger = WireTrigger(after: DurationText.iso8601(.milliseconds(left)))
            }
        }
        return ExportedJobs.ExportedJob(
            submission: WireSubmission(
                name: job.name, kind: job.kind, trigger: trigger, action: job.action, policies: job.policies,
                labels: job.labels, queue: job.queue, priority: job.priority, unique: job.unique,
                // The same job, however often it is imported.
                idempotencyKey: "export \(job.id) \(job.created)"),
            suspended: job.state == "suspended")
    }
}

extension DaemonClient {
    /// The jobs that have not ended, with these labels.
    func allJobs(labels: [String]) async throws -> [WireJob] {
        var jobs: [WireJob] = []
        var after: String?
        repeat {
            let page = try await self.jobs(
                states: ["scheduled", "suspended"], labels: labels, limit: 1_000, after: after)
            jobs += page.jobs
            after = page.next
        } while after != nil
        return jobs
    }
}

import ApusDaemon
import ArgumentParser
import Foundation

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Create jobs from a crontab, or from the output of apus export. Repeating it changes nothing.",
        subcommands: [ImportJobs.self, ImportCrontab.self], defaultSubcommand: ImportJobs.self)
}

struct ImportJobs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Create the jobs that apus export wrote, once each. Intervals start again.")

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @Flag(help: "Print what was done as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let exported: ExportedJobs
            do {
                exported = try JSONDecoder().decode(ExportedJobs.self, from: try InputFile(file).contents())
            } catch let error as DecodingError {
                throw ValidationError("file: \(file) is not what apus export writes: \(error.summary)")
            }
            guard exported.version == ExportedJobs.currentVersion else {
                throw ValidationError(
                    "file: \(file) has version \(exported.version); this apus reads version \(ExportedJobs.currentVersion)"
                )
            }
            var report = ImportReport()
            let known = Set(try await Session().call { try await $0.allJobs(labels: []) }.map(\.id))
            for job in exported.jobs {
                let submission = job.submission
                let made = try await Session().call { try await $0.submit(submission) }
                // The job of an earlier import may have ended since.
                let isNew = !known.contains(made.id) && ["scheduled", "suspended"].contains(made.state)
                if isNew, job.suspended { _ = try await Session().call { try await $0.suspend(made.id) } }
                report.jobs.append(
                    ImportedJob(
                        outcome: isNew ? .created : .unchanged, id: made.id, name: made.name,
                        schedule: When.trigger(made.trigger), action: made.action.text))
            }
            try report.print(json: json)
        }
    }
}

extension DecodingError {
    /// What is wrong, and where.
    var summary: String {
        let context =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            @unknown default: DecodingError.Context(codingPath: [], debugDescription: "\(self)")
            }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    }
}

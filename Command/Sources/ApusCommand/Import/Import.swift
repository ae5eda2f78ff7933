import ApusClient
import ApusJobs
import ArgumentParser

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Create jobs from a crontab, or from the output of apus export. Repeating an import changes nothing.",
        subcommands: [ImportJobs.self, ImportCrontab.self], defaultSubcommand: ImportJobs.self)
}

struct ImportJobs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Create the jobs that apus export wrote, once each: all of them, or none.",
        discussion: """
            A job continues where it was: it keeps its counts, its next due time and, unless another job has it, its \
            identifier. Nothing that was due before the import runs: a repeating job continues with its next \
            occurrence, and a job that was due once has ended. A job that exists already stays as it is; a cancelled \
            one is created again.
            """)

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @Flag(help: "Print what would be done, and change nothing.")
    var dryRun = false

    @Flag(help: "Print what was done as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let exported: ExportedJobs
            let bytes = try InputFile(file).contents()
            do { exported = try StrictJSON.decode(from: bytes) } catch let error as DaemonError {
                let hint = bytes.looksLikeJSON ? "" : "; for a crontab, use: apus import crontab \(file)"
                throw ValidationError(
                    "file: \(file) is not in the form that apus export writes: \(error.message)\(hint)")
            }
            guard (1...ExportedJobs.currentVersion).contains(exported.version) else {
                throw ValidationError(
                    "file: \(file) has version \(exported.version); this apus reads versions 1 to \(ExportedJobs.currentVersion); update apus"
                )
            }
            var report = ImportReport(source: file)
            for (index, job) in exported.jobs.enumerated() {
                do { _ = try job.hasEnded(at: When.now, in: SystemTimeZones.shared) } catch {
                    report.invalid.append(.init(job: index + 1, text: ImportReport.text(of: error)))
                }
            }
            try await report.finish(
                WireImport(jobs: exported.jobs, dryRun: dryRun ? true : nil), json: json)
        }
    }
}

extension Sequence<UInt8> {
    /// Whether the bytes begin like a JSON object or array, which no line of a crontab does.
    var looksLikeJSON: Bool {
        let first = first { !" \t\r\n".utf8.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}

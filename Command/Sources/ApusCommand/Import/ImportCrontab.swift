import ApusCalendar
import ApusClient
import ApusJobs
import ArgumentParser
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ImportCrontab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crontab",
        abstract: "Create a job for each line of a crontab: all of them, or none.",
        discussion: """
            As cron does, the jobs run in the user's home with cron's few variables, miss what was due while nothing ran, and \
            may overlap. A job is known again by the file's path and its command: a second import changes what has \
            changed, and prints which jobs are no longer in the file. Of a system's crontab only the lines of the user who \
            imports it are taken. A line that cron would refuse stops the import, before anything is changed.
            """)

    @Argument(help: "The file, or - for standard input (default: what crontab -l prints).")
    var file: String?

    @Flag(help: "The sixth field is a user; assumed for /etc/crontab and the files in /etc/cron.d.")
    var system = false

    @Flag(help: "Print what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Cancel jobs of an earlier import whose lines are gone; without it, they stay.")
    var prune = false

    @Flag(help: "Leave out the lines that are invalid, and import the others.")
    var skipInvalid = false

    @Option(help: ArgumentHelp("The zone of the schedules (default: the system's).", valueName: "zone"))
    var tz: String?

    @Flag(help: "Print what was done as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            if let tz { _ = try TimeText.zone(named: tz) }
            let (bytes, source) = try contents()
            guard !bytes.looksLikeJSON else {
                throw ValidationError(
                    "file: \(source) is JSON and no crontab; for what apus export writes: apus import \(source)")
            }
            let isSystem = system || source == "/etc/crontab" || source.utf8.starts(with: "/etc/cron.d/".utf8)
            let login = CommandSurroundings.ofThisUser().variables
            let user = login["USER"] ?? ""
            let plan = CrontabImport(
                Crontab(bytes, isSystem: isSystem, user: user), source: source,
                zone: tz ?? SystemTimeZones.shared.local.name, user: user, home: login["HOME"] ?? "/")
            var report = plan.report
            if skipInvalid { report.skipInvalid() }
            try await report.finish(
                WireImport(
                    jobs: plan.jobs, crontab: source, prune: prune ? true : nil, dryRun: dryRun ? true : nil),
                json: json)
        }
    }

    private func contents() throws -> (bytes: Data, source: String) {
        guard let file else {
            guard let bytes = Self.output(of: "exec crontab -l") else {
                throw ValidationError("crontab -l failed; name a file, or - for standard input")
            }
            return (Data(bytes), "crontab")
        }
        let path = URL(filePath: file).standardizedFileURL.path
        // The path of a pipe says nothing about what comes through it.
        let isPipe = file == "-" || ["/dev/", "/proc/"].contains { path.utf8.starts(with: $0.utf8) }
        return (try InputFile(file).contents(), isPipe ? "-" : path)
    }

    /// Runs a line of the shell and returns its output; `nil` if it fails.
    private static func output(of line: String) -> [UInt8]? {
        guard let stream = popen(line, "r") else { return nil }
        var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 64 * 1024))
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        return pclose(stream) == 0 ? bytes : nil
    }
}

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
            As with cron, the jobs run in the user's home folder with cron's few variables, skip what was due while no \
            daemon was running, and may overlap. A job is recognized by the path of the file and its command: a second \
            import updates the jobs whose lines have changed, and prints the jobs whose lines are gone. From a \
            system's crontab, only the lines of the importing user are imported. If cron would refuse a line, nothing \
            is imported.
            """)

    @Argument(help: "The file, or - for standard input (default: the output of crontab -l).")
    var file: String?

    @Flag(help: "The sixth field is a user; this is assumed for /etc/crontab and the files in /etc/cron.d.")
    var system = false

    @Flag(help: "Print what would be done, and change nothing.")
    var dryRun = false

    @Flag(help: "Cancel the jobs of an earlier import whose lines are gone (default: they stay).")
    var prune = false

    @Flag(help: "Leave out the lines that are invalid, and import the others.")
    var skipInvalid = false

    @Option(help: ArgumentHelp("The time zone of the schedules (default: the system's).", valueName: "zone"))
    var tz: String?

    @Flag(help: "Print what was done as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            if let tz { _ = try TimeText.zone(named: tz) }
            let (bytes, source) = try contents()
            guard !bytes.looksLikeJSON else {
                throw ValidationError(
                    "file: \(source) is JSON, not a crontab; for the output of apus export, use: apus import \(source)")
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

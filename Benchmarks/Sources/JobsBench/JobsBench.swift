import ApusClient
import BenchSupport
import Foundation

/// The benchmark of the costs and the lateness of durable jobs, in the program's own process and in the real daemon.
///
/// `jobs-bench` compares them with raw SQLite on the same disk, in one run; `jobs-bench --help` lists the options.
@main
enum JobsBench {
    static func main() async throws {
        let options: Options
        do {
            options = try Options(CommandLine.arguments.dropFirst())
        } catch {
            note("jobs-bench: \(error.reason)\n\n\(Options.usage)", terminator: "")
            exit(64)
        }
        var report = Report(program: "jobs-bench", json: options.json)
        // The path is short, because the daemon's socket is in a home below this folder, and the path of a socket must
        // be short.
        let directory =
            URL(filePath: "\(options.directory)/jobs-bench-\(ProcessInfo.processInfo.processIdentifier)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)

        let peers = Peers(program: options.peers, directory: directory, quick: options.quick)
        for subject in options.subjects {
            await report.add(subject.rawValue) {
                try await subject.measure(options, directory: directory, peers: peers)
            }
            DaemonProcess.killAll()
        }
        try? FileManager.default.removeItem(atPath: directory)
        exit(try report.finish(hint: options.subjects.contains(where: \.hasPeers) ? peers.hint : nil))
    }
}

/// A group of figures that can be measured separately.
enum Subject: String, CaseIterable {
    case runs
    case submits
    case lateness
    case daemon
    case streams
    case home
    case million

    /// Whether the subject needs the built `apus`.
    var needsCommand: Bool { [.daemon, .streams, .home, .million].contains(self) }

    /// Whether other libraries are measured too.
    var hasPeers: Bool { self == .runs || self == .submits || self == .lateness }

    func measure(_ options: Options, directory: String, peers: Peers) async throws -> ComparisonTable {
        switch self {
        case .runs: try await NoOpRuns(directory: directory, quick: options.quick).table(peers)
        case .submits: try await Submissions(directory, quick: options.quick).table(peers)
        case .lateness: try await Lateness(directory: directory, quick: options.quick).table(peers)
        case .daemon: try await warmDaemon(options, directory)
        case .streams:
            try await Streams(
                daemon: DaemonProcess(apus: options.apus, home: Home(path: "\(directory)/streams")),
                quick: options.quick
            ).table()
        case .home:
            try await LargeHome(apus: options.apus, folder: "\(directory)/large", quick: options.quick).table()
        case .million:
            try await Million(
                apus: options.apus, folder: options.keep ?? "\(directory)/million", quick: options.quick,
                jobs: options.jobs
            ).table()
        }
    }

    private func warmDaemon(_ options: Options, _ directory: String) async throws -> ComparisonTable {
        let daemon = DaemonProcess(apus: options.apus, home: Home(path: "\(directory)/home"))
        try await daemon.start()
        let submissions = try await SocketSubmissions(
            daemon: daemon, rawPath: "\(directory)/socket-raw.db", quick: options.quick
        ).rows()
        let prompt = try Prompt(daemon: daemon, runs: 30).rows(
            ["after", "1s", "--", "true"], name: "apus after 1s -- true", medianAtMost: 50)
        let list = try Prompt(daemon: daemon, runs: 30).processorTime(["list"], name: "apus list", medianAtMost: 8)
        return ComparisonTable(
            "The daemon: submissions through its socket, and the time until the prompt is back",
            submissions + prompt + [list],
            footnotes: [
                "raw: SQLite with the same durability, a commit for each row",
                "true: a program that does nothing; tsp: task-spooler's list of jobs (Debian: task-spooler)",
            ])
    }
}

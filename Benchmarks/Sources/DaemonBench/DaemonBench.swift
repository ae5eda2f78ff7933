import ApusDaemon
import BenchSupport
import Foundation

/// `daemon-bench [--json] [--quick] [--apus PATH] [--directory PATH]`: what a person at the prompt and a program at the
/// socket get from the real daemon, and how late jobs run in a process of one's own; beside raw SQLite, `true` and bare
/// timerfd in the same run.
@main
struct DaemonBench {
    static func main() async throws {
        let flags = Flags(CommandLine.arguments.dropFirst(), options: ["--apus", "--directory"])
        let apus = URL(filePath: flags["--apus"] ?? ".build/release/apus").path
        guard FileManager.default.isExecutableFile(atPath: apus) else {
            let hint = "build it with `swift build -c release --product apus`, or say --apus PATH"
            FileHandle.standardError.write(Data("\(apus) is not a program: \(hint)\n".utf8))
            exit(66)
        }
        // Short, because a socket's path may be: beside the jobs it is in the home.
        let parent = flags["--directory"] ?? FileManager.default.temporaryDirectory.path
        let directory = URL(filePath: "\(parent)/apus-bench-\(ProcessInfo.processInfo.processIdentifier)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }

        let daemon = DaemonProcess(apus: apus, home: Home(path: "\(directory)/home"))
        var figures: [Figure] = []
        do {
            figures += try await warmFigures(daemon, directory, quick: flags.quick)
            try await daemon.kill()
            let crowded = DaemonProcess(apus: apus, home: Home(path: "\(directory)/crowd"))
            figures += try await Crowd(daemon: crowded, quick: flags.quick).figures()
        } catch {
            // Nothing of a failed run goes on.
            DaemonProcess.killAll()
            throw error
        }
        DaemonProcess.killAll()
        figures += try await Lateness(path: "\(directory)/lateness.db", quick: flags.quick).figures()
        report(figures, json: flags.json)
    }

    private static func warmFigures(_ daemon: DaemonProcess, _ directory: String, quick: Bool) async throws -> [Figure]
    {
        try await daemon.start()
        let submissions = try await SocketSubmissions(
            daemon: daemon, rawPath: "\(directory)/raw.db", quick: quick
        ).figures()
        return try submissions
            + Prompt(daemon: daemon, runs: 30).figures(
                ["after", "1s", "--", "true"], name: "apus after 1s -- true, prompt to prompt", medianAtMost: 50)
    }
}

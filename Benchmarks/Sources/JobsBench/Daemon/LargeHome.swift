import ApusClient
import BenchSupport
import Foundation

/// A home with many jobs.
///
/// The figures are the durations of the commands that concern all jobs, and the peak memory of the command and of the
/// daemon.
struct LargeHome {
    private let daemon: DaemonProcess
    private let folder: String
    private let jobs: Int

    init(apus: String, folder: String, quick: Bool) {
        self.folder = folder
        daemon = DaemonProcess(apus: apus, home: Home(path: "\(folder)/home"))
        jobs = quick ? 2_000 : 90_000
    }

    func table() async throws -> ComparisonTable {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (file, copy) = ("\(folder)/jobs.json", "\(folder)/copy.json")
        try write(to: file)
        try await daemon.start()
        var rows: [Comparison] = []
        rows += try measure(["import", file])
        rows += try measure(["list"])
        rows += try measure(["export"], output: copy, secondsAtMost: 5)
        rows += try measure(["import", copy], name: "import once more")
        rows += try measure(["doctor"])
        rows += try measure(["top", "--once"])
        rows += try measure(["cancel", "--all", "--yes"])
        try await daemon.kill()
        return ComparisonTable(
            "Commands that concern all of \(jobs) jobs", rows,
            footnotes: ["memory: the most that was resident while the command ran"])
    }

    /// Writes an export of repeating jobs, as another home would have written it.
    private func write(to path: String) throws {
        let encoder = JSONEncoder()
        var text = Data(#"{"version":2,"jobs":["#.utf8)
        for number in 0..<jobs {
            if number > 0 { text.append(UInt8(ascii: ",")) }
            text += try encoder.encode(
                WireExportedJob(
                    WireSubmission(
                        name: "job \(number)", trigger: WireTrigger(every: "P1D"),
                        action: Action(command: .init(argv: ["/usr/bin/true"], cwd: "/", env: ["LANG": "C"])),
                        labels: ["team": "birds"], idempotencyKey: "large \(number)")))
        }
        text += Data("]}\n".utf8)
        try text.write(to: URL(filePath: path))
    }

    private func measure(
        _ arguments: [String], name: String? = nil, output: String? = nil, secondsAtMost limit: Double? = nil
    ) throws -> [Comparison] {
        let name = "apus \(name ?? arguments.filter { !$0.contains("/") && $0 != "--yes" }.joined(separator: " "))"
        try daemon.forgetPeakMemory()
        let start = ContinuousClock.now
        let ended = try Program(daemon.apus, arguments, environment: daemon.environment, output: output).wait()
        let time = start.duration(to: .now) / .seconds(1)
        return [
            Comparison("\(name): time", time, "s", target: limit.map { .atMost($0) }),
            Comparison("\(name): memory of the command", ended.peakMegabytes, "MB"),
            Comparison("\(name): memory of the daemon", try daemon.peakMegabytes(), "MB"),
        ]
    }
}

extension DaemonProcess {
    /// Resets the peak of the memory (proc(5), `clear_refs`).
    fileprivate func forgetPeakMemory() throws {
        guard let process else { throw Failure(description: "the daemon does not run") }
        try Data("5".utf8).write(to: URL(filePath: "/proc/\(process)/clear_refs"))
    }

    fileprivate func peakMegabytes() throws -> Double {
        guard let process else { throw Failure(description: "the daemon does not run") }
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
        else { throw Failure(description: "/proc/\(process)/status has no line VmHWM") }
        return kilobytes * 1_024 / 1_000_000
    }
}

import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import LoopbackWebTestSupport

/// Measures the daemon's memory while commands flood their output and readers never read.
struct Flood {
    let program: LimitedProgram
    let home: Home
    let seconds: Int

    func run() async throws {
        try home.prepare()
        let process = try await program.start(home)
        let client = DaemonClient(home: home)
        var unread: [TestAnswer] = []
        for _ in 0..<5 { unread.append(try await TestRequest("/v1/events", to: .socket(home.socketPath)).open()) }
        let before = try Memory(of: process)
        var jobs: [String] = []
        for _ in 0..<4 {
            // dd counts the bytes that were read.
            let line =
                "timeout -s INT \(seconds) dd if=/dev/zero bs=1M 2>\(home.path)/$APUS_JOB.dd | tr '\\0' 'x'; true"
            jobs.append(
                try await client.submit(
                    WireSubmission(
                        trigger: WireTrigger(after: "PT0.05S"),
                        action: Action(command: .init(argv: [line], shell: true, cwd: "/")))
                ).id)
        }
        try await until("the end of the flood", atMost: .seconds(900)) {
            try await client.jobs(states: ["scheduled"], limit: 1).jobs.isEmpty
        }
        let after = try Memory(of: process)
        let bytes = jobs.reduce(0) { $0 + Self.written("\(home.path)/\($1).dd") }
        print(
            "flood: \(bytes / 1_000_000 / max(1, seconds)) MB/s for \(seconds) s with 5 readers that never read; "
                + "memory \(before.resident >> 20) MiB before, at most \(after.peak >> 20), \(after.resident >> 20) after"
        )
        withExtendedLifetime(unread) {}
        try await client.stop()
    }

    /// Returns the bytes in dd's last line: `123456 bytes (…) copied, …`.
    private static func written(_ path: String) -> Int {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            line.contains("bytes") ? Int(line.prefix { $0 != " " }) : nil
        }.last ?? 0
    }
}

/// The resident memory of a process in bytes (proc(5)).
struct Memory {
    var resident: Int
    var peak: Int

    init(of process: Int32) throws {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        func kilobytes(_ name: String) throws -> Int {
            guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
                let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
            else { throw Failure("/proc/\(process)/status has no \(name)") }
            return number
        }
        resident = try kilobytes("VmRSS:") * 1_024
        peak = try kilobytes("VmHWM:") * 1_024
    }
}

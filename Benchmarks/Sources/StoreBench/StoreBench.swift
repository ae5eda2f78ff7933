import ApusJobs
import ApusSQLite
import ApusTimers
import BenchSupport
import Foundation

/// `store-bench [--json] [--quick] [--directory PATH]`: durable submissions per second beside raw SQLite with the same
/// durability on the same disk in the same run, and how long a store with 100,000 jobs takes to be ready.
@main
struct StoreBench {
    static let recoveredJobs = 100_000

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "recover", arguments.count == 2 { return try await recover(arguments[1]) }
        let flags = Flags(arguments, options: ["--directory"])
        let parent = flags["--directory"] ?? FileManager.default.temporaryDirectory.path
        let directory = "\(parent)/store-bench-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }

        var figures = try await Submissions(directory, quick: flags.quick).figures()
        try await measureRecovery(directory, &figures)
        report(figures, json: flags.json)
    }

    /// In a process of its own, so that its memory is only what a store needs.
    private static func measureRecovery(_ directory: String, _ figures: inout [Figure]) async throws {
        let path = "\(directory)/recover.db"
        let store = SQLiteStore(path: path)
        _ = try await store.open()
        try await store.close()
        try RawSQLite(path).insertJobs(0..<recoveredJobs)

        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["recover", path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let values = output.split(separator: " ").compactMap {
            Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        guard values.count == 5 else { throw RawSQLite.Failure(description: "the recovering process said: \(output)") }
        figures.append(Figure("100,000 jobs: open and first due loaded", values[0], "ms", target: .atMost(1_000)))
        figures.append(Figure("100,000 jobs: list the first page of 50", values[1], "ms", target: .atMost(100)))
        figures.append(Figure("100,000 jobs: find one by prefix", values[2], "ms"))
        figures.append(Figure("100,000 jobs: the last page of 50", values[3], "ms"))
        figures.append(Figure("100,000 jobs: resident memory", values[4], "MB", target: .atMost(100)))
    }

    private static func recover(_ path: String) async throws {
        let store = SQLiteStore(path: path)
        let open = try await seconds {
            _ = try await store.open()
            let first = try await store.wakingJobs(through: WallInstant(secondsSince1970: 1_767_225_600), limit: 1_000)
            precondition(first.count == 1)
        }
        let list = try await seconds {
            let page = try await store.jobs(JobQuery(states: [.scheduled, .suspended]))
            precondition(page.jobs.count == 50)
        }
        let find = try await seconds {
            let page = try await store.jobs(JobQuery(idPrefixOrName: "com.example.job.5432"))
            precondition(page.jobs.count == 11)
        }
        let last = try await seconds {
            let page = try await store.jobs(JobQuery(after: "j99950"))
            precondition(page.jobs.count == 50 && page.next == nil)
        }
        print(open * 1_000, list * 1_000, find * 1_000, last * 1_000, residentMegabytes())
        try await store.close()
    }
}

import ApusJobs
import ApusSQLite
import ApusTimers
import Foundation

/// `store-bench [--json] [--directory PATH]`: durable submissions per second beside raw SQLite with the same durability on the same disk in the
/// same run, and how long a store with 100,000 jobs takes to be ready.
@main
struct StoreBench {
    static let bodySize = 300
    static let recoveredJobs = 100_000

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "recover", arguments.count == 2 { return try await recover(arguments[1]) }
        var parent = FileManager.default.temporaryDirectory.path
        if let index = arguments.firstIndex(of: "--directory"), index + 1 < arguments.count { parent = arguments[index + 1] }
        let directory = "\(parent)/store-bench-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }

        var figures: [Figure] = []
        let raw = try await measureRaw(directory, &figures)
        try await measureStore(directory, raw: raw, &figures)
        try await measureScheduler(directory, raw: raw, &figures)
        try await measureRecovery(directory, &figures)
        if arguments.contains("--json") {
            print("[\n" + figures.map { "  \($0.json)" }.joined(separator: ",\n") + "\n]")
        } else {
            figures.forEach { print($0.line) }
        }
    }

    /// - Returns: raw single commits per second.
    private static func measureRaw(_ directory: String, _ figures: inout [Figure]) async throws -> Double {
        let sqlite = try RawSQLite("\(directory)/raw.db")
        try sqlite.makePlainTable()
        try sqlite.insertPlain(0..<200, bodySize: bodySize, batch: false)
        let single = 2_000.0 / (try await seconds { try sqlite.insertPlain(200..<2_200, bodySize: bodySize, batch: false) })
        let batch = 50_000.0 / (try await seconds { try sqlite.insertPlain(2_200..<52_200, bodySize: bodySize, batch: true) })
        figures.append(Figure(name: "raw SQLite, a commit for each row", value: single, unit: "rows/s", ratio: 1))
        figures.append(Figure(name: "raw SQLite, all rows in one commit", value: batch, unit: "rows/s", ratio: batch / single))
        return single
    }

    private static func measureStore(_ directory: String, raw: Double, _ figures: inout [Figure]) async throws {
        let path = "\(directory)/store.db"
        let store = SQLiteStore(path: path)
        _ = try await store.open()
        try RawSQLite(path).insertTemplateJob()
        try await store.close()
        let epoch = try await store.open()
        guard let template = try await store.job(JobID("com.example.job.0"))?.job else { return }

        @Sendable func submit(_ number: Int) async throws {
            var job = template
            job.request.id = JobID("com.example.new.\(number)")
            _ = try await store.commit([JobChange(expected: .absent, job: job)], epoch: epoch)
        }
        for number in 0..<200 { try await submit(number) }
        let sequential = 2_000.0 / (try await seconds { for number in 200..<2_200 { try await submit(number) } })
        let together = 40_000.0 / (try await seconds { try await concurrently(64, 10_000..<50_000, submit) })
        try await store.close()
        figures.append(
            Figure(name: "store commit, one caller in sequence", value: sequential, unit: "jobs/s", ratio: sequential / raw, aim: 0.8))
        figures.append(
            Figure(name: "store commit, 64 callers at once", value: together, unit: "jobs/s", ratio: together / raw, aim: 10))
    }

    /// Runs `body` for each number, at most `width` at once.
    static func concurrently(
        _ width: Int, _ range: Range<Int>, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<width {
                group.addTask {
                    for number in stride(from: range.lowerBound + caller, to: range.upperBound, by: width) { try await body(number) }
                }
            }
            try await group.waitForAll()
        }
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
        let values = output.split(separator: " ").compactMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        guard values.count == 5 else { throw RawSQLite.Failure(description: "the recovering process said: \(output)") }
        figures.append(Figure(name: "100,000 jobs: open and first due loaded", value: values[0], unit: "ms", atMost: 1_000))
        figures.append(Figure(name: "100,000 jobs: list the first page of 50", value: values[1], unit: "ms", atMost: 100))
        figures.append(Figure(name: "100,000 jobs: find one by prefix", value: values[2], unit: "ms"))
        figures.append(Figure(name: "100,000 jobs: the last page of 50", value: values[3], unit: "ms"))
        figures.append(Figure(name: "100,000 jobs: resident memory", value: values[4], unit: "MB", atMost: 100))
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

import ApusClient
import ApusJobs
import ApusSQLite
import ApusTimers
import BenchSupport
import Foundation
import Synchronization

/// A daemon with a million jobs in the far future.
///
/// The figures are the time from a restart after SIGKILL until a due job runs, the time of a listing, and the daemon's
/// memory.
struct Million {
    private static let batch = 1_000

    private let daemon: DaemonProcess
    private let folder: String
    private let jobs: Int
    private let restarts: Int

    /// Creates the subject; its home is in `folder`, and is made later unless an earlier run left it there.
    init(apus: String, folder: String, quick: Bool, jobs: Int?) {
        self.folder = folder
        daemon = DaemonProcess(apus: apus, home: Home(path: "\(folder)/home"))
        self.jobs = jobs ?? (quick ? 20_000 : 1_000_000)
        restarts = quick ? 2 : 7
    }

    func table() async throws -> ComparisonTable {
        var rows: [Comparison] = []
        if try isMade() {
            note("using the \(jobs) jobs in \(folder)")
        } else {
            rows += try await make()
        }
        try await daemon.start()
        var firstFires: [Double] = []
        for restart in 0..<restarts { firstFires.append(try await restartToFirstFire(restart)) }
        let memory = residentMegabytes(of: daemon.process)
        let prompt = Prompt(daemon: daemon, runs: 30)
        rows += [
            Comparison(
                "SIGKILL, then exec to the first fire: median", median(firstFires), "ms", target: .atMost(300)),
            Comparison("SIGKILL, then exec to the first fire: most", firstFires.max(), "ms"),
            Comparison("resident memory after the start", memory, "MB", target: .atMost(100)),
        ]
        rows += try prompt.rows(["list"], name: "apus list, the first page", medianAtMost: 100)
        rows += try prompt.rows(
            ["show", "far\(jobs / 2)"], name: "apus show of a job in the middle", medianAtMost: 100)
        rows.append(
            Comparison(
                "resident memory after the lists", residentMegabytes(of: daemon.process), "MB", target: .atMost(100)))
        try await daemon.kill()
        rows += try await withoutDaemon(seconds: restarts > 2 ? 60 : 5)
        return ComparisonTable(
            "A daemon with \(jobs) jobs", rows,
            footnotes: [
                "\(restarts) restarts; the file is in the system's cache",
                "the first fire is the time that the job's own command takes down, `sh` and `date` included",
                "true: a program that does nothing; raw grouped: \(Self.batch) rows in a commit of raw SQLite",
            ])
    }

    /// Measures a scheduler that runs in this process, with the database file of the daemon.
    private func withoutDaemon(seconds count: Int) async throws -> [Comparison] {
        let scheduler = JobScheduler(store: SQLiteStore(path: daemon.client.home.databasePath))
        let late = Mutex<[Double]>([])
        scheduler.register("tick") { context in
            let value = milliseconds(from: context.due, to: wallNow())
            late.withLock { $0.append(value) }
        }
        let start = try await seconds { try await scheduler.start() }
        _ = try await scheduler.submit(
            JobRequest(id: "tick", kind: "tick", trigger: .every(.seconds(1), count: count), conflict: .replace))
        try await wait(atMost: .seconds(count + 60), for: "\(count) ticks did not come") {
            late.withLock { $0.count } >= count
        }
        let found = late.withLock { $0 }
        var times: [Double] = []
        for _ in 0..<30 {
            times.append(
                try await seconds { _ = try await scheduler.jobs(JobQuery(idPrefixOrName: "job \(jobs / 2)")) })
        }
        await scheduler.stop(grace: .zero)
        return [
            Comparison("a scheduler's start", start, "s", target: .atMost(2)),
            Comparison("a job once a second is late: median", median(found), "ms"),
            Comparison("a job once a second is late: p99", quantile(found, 0.99), "ms", target: .atMost(50)),
            Comparison("a job is found by its name: median", median(times) * 1_000, "ms", target: .atMost(20)),
        ]
    }

    // MARK: The file

    private var marker: String { "\(folder)/complete" }

    /// Returns whether an earlier run has made the home, with the same number of jobs.
    private func isMade() throws -> Bool {
        guard let text = try? String(contentsOfFile: marker, encoding: .utf8) else { return false }
        guard text == "\(jobs)\n" else {
            throw Failure(
                description:
                    "\(folder) has \(text.dropLast()) jobs, not \(jobs); remove it, or give --keep another folder")
        }
        return true
    }

    /// Writes jobs of the daemon's kind into the file before the daemon opens it.
    ///
    /// The jobs are due in the far future.
    private func make() async throws -> [Comparison] {
        // A home without its marker is incomplete.
        try? FileManager.default.removeItem(atPath: "\(folder)/home")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let raw = try await rawRate()
        let home = daemon.client.home
        try home.prepare()
        let scheduler = JobScheduler(store: SQLiteStore(path: home.databasePath))
        try await scheduler.start()
        let action = Action(command: .init(argv: ["/usr/bin/true"], cwd: "/", env: ["LANG": "C"]))
        let payload = Array(try JSONEncoder().encode(action))
        let start = WallInstant(nanoseconds: wallNow()).advanced(by: .seconds(30 * 86_400))
        var progress = Progress(total: jobs)
        let time = try await seconds {
            for first in stride(from: 0, to: jobs, by: Self.batch) {
                let requests = (first..<min(first + Self.batch, jobs)).map { number in
                    JobRequest(
                        id: JobID("far\(number)"), name: "job \(number)", kind: "action",
                        trigger: .at(start.advanced(by: .seconds(number))), labels: ["team": "birds"], payload: payload)
                }
                _ = try await scheduler.submit(requests)
                progress.show(first + requests.count)
            }
        }
        await scheduler.stop(grace: nil)
        progress.end()
        let attributes = try FileManager.default.attributesOfItem(atPath: home.databasePath)
        try Data("\(jobs)\n".utf8).write(to: URL(filePath: marker))
        return [
            Comparison(
                "submitted, \(Self.batch) in one call", Double(jobs) / time, "jobs/s", peers: [("raw grouped", raw)]),
            Comparison(
                "the file", ((attributes[.size] as? NSNumber)?.doubleValue ?? 0) / Double(jobs), "bytes/job"),
        ]
    }

    /// Returns how many rows per second raw SQLite inserts, for as many rows as there are jobs, in groups of the same
    /// size as the submissions.
    private func rawRate() async throws -> Double {
        let path = "\(folder)/raw.db"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let raw = try RawSQLite(path)
        try raw.makePlainTable()
        let time = try await seconds {
            for first in stride(from: 0, to: jobs, by: Self.batch) {
                try raw.insertPlain(
                    first..<min(first + Self.batch, jobs), bodySize: Submissions.bodySize, batch: true)
            }
        }
        return Double(jobs) / time
    }

    // MARK: The daemon

    /// Returns the time from the restart of the daemon to the run of a due job, in milliseconds.
    ///
    /// The command of the job writes the time of its run to a file.
    private func restartToFirstFire(_ number: Int) async throws -> Double {
        let file = "\(folder)/fired-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Program(
            daemon.apus,
            ["after", "1s", "--", "sh", "-c", "date +%s%N > \(file).new && mv \(file).new \(file)"],
            environment: daemon.environment
        ).wait()
        try await daemon.kill()
        guard !FileManager.default.fileExists(atPath: file) else {
            throw Failure(description: "the daemon was not killed before its job was due")
        }
        // After this sleep, the job is due.
        try await Task.sleep(for: .milliseconds(1_100))
        let start = wallNow()
        try daemon.exec()
        try await wait(atMost: .seconds(60), for: "a job did not run after the restart") {
            FileManager.default.fileExists(atPath: file)
        }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        guard let fired = UInt64(text.dropLast()) else { throw Failure(description: "the job wrote: \(text)") }
        return Double(Int64(fired) - Int64(start)) / 1e6
    }
}

/// A line on the terminal that shows the progress of a long step.
struct Progress {
    private let total: Int
    private let isShown = isatty(STDERR_FILENO) == 1
    private var shown = 0

    init(total: Int) { self.total = total }

    mutating func show(_ done: Int) {
        guard isShown, done - shown >= total / 100 else { return }
        shown = done
        note("\r\(done) of \(total) jobs", terminator: "")
    }

    func end() {
        if isShown { note("\r\u{1B}[K", terminator: "") }
    }
}

import ApusDaemon
import ApusJobs
import ApusSQLite
import ApusTimers
import BenchSupport
import Foundation

/// A daemon with many jobs that are not due for long: how soon it is back after SIGKILL, how soon it lists, and what
/// memory it takes.
struct Crowd {
    private let daemon: DaemonProcess
    private let jobs: Int
    private let restarts: Int

    init(daemon: DaemonProcess, quick: Bool) {
        self.daemon = daemon
        jobs = quick ? 10_000 : 100_000
        restarts = quick ? 2 : 7
    }

    func figures() async throws -> [Figure] {
        try await fill()
        try await daemon.start()
        var firstFires: [Double] = []
        for _ in 0..<restarts { firstFires.append(try await restartToFirstFire()) }
        let memoryAtStart = residentMegabytes(of: daemon.process)
        let list = try Prompt(daemon: daemon, runs: 30).figures(
            ["list"], name: "\(jobs) jobs: apus list, first page", medianAtMost: 100)
        return [
            Figure(
                "\(jobs) jobs: SIGKILL, exec to the first fire: median", median(firstFires), "ms",
                target: .atMost(1_000)),
            Figure("\(jobs) jobs: SIGKILL, exec to the first fire: most", firstFires.max() ?? 0, "ms"),
        ] + list + [
            Figure("\(jobs) jobs: memory of the daemon after the start", memoryAtStart, "MB"),
            Figure(
                "\(jobs) jobs: memory of the daemon after the lists", residentMegabytes(of: daemon.process), "MB",
                target: .atMost(100)),
        ]
    }

    /// Far jobs of the daemon's kind, put into the file before the daemon has it.
    private func fill() async throws {
        try daemon.client.home.prepare()
        let scheduler = JobScheduler(store: SQLiteStore(path: daemon.client.home.databasePath))
        try await scheduler.start()
        let action = Action(command: .init(argv: ["/usr/bin/true"], cwd: "/", env: ["LANG": "C"]))
        let payload = Array(try JSONEncoder().encode(action))
        let start = WallInstant(nanoseconds: wallNow()).advanced(by: .seconds(30 * 86_400))
        for first in stride(from: 0, to: jobs, by: 1_000) {
            _ = try await scheduler.submit(
                (first..<min(first + 1_000, jobs)).map { number in
                    JobRequest(
                        id: JobID("far\(number)"), name: "job \(number)", kind: "action",
                        trigger: .at(start.advanced(by: .seconds(number))), labels: ["team": "birds"], payload: payload)
                })
        }
        await scheduler.stop(grace: nil)
    }

    /// The fire is told by the command itself: it prints when it runs.
    private func restartToFirstFire() async throws -> Double {
        let job = try await daemon.client.submit(
            WireSubmission(
                trigger: WireTrigger(after: "PT0.2S"),
                action: Action(
                    command: .init(argv: ["date", "+%s%N"], cwd: "/", env: ["PATH": daemon.environment["PATH"] ?? ""])))
        )
        try await daemon.kill()
        // Due by now.
        try await Task.sleep(for: .milliseconds(300))
        let start = wallNow()
        try daemon.exec()
        try await daemon.untilAnswering()
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        while ContinuousClock.now < deadline {
            let runs = try await daemon.client.runs(job: job.id, limit: 1).runs
            if let run = runs.first, run.outcome == "succeeded",
                let text = run.outputTail?.split(separator: "\n").first,
                let fired = UInt64(text)
            {
                return Double(Int64(fired) - Int64(start)) / 1e6
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Program.Failure(description: "the job \(job.id) did not run within 30 s of the restart")
    }
}

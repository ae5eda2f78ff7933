import ApusJobs
import ApusSQLite
import ApusTimers
import BenchSupport
import Foundation

/// The costs of the scheduler and the store for jobs that are all due at one instant and whose handler returns at once.
///
/// They are measured from that instant to the commit of the last outcome.
struct NoOpRuns {
    /// The number of rows of raw SQLite in one commit.
    private static let group = 1_000

    private let directory: String
    private let jobs: Int
    private let turns: Int
    /// The time from the first submission to the due instant, within which all jobs must be submitted.
    private let lead: Duration

    init(directory: String, quick: Bool) {
        self.directory = directory
        jobs = quick ? 2_000 : 20_000
        turns = quick ? 1 : 3
        lead = quick ? .seconds(1) : .seconds(3)
    }

    /// The store of the jobs.
    private enum Kept: String, CaseIterable {
        case full = "SQLite, full durability"
        case relaxed = "SQLite, relaxed durability"
        case memory = "MemoryStore"
    }

    private struct Turn {
        var rate: Double
        var cpuMicroseconds: Double
        var commits: Double?
    }

    func table(_ peers: Peers) async throws -> ComparisonTable {
        var ours: [Kept: [Turn]] = [:]
        var raw: [Kept: [Turn]] = [:]
        var others = Peers.Figures()
        // The first runs of a process include one-time initialization.
        _ = try await run(1_000, kept: .memory, path: "\(directory)/warm-up")
        for turn in 0..<turns {
            for kept in Kept.allCases {
                let path = "\(directory)/runs-\(turn)-\(kept)"
                if kept != .memory { raw[kept, default: []].append(try rawRuns(kept, path: path + "-raw.db")) }
                ours[kept, default: []].append(try await run(jobs, kept: kept, path: path + ".db"))
            }
            try peers.measure(.runs, into: &others)
        }
        return ComparisonTable(
            "No-op runs in one process: \(jobs) jobs due at one instant, until the last outcome is committed",
            Kept.allCases.flatMap { rows($0, ours[$0] ?? [], raw[$0] ?? [], $0 == .full ? others : .init()) },
            footnotes: [
                "medians of \(turns) turns, each with a new file; CPU is that of the whole process, user and system",
                "raw: SQLite with the same durability; a row for each claim, an outcome in it, and the job's row updated, "
                    + "\(Self.group) runs in two commits",
            ] + others.footnotes)
    }

    private func rows(_ kept: Kept, _ ours: [Turn], _ raw: [Turn], _ others: Peers.Figures) -> [Comparison] {
        func row(
            _ what: String, _ unit: String, _ key: String, _ target: Comparison.Target?, _ pick: (Turn) -> Double?
        ) -> Comparison {
            let rawValues = raw.compactMap(pick)
            return Comparison(
                "\(kept.rawValue): \(what)", median(ours.compactMap(pick)), unit,
                peers: (rawValues.isEmpty ? [] : [("raw", median(rawValues))]) + others.columns(key), target: target)
        }
        var rows = [
            row("rate", "runs/s", "rate", kept == .full ? .atLeast(40_000) : nil, \.rate),
            row("CPU", "µs/run", "cpu", kept == .full ? .atMost(25) : nil, \.cpuMicroseconds),
        ]
        if ours.contains(where: { $0.commits != nil }) {
            rows.append(row("commits", "commits", "commits", nil, \.commits))
        }
        return rows
    }

    private func run(_ jobs: Int, kept: Kept, path: String) async throws -> Turn {
        let store: any JobStore =
            switch kept {
            case .full: SQLiteStore(path: path)
            case .relaxed: SQLiteStore(path: path, configuration: .init(durability: .relaxed))
            case .memory: MemoryStore()
            }
        let scheduler = JobScheduler(store: store)
        let called = Counter()
        scheduler.register("no-op") { _ in called.increment() }
        try await scheduler.start()
        let due = WallInstant(nanoseconds: wallNow()).advanced(by: lead)
        for first in stride(from: 0, to: jobs, by: 1_000) {
            _ = try await scheduler.submit(
                (first..<min(first + 1_000, jobs)).map {
                    JobRequest(id: JobID("job\($0)"), kind: "no-op", trigger: .at(due))
                })
        }
        let margin = milliseconds(from: due, to: wallNow())
        guard margin < -100 else {
            throw Failure(description: "\(jobs) jobs were not submitted in time: \(margin) ms after they were due")
        }
        try await Task.sleep(for: .milliseconds(-margin - 50))

        // The counter must live until the store is closed, because its release would end SQLite's locks on the file.
        let counter = kept == .memory ? nil : CommitCounter(path)
        let commits = counter?.value
        let cpu = processCPUNanoseconds()
        try await wait(atMost: .seconds(120), for: "\(jobs) handlers were not called (\(called.value) were)") {
            called.value >= jobs
        }
        // The store is queried only after all handlers were called. If events were counted instead, the figures would
        // include the delivery of the events.
        try await wait(atMost: .seconds(60), for: "\(jobs) jobs were not finished") {
            try await scheduler.jobs(JobQuery(states: [.scheduled], limit: 1)).jobs.isEmpty
        }
        let time = milliseconds(from: due, to: wallNow()) / 1_000
        let turn = Turn(
            rate: Double(jobs) / time, cpuMicroseconds: Double(processCPUNanoseconds() - cpu) / 1e3 / Double(jobs),
            commits: commits.flatMap { before in counter?.value.map { Double($0 &- before) } })
        try await check(scheduler, jobs, called.value)
        await scheduler.stop(grace: nil)
        withExtendedLifetime(counter) {}
        return turn
    }

    /// Checks that each job has succeeded in one run; otherwise the measured rate is not valid.
    private func check(_ scheduler: JobScheduler, _ jobs: Int, _ called: Int) async throws {
        var succeeded = 0
        for try await page in scheduler.pages(of: JobQuery(limit: 1_000)) {
            succeeded += page.lastRuns.count { $0?.state == .succeeded }
        }
        guard succeeded == jobs, called == jobs else {
            throw Failure(description: "of \(jobs) jobs \(succeeded) have succeeded, in \(called) runs")
        }
    }

    private func rawRuns(_ kept: Kept, path: String) throws -> Turn {
        let raw = try RawSQLite(path, relaxed: kept == .relaxed)
        try raw.makePlainTable()
        try raw.makeRunTable()
        try raw.insertPlain(0..<jobs, bodySize: Submissions.bodySize, batch: true)
        let counter = CommitCounter(path)
        let commits = counter?.value
        let cpu = processCPUNanoseconds()
        let start = monotonicNanoseconds()
        try raw.claimAndEnd(0..<jobs, group: Self.group)
        let time = Double(monotonicNanoseconds() - start) / 1e9
        let turn = Turn(
            rate: Double(jobs) / time, cpuMicroseconds: Double(processCPUNanoseconds() - cpu) / 1e3 / Double(jobs),
            commits: commits.flatMap { before in counter?.value.map { Double($0 &- before) } })
        raw.close()
        withExtendedLifetime(counter) {}
        return turn
    }
}

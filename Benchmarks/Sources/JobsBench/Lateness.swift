import ApusJobs
import ApusSQLite
import ApusTimers
import BenchSupport
import CApus
import Foundation
import Synchronization

/// The lateness of one-shot jobs through the whole path in one process: engine, scheduler, store and handler.
///
/// The peer is one thread that waits with timerfd alone, and commits a row to raw SQLite before it acts, as the
/// scheduler commits a claim before it calls a handler.
///
/// The jobs and the peer take turns of one second, so that they meet the same interference and neither waits for the
/// other.
struct Lateness {
    private let directory: String
    private let jobs: Int
    private let slices: Int

    init(directory: String, quick: Bool) {
        self.directory = directory
        jobs = quick ? 200 : 1_000
        slices = quick ? 2 : 10
    }

    func table(_ peers: Peers) async throws -> ComparisonTable {
        let late = Mutex<[JobID: [Double]]>([:])
        let scheduler = JobScheduler(store: SQLiteStore(path: "\(directory)/lateness.db"))
        scheduler.register("note") { context in
            let value = milliseconds(from: context.due, to: wallNow())
            late.withLock { $0[context.job.id, default: []].append(value) }
        }
        try await scheduler.start()
        let random = SeededRandom(seed: 2)
        let start = WallInstant(nanoseconds: wallNow()).advanced(by: .seconds(2))
        /// Returns random instants in every other second, beginning with the given one.
        ///
        /// The end of each second is left free for late runs.
        func instants(fromSecond first: Int) -> [WallInstant] {
            (0..<jobs).map { number in
                let share = Double(random.next() >> 11) * 0x1p-53
                return start.advanced(by: .seconds(first + 2 * (number % slices)) + .milliseconds(900) * share)
            }
        }
        let dues = instants(fromSecond: 0)
        _ = try await scheduler.submit(
            dues.enumerated().map { JobRequest(id: JobID("job\($0)"), kind: "note", trigger: .at($1)) })
        let raw = try await BareTimers.lateness(
            instants(fromSecond: 1).sorted(), path: "\(directory)/lateness-raw.db")
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        while late.withLock({ $0.count }) < jobs, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        await scheduler.stop(grace: nil)

        let runs = late.withLock { Array($0.values) }
        let ours = runs.flatMap { $0 }
        let isWrong = { (late: [Double]) in late.count > 1 || late.contains { $0 < 0 } }
        let wrong = jobs - runs.count + runs.count(where: isWrong)
        var others = Peers.Figures()
        try peers.measure(.lateness, into: &others)
        func row(_ what: String, _ pick: ([Double]) -> Double, _ target: Comparison.Target? = nil) -> Comparison {
            Comparison(what, pick(ours), "ms", peers: [("raw", pick(raw))] + others.columns(what), target: target)
        }
        return ComparisonTable(
            "Lateness of \(jobs) jobs, \(jobs / slices) a second, with full durability",
            [
                row("p50", median, .ratioAtMost(3, of: "raw")),
                row("p99", { quantile($0, 0.99) }, .ratioAtMost(8, of: "raw")),
                row("most", { $0.max() ?? 0 }),
                Comparison("early, twice or not at all", Double(wrong), "jobs", target: .atMost(0)),
            ],
            footnotes: ["raw: a thread with timerfd, and one commit of raw SQLite before what is due is done"]
                + others.footnotes)
    }
}

/// The peer: one thread, one timer descriptor, one connection, and the kernel.
enum BareTimers {
    static func lateness(_ dues: [WallInstant], path: String) async throws -> [Double] {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try wait(for: dues, path: path) }) }
            thread.start()
        }
    }

    private static func wait(for dues: [WallInstant], path: String) throws -> [Double] {
        let failure = Failure(description: "timerfd: \(String(cString: strerror(errno)))")
        let raw = try RawSQLite(path)
        try raw.makePlainTable()
        let timer = capus_timerfd_create(CAPUS_CLOCK_WALL)
        guard timer >= 0 else { throw failure }
        defer { close(timer) }
        var late: [Double] = []
        late.reserveCapacity(dues.count)
        for (row, due) in dues.enumerated() {
            guard capus_timerfd_arm(timer, due.nanoseconds, 0) == 0 else { throw failure }
            var polled = pollfd(fd: timer, events: Int16(POLLIN), revents: 0)
            while poll(&polled, 1, -1) < 0, errno == EINTR {}
            guard capus_timerfd_read(timer) > 0 else { throw failure }
            try raw.insertPlain(row..<row + 1, bodySize: Submissions.bodySize, batch: false)
            late.append(milliseconds(from: due, to: wallNow()))
        }
        return late
    }
}

import ApusJobs
import ApusSQLite
import ApusTimers
import BenchSupport
import CApus
import Foundation
import Synchronization

/// How late one-shot jobs run through the whole path in one process (store, scheduler, engine, handler), beside one
/// thread that waits for the same instants with nothing but timerfd.
struct Lateness {
    private let path: String
    private let jobs: Int
    private let spread: Duration

    init(path: String, quick: Bool) {
        self.path = path
        jobs = quick ? 200 : 1_000
        spread = quick ? .seconds(2) : .seconds(10)
    }

    func figures() async throws -> [Figure] {
        let late = Mutex<[JobID: [Double]]>([:])
        let scheduler = JobScheduler(store: SQLiteStore(path: path))
        scheduler.handle("note") { context in
            let value = Self.milliseconds(late: wallNow(), due: context.due)
            late.withLock { $0[context.job.id, default: []].append(value) }
        }
        try await scheduler.start()
        let random = SeededRandom(seed: 2)
        let start = WallInstant(nanoseconds: wallNow()).advanced(by: .seconds(1))
        let dues = (0..<jobs).map { _ in start.advanced(by: spread * (Double(random.next() >> 11) * 0x1p-53)) }
        _ = try await scheduler.submit(
            dues.enumerated().map { JobRequest(id: JobID("job\($0)"), kind: "note", trigger: .at($1)) })
        let bare = try await BareTimers.lateness(dues.sorted())
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        while late.withLock({ $0.count }) < jobs, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        await scheduler.stop(grace: nil)

        let runs = late.withLock { Array($0.values) }
        let ours = runs.flatMap { $0 }
        let isWrong = { (late: [Double]) in late.count > 1 || late.contains { $0 < 0 } }
        let wrong = jobs - runs.count + runs.count(where: isWrong)
        func figure(_ what: String, _ pick: ([Double]) -> Double) -> Figure {
            Figure(
                "lateness of \(jobs) jobs over \(Int(spread / .seconds(1))) s: \(what)", pick(ours), "ms",
                peer: pick(bare))
        }
        return [
            figure("p50", median),
            figure("p99") { quantile($0, 0.99) },
            figure("most") { $0.max() ?? 0 },
            Figure("a raw commit: before a run starts, its claim is on the disk", try await commitMilliseconds(), "ms"),
            Figure("jobs that ran early, twice or not at all", Double(wrong), "jobs", target: .atMost(0)),
        ]
    }

    /// What a claim costs at least on this disk.
    private func commitMilliseconds() async throws -> Double {
        let raw = try RawSQLite(path + ".raw")
        try raw.makePlainTable()
        var times: [Double] = []
        for row in 0..<100 {
            times.append(try await seconds { try raw.insertPlain(row..<row + 1, bodySize: 300, batch: false) } * 1_000)
        }
        return median(times)
    }

    static func milliseconds(late now: UInt64, due: WallInstant) -> Double {
        Double(Int64(now) - Int64(due.nanoseconds)) / 1e6
    }
}

/// The peer: one thread, one timer descriptor, and the kernel.
enum BareTimers {
    struct Failure: Error {}

    static func lateness(_ dues: [WallInstant]) async throws -> [Double] {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try wait(for: dues) }) }
            thread.start()
        }
    }

    private static func wait(for dues: [WallInstant]) throws -> [Double] {
        let timer = capus_timerfd_create(CAPUS_CLOCK_WALL)
        guard timer >= 0 else { throw Failure() }
        defer { close(timer) }
        var late: [Double] = []
        late.reserveCapacity(dues.count)
        for due in dues {
            guard capus_timerfd_arm(timer, due.nanoseconds, 0) == 0 else { throw Failure() }
            var polled = pollfd(fd: timer, events: Int16(POLLIN), revents: 0)
            while poll(&polled, 1, -1) < 0, errno == EINTR {}
            guard capus_timerfd_read(timer) > 0 else { throw Failure() }
            late.append(Lateness.milliseconds(late: wallNow(), due: due))
        }
        return late
    }
}

/// The wall clock in nanoseconds, as it is.
func wallNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

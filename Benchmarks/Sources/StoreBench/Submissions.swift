import ApusJobs
import ApusSQLite
import ApusTimers
import BenchSupport

/// Durable submissions per second, measured in turns: raw SQLite, the store, the scheduler, and again. What else the
/// machine does meets all of them, and the median of the turns' ratios says more than one long measurement of each.
struct Submissions {
    static let callers = 64
    static let bodySize = 300

    private let turns: Int
    private let inSequence = 400
    private let together: Int

    private let raw: RawSQLite
    private let store: SQLiteStore
    private let epoch: StoreEpoch
    private let template: Job
    private let scheduler: JobScheduler

    init(_ directory: String, quick: Bool) async throws {
        turns = quick ? 3 : 7
        together = quick ? 2_000 : 6_000
        raw = try RawSQLite("\(directory)/raw.db")
        try raw.makePlainTable()
        let path = "\(directory)/store.db"
        store = SQLiteStore(path: path)
        _ = try await store.open()
        try RawSQLite(path).insertTemplateJob()
        // Opened again, it sees the job that was added behind its back.
        try await store.close()
        epoch = try await store.open()
        guard let job = try await store.job(JobID("com.example.job.0"))?.job else {
            throw RawSQLite.Failure(description: "the template job is gone")
        }
        template = job
        scheduler = JobScheduler(store: SQLiteStore(path: "\(directory)/scheduler.db"))
        try await scheduler.start()
    }

    private func commit(_ number: Int) async throws {
        var job = template
        job.request.id = JobID("com.example.new.\(number)")
        _ = try await store.commit([JobChange(expected: .absent, job: job)], epoch: epoch)
    }

    private func submit(_ number: Int) async throws {
        _ = try await scheduler.submit(
            JobRequest(
                id: JobID("com.example.new.\(number)"), name: "job \(number)", kind: "work",
                trigger: .after(.seconds(86_400)),
                labels: ["team": "birds"], payload: [UInt8](repeating: 7, count: 64)))
    }

    func figures() async throws -> [Figure] {
        var rates: [String: [Double]] = [:]
        var ratios: [String: [Double]] = [:]
        for turn in 0..<turns {
            var next = turn * 1_000_000
            func range(_ count: Int) -> Range<Int> {
                defer { next += count }
                return next..<next + count
            }
            func rate(_ count: Int, _ body: (Range<Int>) async throws -> Void) async throws -> Double {
                let numbers = range(count)
                return Double(count) / (try await seconds { try await body(numbers) })
            }
            let single = try await rate(inSequence) {
                try raw.insertPlain($0, bodySize: Self.bodySize, batch: false)
            }
            let measured: [(String, Double)] = [
                ("raw single", single),
                ("store single", try await rate(inSequence) { for number in $0 { try await commit(number) } }),
                ("scheduler single", try await rate(inSequence) { for number in $0 { try await submit(number) } }),
                (
                    "raw batch",
                    try await rate(together) { try raw.insertPlain($0, bodySize: Self.bodySize, batch: true) }
                ),
                ("store together", try await rate(together) { try await concurrently(Self.callers, $0, commit) }),
                ("scheduler together", try await rate(together) { try await concurrently(Self.callers, $0, submit) }),
            ]
            // The first turn warms up files and statements.
            for (name, rate) in measured where turn > 0 {
                rates[name, default: []].append(rate)
                ratios[name, default: []].append(rate / single)
            }
        }
        try await store.close()
        await scheduler.stop(grace: .zero)
        let single = median(rates["raw single"] ?? [])
        func figure(_ key: String, _ name: String, atLeast: Double? = nil) -> Figure {
            Figure(
                name, median(rates[key] ?? []), "rows/s", peer: single, ratio: median(ratios[key] ?? []),
                target: atLeast.map { .ratioAtLeast($0) })
        }
        return [
            figure("raw single", "raw SQLite, a commit for each row (the peer)"),
            figure("raw batch", "raw SQLite, \(together) rows in one commit"),
            figure("store single", "store commit, one caller in sequence", atLeast: 0.8),
            figure("store together", "store commit, 64 callers at once", atLeast: 10),
            figure("scheduler single", "scheduler submit, one caller in sequence", atLeast: 0.8),
            figure("scheduler together", "scheduler submit, 64 callers at once", atLeast: 10),
        ]
    }
}

import ApusJobs
import ApusSQLite
import ApusTimers
import BenchSupport

/// Durable submissions per second of the scheduler and of raw SQLite, measured in turns.
///
/// Interference from other programs affects both, and the median of the turns' ratios is more reliable than one long
/// measurement of each.
struct Submissions {
    static let callers = 64
    static let bodySize = 300
    private static let batch = 1_000

    private let turns: Int
    private let inSequence: Int
    private let together: Int
    private let raw: RawSQLite
    private let scheduler: JobScheduler

    init(_ directory: String, quick: Bool) async throws {
        turns = quick ? 3 : 6
        inSequence = quick ? 100 : 250
        together = quick ? 2_000 : 6_000
        raw = try RawSQLite("\(directory)/submits-raw.db")
        try raw.makePlainTable()
        scheduler = JobScheduler(store: SQLiteStore(path: "\(directory)/submits.db"))
        try await scheduler.start()
    }

    private func request(_ number: Int) -> JobRequest {
        JobRequest(
            id: JobID("com.example.new.\(number)"), name: "job \(number)", kind: "work",
            trigger: .after(.seconds(86_400)), labels: ["team": "birds"], payload: [UInt8](repeating: 7, count: 64))
    }

    private func uniqueRequest(_ number: Int) -> JobRequest {
        var request = request(number)
        request.payload += Array("\(number)".utf8)
        request.uniqueness = .payload()
        return request
    }

    private func submit(_ numbers: Range<Int>, _ request: (Int) -> JobRequest) async throws {
        for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: Self.batch) {
            _ = try await scheduler.submit((first..<min(first + Self.batch, numbers.upperBound)).map(request))
        }
    }

    private func submit(_ number: Int) async throws { _ = try await scheduler.submit(request(number)) }

    func table(_ peers: Peers) async throws -> ComparisonTable {
        var rates: [String: [Double]] = [:]
        var others = Peers.Figures()
        for turn in 0..<turns {
            var next = turn * 1_000_000
            func measure(_ name: String, _ count: Int, _ body: (Range<Int>) async throws -> Void) async throws {
                let numbers = next..<next + count
                next += count
                let time = try await seconds { try await body(numbers) }
                // The first turn loads files into the cache and prepares statements.
                if turn > 0 { rates[name, default: []].append(Double(count) / time) }
            }
            try await measure("raw", inSequence) { try raw.insertPlain($0, bodySize: Self.bodySize, batch: false) }
            try await measure("sequence", inSequence) { for number in $0 { try await submit(number) } }
            try await measure("raw grouped", together) {
                for first in stride(from: $0.lowerBound, to: $0.upperBound, by: Self.batch) {
                    try raw.insertPlain(
                        first..<min(first + Self.batch, $0.upperBound), bodySize: Self.bodySize, batch: true)
                }
            }
            try await measure("together", together) { try await concurrently(Self.callers, $0, submit) }
            try await measure("batches", together) { try await submit($0, request) }
            try await measure("unique", together) { try await submit($0, uniqueRequest) }
            if turn > 0 { try peers.measure(.submits, into: &others) }
        }
        await scheduler.stop(grace: .zero)
        func row(
            _ key: String, _ name: String, to peer: String = "raw", _ target: Comparison.Target? = nil
        ) -> Comparison {
            let ratios = zip(rates[key] ?? [], rates[peer] ?? []).map { $0 / $1 }
            return Comparison(
                name, median(rates[key] ?? []), "jobs/s",
                peers: ["raw", "raw grouped"].map { ($0, median(rates[$0] ?? [])) } + others.columns(key),
                mainPeer: peer, measuredRatio: median(ratios), target: target)
        }
        return ComparisonTable(
            "Durable submissions through the scheduler, with full durability",
            [
                row("sequence", "one after another", .ratioAtLeast(0.8, of: "raw")),
                row("together", "\(Self.callers) callers at once", .ratioAtLeast(12, of: "raw")),
                row("batches", "\(Self.batch) in one call", to: "raw grouped"),
                row("unique", "\(Self.batch) in one call, unique by their payloads", to: "raw grouped"),
            ],
            footnotes: [
                "medians of \(turns - 1) turns; the ratio is the median of the turns' ratios",
                "raw: SQLite with the same durability and a row of the same size, a commit for each; "
                    + "raw grouped: \(Self.batch) rows in a commit",
            ] + others.footnotes)
    }
}

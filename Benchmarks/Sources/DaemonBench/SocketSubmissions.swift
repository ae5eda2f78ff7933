import ApusDaemon
import BenchSupport

/// Durable submissions per second through the daemon's socket, in turns with raw SQLite on the same disk.
struct SocketSubmissions {
    static let callers = 64

    private let client: DaemonClient
    private let raw: RawSQLite
    private let turns: Int
    private let inSequence: Int
    private let together: Int

    init(client: DaemonClient, rawPath: String, quick: Bool) throws {
        self.client = client
        raw = try RawSQLite(rawPath)
        try raw.makePlainTable()
        turns = quick ? 3 : 7
        inSequence = quick ? 200 : 400
        together = quick ? 1_000 : 4_000
    }

    func figures() async throws -> [Figure] {
        var rates: [[Double]] = [[], [], []]
        let client = client
        let submit: @Sendable (Int) async throws -> Void = { number in
            _ = try await client.submit(
                WireSubmission(
                    name: "job \(number)", trigger: WireTrigger(after: "P1D"),
                    action: Action(command: .init(argv: ["true"], cwd: "/")), labels: ["team": "birds"]))
        }
        for turn in 0...turns {
            let first = turn * inSequence
            let measured = [
                Double(inSequence)
                    / (try await seconds {
                        try raw.insertPlain(first..<first + inSequence, bodySize: 300, batch: false)
                    }),
                Double(inSequence) / (try await seconds { for number in 0..<inSequence { try await submit(number) } }),
                Double(together) / (try await seconds { try await concurrently(Self.callers, 0..<together, submit) }),
            ]
            // The first turn warms up files, statements and connections.
            guard turn > 0 else { continue }
            for (index, rate) in measured.enumerated() { rates[index].append(rate) }
        }
        let single = median(rates[0])
        func figure(_ name: String, _ ours: [Double]) -> Figure {
            Figure(name, median(ours), "jobs/s", peer: single, ratio: median(zip(ours, rates[0]).map { $0 / $1 }))
        }
        return [
            figure("raw SQLite, a commit for each row (the peer)", rates[0]),
            figure("submit through the socket, one in sequence", rates[1]),
            figure("submit through the socket, \(Self.callers) at once", rates[2]),
        ]
    }
}

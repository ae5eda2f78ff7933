import ApusClient
import BenchSupport

/// Durable submissions per second through the daemon's socket, in turns with raw SQLite on the same disk, and the
/// daemon's processor time for a submission.
struct SocketSubmissions {
    static let callers = 64

    private let daemon: DaemonProcess
    private let raw: RawSQLite
    private let turns: Int
    private let inSequence: Int
    private let together: Int

    init(daemon: DaemonProcess, rawPath: String, quick: Bool) throws {
        self.daemon = daemon
        raw = try RawSQLite(rawPath)
        try raw.makePlainTable()
        turns = quick ? 2 : 5
        inSequence = quick ? 100 : 200
        together = quick ? 1_000 : 4_000
    }

    func rows() async throws -> [Comparison] {
        let client = daemon.client
        let one = try PlainClient(socketPath: try await client.socketPath(), connections: 1)
        let many = try PlainClient(socketPath: try await client.socketPath(), connections: Self.callers)
        let submit: @Sendable (Int) async throws -> Void = { number in
            _ = try await client.submit(
                WireSubmission(
                    name: "job \(number)", trigger: WireTrigger(after: "P1D"),
                    action: Action(command: .init(argv: ["true"], cwd: "/")), labels: ["team": "birds"]))
        }
        var rates: [[Double]] = [[], [], [], [], []]
        var work: [Double] = []
        for turn in 0...turns {
            let first = turn * inSequence
            let rawTime = try await seconds {
                try raw.insertPlain(first..<first + inSequence, bodySize: 300, batch: false)
            }
            let oneTime = try await seconds { try one.submit(inSequence) }
            let workBefore = processorSeconds(of: daemon.process)
            let manyTime = try await seconds { try many.submit(together) }
            let worked = processorSeconds(of: daemon.process) - workBefore
            let clientTime = try await seconds { for number in 0..<inSequence { try await submit(number) } }
            let clientsTime = try await seconds { try await concurrently(Self.callers, 0..<together, submit) }
            // The first turn loads files into the cache and prepares statements and connections.
            guard turn > 0 else { continue }
            rates[0].append(Double(inSequence) / rawTime)
            rates[1].append(Double(inSequence) / oneTime)
            rates[2].append(Double(together) / manyTime)
            rates[3].append(Double(inSequence) / clientTime)
            rates[4].append(Double(together) / clientsTime)
            work.append(worked * 1e6 / Double(together))
        }
        func row(_ name: String, _ ours: [Double]) -> Comparison {
            Comparison(
                name, median(ours), "jobs/s", peers: [("raw", median(rates[0]))],
                measuredRatio: median(zip(ours, rates[0]).map { $0 / $1 }))
        }
        return [
            row("submit through the socket, one after another", rates[1]),
            row("submit through the socket, \(Self.callers) at once", rates[2]),
            Comparison(
                "submit through the socket, \(Self.callers) at once: the daemon's work", median(work), "us/job",
                peers: []),
            row("submit with DaemonClient, one after another", rates[3]),
            row("submit with DaemonClient, \(Self.callers) at once", rates[4]),
        ]
    }
}

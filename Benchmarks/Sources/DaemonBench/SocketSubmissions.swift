import ApusDaemon
import BenchSupport

/// Durable submissions per second through the daemon's socket, in turns with raw SQLite on the same disk, and what of the
/// processors' time a submission takes the daemon.
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
        turns = quick ? 3 : 7
        inSequence = quick ? 200 : 400
        together = quick ? 1_000 : 4_000
    }

    func figures() async throws -> [Figure] {
        let client = daemon.client
        let one = try PlainClient(socketPath: try client.socketPath(), connections: 1)
        let many = try PlainClient(socketPath: try client.socketPath(), connections: Self.callers)
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
            // The first turn warms up files, statements and connections.
            guard turn > 0 else { continue }
            rates[0].append(Double(inSequence) / rawTime)
            rates[1].append(Double(inSequence) / oneTime)
            rates[2].append(Double(together) / manyTime)
            rates[3].append(Double(inSequence) / clientTime)
            rates[4].append(Double(together) / clientsTime)
            work.append(worked * 1e6 / Double(together))
        }
        let single = median(rates[0])
        func figure(_ name: String, _ ours: [Double]) -> Figure {
            Figure(name, median(ours), "jobs/s", peer: single, ratio: median(zip(ours, rates[0]).map { $0 / $1 }))
        }
        return [
            figure("raw SQLite, a commit for each row (the peer)", rates[0]),
            figure("submit through the socket, one in sequence", rates[1]),
            figure("submit through the socket, \(Self.callers) at once", rates[2]),
            Figure("submit through the socket, \(Self.callers) at once: the daemon's work", median(work), "us/job"),
            figure("submit with DaemonClient, one in sequence", rates[3]),
            figure("submit with DaemonClient, \(Self.callers) at once", rates[4]),
        ]
    }
}

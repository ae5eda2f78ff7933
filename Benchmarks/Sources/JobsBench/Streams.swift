import ApusClient
import BenchSupport
import Foundation
import Synchronization

/// The costs of clients that follow a daemon's events, while thousands of jobs are due in the far future.
///
/// The figures are the daemon's memory and the lateness of its jobs, with no client and with twenty.
struct Streams {
    private static let streams = 20
    private static let interval = 0.1

    private let daemon: DaemonProcess
    private let jobs: Int
    private let occurrences: Int

    init(daemon: DaemonProcess, quick: Bool) {
        self.daemon = daemon
        jobs = quick ? 500 : 5_000
        occurrences = quick ? 20 : 200
    }

    func table() async throws -> ComparisonTable {
        try await daemon.start()
        let idle = residentMegabytes(of: daemon.process)
        try PlainClient(socketPath: try await daemon.client.socketPath(), connections: 16).submit(jobs)
        let without = try await lateness()
        let loaded = residentMegabytes(of: daemon.process)
        let (with, followed, received) = try await whileFollowed {
            let late = try await lateness()
            return (late, residentMegabytes(of: daemon.process))
        }
        try await daemon.kill()
        return ComparisonTable(
            "A daemon with \(jobs) jobs, followed by \(Self.streams) streams of events",
            [
                Comparison("resident memory after the start", idle, "MB"),
                Comparison("resident memory with the jobs, and \(occurrences) runs", loaded, "MB"),
                Comparison(
                    "resident memory with the streams", followed, "MB", peers: [("no streams", loaded)],
                    target: .atMost(100)),
                Comparison("a run begins late: median", with.p50, "ms", peers: [("no streams", without.p50)]),
                Comparison("a run begins late: p99", with.p99, "ms", peers: [("no streams", without.p99)]),
                Comparison("events that each stream received", received, "events"),
            ],
            footnotes: [
                "runs of `true`, one each \(Int(Self.interval * 1_000)) ms, \(occurrences) times with and without streams;"
                    + " the daemon's history has whole milliseconds"
            ])
    }

    /// Returns the lateness of the runs of a repeating job, in milliseconds.
    private func lateness() async throws -> (p50: Double, p99: Double) {
        let client = daemon.client
        let job = try await client.submit(
            WireSubmission(
                name: "repeating", trigger: WireTrigger(every: "PT\(Self.interval)S", count: occurrences),
                action: Action(command: .init(argv: ["true"], cwd: "/"))))
        let deadline = ContinuousClock.now.advanced(by: .seconds(Self.interval * Double(occurrences) + 30))
        while try await client.job(job.id).state != "finished" {
            guard ContinuousClock.now < deadline else { throw Failure(description: "the repeating job did not finish") }
            try await Task.sleep(for: .milliseconds(250))
        }
        guard let late = try await client.statistics(job: job.id).total.latenessMs, late.count == occurrences else {
            throw Failure(description: "the history does not have \(occurrences) runs")
        }
        return (Double(late.p50), Double(late.p99))
    }

    /// Calls `body` while the streams are open, and also returns the number of events of the stream that received the
    /// fewest.
    private func whileFollowed(
        _ body: () async throws -> ((p50: Double, p99: Double), Double)
    ) async throws -> ((p50: Double, p99: Double), Double, Double) {
        let received = Received(count: Self.streams)
        let client = daemon.client
        let listeners = (0..<Self.streams).map { number in
            Task {
                try await client.listen { event in
                    received.add(event == nil ? 0 : 1, to: number)
                    return true
                }
            }
        }
        defer { for listener in listeners { listener.cancel() } }
        try await wait(atMost: .seconds(30), for: "the streams were not opened") { received.areAllOpen }
        let (late, memory) = try await body()
        return (late, memory, Double(received.fewest))
    }

    private final class Received: Sendable {
        private let counts: Mutex<[Int?]>

        init(count: Int) { counts = Mutex(Array(repeating: nil, count: count)) }

        func add(_ events: Int, to stream: Int) { counts.withLock { $0[stream] = ($0[stream] ?? 0) + events } }

        var areAllOpen: Bool { counts.withLock { !$0.contains(nil) } }

        var fewest: Int { counts.withLock { $0.compactMap(\.self).min() ?? 0 } }
    }
}

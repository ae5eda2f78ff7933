import ApusTimers
import AsyncAlgorithms
import BenchSupport

/// The costs and the lateness of the ticks of an asynchronous sequence.
struct Ticking: MeasuredInTurns {
    static let subject = Subject.ticks

    let quick: Bool
    let rounds: Int
    let contestants = [Name.ours, Name.timerSequence]
    private let count: Int

    init(quick: Bool) {
        self.quick = quick
        count = quick ? 200 : 1_000
        rounds = quick ? 2 : 3
    }

    private static let cpu = "process CPU of a tick"
    private static let p50 = "lateness p50"
    private static let p99 = "lateness p99"

    func table() throws -> ComparisonTable {
        let samples = try samplesOfAll()
        return ComparisonTable(
            "Ticks: \(short(count)) of 1 ms",
            [samples.row(Self.cpu, "ns"), samples.row(Self.p50, "us"), samples.row(Self.p99, "us")],
            footnotes: ["Lateness after the last due instant that is in phase with the beginning of the iteration."])
    }

    func turn(of contestant: String, round: Int, _ samples: inout Samples) throws {
        let count = count
        if contestant == Name.ours {
            let engine = TimerEngine()
            defer { engine.stop() }
            try measure(contestant, &samples) {
                var clock = TickTimes(count)
                for await _ in try engine.ticks(every: .milliseconds(1), clock: .uptime) {
                    clock.note()
                    guard clock.isOpen else { break }
                }
                return clock.times
            }
        } else {
            try measure(contestant, &samples) {
                var clock = TickTimes(count)
                for await _ in AsyncTimerSequence(interval: .milliseconds(1), clock: .suspending) {
                    clock.note()
                    guard clock.isOpen else { break }
                }
                return clock.times
            }
        }
    }

    /// The time at which the iteration began, followed by the times of the ticks.
    private struct TickTimes {
        private(set) var times: [UInt64]
        private let count: Int

        init(_ count: Int) {
            self.count = count
            times = []
            times.reserveCapacity(count + 1)
            times.append(monotonicNanoseconds())
        }

        mutating func note() { times.append(monotonicNanoseconds()) }

        var isOpen: Bool { times.count <= count }
    }

    private func measure(
        _ name: String, _ samples: inout Samples, _ body: @escaping @Sendable () async throws -> [UInt64]
    ) throws {
        waitUntilQuiet()
        let before = processCPUNanoseconds()
        let times = try waitForTask(body)
        let used = processCPUNanoseconds() - before
        try check(times.count == count + 1, "\(name): \(times.count - 1) ticks instead of \(count)")
        let late = times.dropFirst().map { Double(($0 - times[0]) % 1_000_000) / 1e3 }
        samples.add(Double(used) / Double(count), Self.cpu, name)
        samples.add(median(late), Self.p50, name)
        samples.add(quantile(late, 0.99), Self.p99, name)
    }
}

import BenchSupport
import Dispatch

/// The lateness of one-shot timers without tolerance, and that of a thread that only uses the kernel's timer.
struct Lateness: MeasuredInTurns {
    static let subject = Subject.lateness

    let quick: Bool
    let rounds: Int
    private let count: Int
    private let spread: UInt64

    init(quick: Bool) {
        self.quick = quick
        count = quick ? 300 : 2_000
        spread = quick ? 600_000_000 : 4_000_000_000
        rounds = quick ? 1 : 5
    }

    private static let shares = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)]
    private static let early = "fired before the deadline"

    func table() throws -> ComparisonTable {
        let samples = try samplesOfAll()
        var rows = Self.shares.map { name, share in
            samples.row(
                "lateness " + name, "us", mainPeer: Name.timerfd,
                target: share < 0.999 ? .ratioAtMost(1.5, of: Name.timerfd) : nil)
        }
        rows.append(samples.row(Self.early, "timers", target: .atMost(0)))
        return ComparisonTable(
            "Lateness: \(short(count)) one-shots at random instants of \(Double(spread) / 1e9) s, no tolerance", rows,
            footnotes: ["A dispatch source that is strict and has no leeway."])
    }

    private static let kinds = [OneShots.ours, .source, .nioTask, .taskSleep]

    var contestants: [String] { [Name.timerfd] + Self.kinds.map(\.name) }

    func turn(of contestant: String, round: Int, _ samples: inout Samples) throws {
        // All contestants have the same instants in a round.
        var random = SplitMix(seed: UInt64(round))
        let offsets = (0..<count).map { _ in random.below(spread) }
        let kind = Self.kinds.first { $0.name == contestant }
        try add(contestant, kind.map { try late($0, offsets) } ?? bare(offsets), &samples)
    }

    private func add(_ name: String, _ late: [Double], _ samples: inout Samples) throws {
        for (figure, share) in Self.shares { samples.add(quantile(late, share), "lateness " + figure, name) }
        samples.add(Double(late.count { $0 < 0 }), Self.early, name)
    }

    private func start() -> UInt64 { monotonicNanoseconds() + 200_000_000 }

    private func late(_ kind: OneShots, _ offsets: [UInt64]) throws -> [Double] {
        waitUntilQuiet()
        let start = start()
        let instants = offsets.map { start + $0 }
        let times = FireTimes(count: instants.count)
        let fires = FireCount(expected: instants.count)
        let close = try kind.set(instants) { index in
            times.note(index)
            fires.note()
        }
        try check(monotonicNanoseconds() < start, "\(kind.name): the timers cannot be set in time")
        _ = try fires.wait(seconds: 30)
        close()
        return times.late(after: instants)
    }

    private func bare(_ offsets: [UInt64]) throws -> [Double] {
        waitUntilQuiet()
        let start = start()
        let instants = offsets.map { start + $0 }.sorted()
        let times = FireTimes(count: instants.count)
        let fires = FireCount(expected: instants.count)
        let ended = onThread {
            BareTimer.wait(for: instants) { index in
                times.note(index)
                fires.note()
            }
        }
        _ = try fires.wait(seconds: 30)
        ended.wait()
        return times.late(after: instants)
    }
}

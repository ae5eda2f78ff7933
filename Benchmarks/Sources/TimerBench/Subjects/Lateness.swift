import BenchSupport
import Dispatch

/// How late one-shot timers fire with no tolerance, beside a thread that waits with nothing but the kernel's timer.
struct Lateness {
    private let count: Int
    private let spread: UInt64
    private let rounds: Int

    init(quick: Bool) {
        count = quick ? 300 : 2_000
        spread = quick ? 600_000_000 : 4_000_000_000
        rounds = quick ? 1 : 3
    }

    private static let shares = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)]
    private static let early = "fired before the deadline"

    func table() throws -> ComparisonTable {
        var samples = Samples()
        for round in 0..<rounds {
            var random = SplitMix(seed: UInt64(round + 1))
            let offsets = (0..<count).map { _ in random.below(spread) }
            try add(Name.timerfd, bare(offsets), &samples)
            for kind in [OneShots.ours, .source, .nioTask, .taskSleep] {
                try add(kind.name, late(kind, offsets), &samples)
            }
        }
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

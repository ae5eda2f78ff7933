import BenchSupport

/// The costs of firing: all timers at one instant, and a steady load.
struct Fire: MeasuredInTurns {
    static let subject = Subject.fire

    let quick: Bool
    let rounds: Int
    private let counts: [(OneShots, Int)]
    private let steady: Int
    /// The time over which the steady load is spread, in nanoseconds.
    private let spread: UInt64
    /// The time from the beginning of scheduling to the first deadline, in nanoseconds; each retry triples it.
    private let lead: UInt64

    init(quick: Bool) {
        self.quick = quick
        let scale = quick ? 10 : 1
        counts = [
            (.ours, 1_000_000 / scale), (.handler, 1_000_000 / scale), (.source, 200_000 / scale),
            (.after, 200_000 / scale), (.taskSleep, 100_000 / scale), (.nioTask, 200_000 / scale),
            (.nioCallback, 200_000 / scale),
        ]
        steady = quick ? 30_000 : 100_000
        rounds = quick ? 1 : 3
        spread = quick ? 300_000_000 : 1_000_000_000
        lead = quick ? 300_000_000 : 600_000_000
    }

    private static let burst = "until all have fired that are due at one instant"
    private static let load = "process CPU under 100 k random deadlines a second"

    func table() throws -> ComparisonTable {
        let samples = try samplesOfAll()
        let sizes = counts.map { "\($0.0.name) \(short($0.1))" }.joined(separator: ", ")
        return ComparisonTable(
            "Fire: per timer",
            [
                samples.row(Self.burst, "ns", as: Self.burst + ", closure"),
                samples.row(Self.burst, "ns", as: Self.burst + ", handler", ours: Name.handler, target: .atMost(60)),
                samples.row(Self.load, "ns", as: Self.load + ", closure"),
                samples.row(Self.load, "ns", as: Self.load + ", handler", ours: Name.handler),
            ],
            footnotes: ["At one instant: \(sizes). Random: \(short(steady)) each."])
    }

    private static let underLoad: [OneShots] = [.ours, .handler, .source, .taskSleep, .nioTask]

    var contestants: [String] { counts.map(\.0.name) }

    func turn(of contestant: String, round: Int, _ samples: inout Samples) throws {
        for (kind, count) in counts where kind.name == contestant {
            waitUntilQuiet()
            samples.add(try burst(kind, count), Self.burst, contestant)
            guard Self.underLoad.contains(kind) else { continue }
            waitUntilQuiet()
            samples.add(try load(kind), Self.load, contestant)
        }
    }

    private func burst(_ kind: OneShots, _ count: Int) throws -> Double {
        var lead = lead
        for _ in 0..<4 {
            let fires = FireCount(expected: count)
            let instant = monotonicNanoseconds() + lead
            let close = try kind.set(Array(repeating: instant, count: count)) { _ in fires.note() }
            let inTime = monotonicNanoseconds() < instant
            let last = try fires.wait()
            close()
            try fires.checkNoMore()
            if inTime { return Double(last - instant) / Double(count) }
            lead *= 3
        }
        throw Failure(description: "\(kind.name): \(count) timers cannot be set before they are due")
    }

    private func load(_ kind: OneShots) throws -> Double {
        var lead = lead
        for _ in 0..<4 {
            var random = SplitMix(seed: 3)
            let fires = FireCount(expected: steady)
            let start = monotonicNanoseconds() + lead
            // The first instant is 10 ms after the start, so that nothing fires before the measurement begins.
            let instants = (0..<steady).map { _ in start + 10_000_000 + random.below(spread) }
            let close = try kind.set(instants) { _ in fires.note() }
            let inTime = monotonicNanoseconds() < start
            sleep(until: start)
            let before = processCPUNanoseconds()
            _ = try fires.wait()
            let used = processCPUNanoseconds() - before
            close()
            try fires.checkNoMore()
            if inTime { return Double(used) / Double(steady) }
            lead *= 3
        }
        throw Failure(description: "\(kind.name): \(steady) timers cannot be set before they are due")
    }
}

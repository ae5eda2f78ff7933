import BenchSupport
import Dispatch
import Synchronization

/// The rate at which several threads schedule and cancel timers of one engine.
struct Producers {
    private let threads = [1, 2, 4]
    private let live = 100_000
    private let turn: UInt64
    private let rounds: Int

    init(quick: Bool) {
        turn = quick ? 100_000_000 : 500_000_000
        rounds = quick ? 1 : 3
    }

    func table() throws -> ComparisonTable {
        var samples = Samples()
        for _ in 0..<rounds {
            try measure(ApusClosure(), Name.ours, &samples)
            try measure(ApusHandler(), Name.handler, &samples)
            try measure(DispatchSources(), Name.source, &samples)
        }
        var rows: [Comparison] = []
        for (form, name) in [("closure", Name.ours), ("handler", Name.handler)] {
            for count in threads {
                rows.append(
                    samples.row(
                        "\(count)", "k/s", as: "\(form), \(count) thread\(count == 1 ? "" : "s")", ours: name))
            }
            for count in threads.dropFirst() {
                rows.append(
                    samples.row(
                        "ratio \(count)", "x", as: "\(form), \(count) threads / 1 thread", ours: name, mainPeer: ""))
            }
        }
        return ComparisonTable(
            "Producers: pairs of schedule and cancel beside \(short(live)) live timers, all threads together", rows)
    }

    /// The state that the threads share.
    ///
    /// For `@unchecked Sendable`: the threads share the engine and its queues, which are thread-safe.
    private final class Shared<Maker: Contestant>: @unchecked Sendable {
        let contestant: Maker
        let pairs = Atomic<Int>(0)
        init(_ contestant: Maker) { self.contestant = contestant }
    }

    private func measure<Maker: Contestant>(_ contestant: Maker, _ name: String, _ samples: inout Samples) throws {
        let shared = Shared(contestant)
        var random = SplitMix(seed: 11)
        let handles = (0..<live).map { contestant.schedule(after: contestant.delay(random.farAway()), number: $0) }
        var single: Double?
        for count in threads {
            waitUntilQuiet()
            let before = shared.pairs.load(ordering: .relaxed)
            let start = monotonicNanoseconds()
            let end = start + turn
            let ended = (0..<count).map { thread in
                onThread {
                    var random = SplitMix(seed: UInt64(thread))
                    var pairs = 0
                    while monotonicNanoseconds() < end {
                        for number in 0..<64 {
                            contestantPair(shared.contestant, &random, number)
                        }
                        pairs += 64
                    }
                    shared.pairs.wrappingAdd(pairs, ordering: .relaxed)
                }
            }
            for semaphore in ended { semaphore.wait() }
            let seconds = Double(monotonicNanoseconds() - start) / 1e9
            let rate = Double(shared.pairs.load(ordering: .relaxed) - before) / seconds / 1e3
            samples.add(rate, "\(count)", name)
            samples.add(rate / (single ?? rate), "ratio \(count)", name)
            single = single ?? rate
        }
        if let left = contestant.live { try check(left == live, "\(left) timers live instead of \(live)") }
        for handle in handles { contestant.cancel(handle) }
        contestant.close()
    }
}

@inline(__always)
private func contestantPair(_ contestant: some Contestant, _ random: inout SplitMix, _ number: Int) {
    contestant.cancel(contestant.schedule(after: contestant.delay(random.farAway()), number: number))
}

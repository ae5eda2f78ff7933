import ApusTimers
import BenchSupport
import Dispatch
import Synchronization

/// The longest duration of a call while other threads keep the engine busy.
struct Pause {
    private let crowd: Int
    private let due: [Int]

    init(quick: Bool) {
        crowd = quick ? 300_000 : 10_000_000
        due = quick ? [100_000] : [1_000_000, 10_000_000]
    }

    func table() throws -> ComparisonTable {
        var rows: [Comparison] = []
        note("pauses beside a thread that arms and cancels")
        let alone = Self.nothing(seconds: 1)
        let busy = try beside(crowd)
        let name = "a pair, another thread arms and cancels \(short(crowd))"
        rows += Self.rows(name, busy, alone)
        for count in due {
            note("pauses while \(short(count)) are due")
            rows += Self.rows("schedule while \(short(count)) are due at once", try whileDue(count), alone)
        }
        return ComparisonTable(
            "Pauses: the longest call of a thread", rows,
            footnotes: [
                "bare loop: the same of reading the clock for 1 s beside a thread that spins.",
                "Undisturbed: the kernel did not take the processor from the calling thread. Waiting for others counts.",
            ])
    }

    private static func rows(_ name: String, _ calls: Histogram, _ alone: Histogram) -> [Comparison] {
        [
            Comparison(
                name + ": longest", Double(calls.longest) / 1e6, "ms",
                peers: [(name: Name.bareLoop, value: Double(alone.longest) / 1e6)], mainPeer: ""),
            Comparison(
                name + ": longest undisturbed", Double(calls.longestUndisturbed) / 1e6, "ms",
                peers: [(name: Name.bareLoop, value: Double(alone.longestUndisturbed) / 1e6)], mainPeer: "",
                target: .atMost(5)),
            Comparison(
                name + ": p99.9", calls.quantile(0.999) / 1e3, "us",
                peers: [(name: Name.bareLoop, value: alone.quantile(0.999) / 1e3)], mainPeer: ""),
        ]
    }

    private final class Flag: Sendable { let isSet = Atomic<Bool>(false) }

    /// Returns the pauses that the machine itself causes in a thread while another thread is running.
    private static func nothing(seconds: UInt64) -> Histogram {
        let done = Flag()
        let spinning = onThread { while !done.isSet.load(ordering: .relaxed) {} }
        var calls = Histogram()
        let end = monotonicNanoseconds() + seconds * 1_000_000_000
        while monotonicNanoseconds() < end {
            // These readings take about as long as a call of the engine, so that the machine's pauses affect them as
            // often.
            calls.measure { for _ in 0..<6 { keep(monotonicNanoseconds()) } }
        }
        done.isSet.store(true, ordering: .relaxed)
        spinning.wait()
        return calls
    }

    private func beside(_ crowd: Int) throws -> Histogram {
        waitUntilQuiet()
        let engine = TimerEngine()
        defer { engine.stop() }
        let handler = TimerHandler { token in Fired.note(Int(truncatingIfNeeded: token)) }
        let done = Flag()
        let count = Count()
        let crowded = onThread {
            var random = SplitMix(seed: 13)
            var timers: ContiguousArray<ScheduledTimer> = []
            timers.reserveCapacity(crowd)
            for number in 0..<crowd {
                timers.append(
                    engine.schedule(
                        after: .nanoseconds(random.farAway()), handler: handler, token: UInt64(number)))
            }
            for timer in timers where timer.cancel() { count.value.wrappingAdd(1, ordering: .relaxed) }
            done.isSet.store(true, ordering: .releasing)
        }
        var random = SplitMix(seed: 17)
        var calls = Histogram()
        while !done.isSet.load(ordering: .acquiring) {
            let deadline = Duration.nanoseconds(random.farAway())
            calls.measure { _ = engine.schedule(after: deadline, handler: handler, token: 1).cancel() }
        }
        crowded.wait()
        let ended = count.value.load(ordering: .relaxed)
        try check(ended == crowd && calls.total > 0, "\(ended) of \(crowd) timers were cancelled")
        return calls
    }

    private final class Count: Sendable { let value = Atomic<Int>(0) }

    private func whileDue(_ count: Int) throws -> Histogram {
        var lead = max(500_000_000, UInt64(count) * 300)
        for _ in 0..<4 {
            waitUntilQuiet()
            let engine = TimerEngine()
            defer { engine.stop() }
            let fires = Count()
            let handler = TimerHandler { _ in fires.value.wrappingAdd(1, ordering: .relaxed) }
            let instant = UptimeInstant(nanoseconds: monotonicNanoseconds() + lead)
            for number in 0..<count { engine.schedule(at: instant, handler: handler, token: UInt64(number)) }
            lead *= 3
            guard monotonicNanoseconds() + 20_000_000 < instant.nanoseconds else { continue }
            sleep(until: instant.nanoseconds - 10_000_000)
            var random = SplitMix(seed: 19)
            var calls = Histogram()
            let giveUp = instant.nanoseconds + 60_000_000_000
            while fires.value.load(ordering: .relaxed) < count, monotonicNanoseconds() < giveUp {
                let deadline = Duration.nanoseconds(random.farAway())
                calls.measure { engine.schedule(after: deadline, handler: handler, token: 0) }.cancel()
            }
            let fired = fires.value.load(ordering: .relaxed)
            try check(fired == count, "\(fired) of \(count) timers fired within 60 s")
            return calls
        }
        throw Failure(description: "\(count) timers cannot be scheduled before they are due")
    }
}

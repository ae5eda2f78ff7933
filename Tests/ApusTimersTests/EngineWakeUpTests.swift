import ApusVirtualTime
import Testing

@testable import ApusTimers

@Suite("Wake-ups of the engine")
struct EngineWakeUpTests {
    @Test("random timers on one clock cost the least possible number of wake-ups", arguments: 0..<20)
    func greedy(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        let time = VirtualTime()
        let begin = time.continuous()
        var intervals: [(soft: UInt64, hard: UInt64)] = []
        for _ in 0..<(1 + random.next() % 300) {
            let soft = begin.nanoseconds + 1 + random.next() % 1_000_000_000
            let tolerance = random.next() % (random.next() % 2 == 0 ? 100_000_000 : 1_000_000)
            intervals.append((soft, soft + tolerance))
            time.engine.schedule(
                at: ContinuousInstant(nanoseconds: soft), tolerance: .nanoseconds(Int64(tolerance))
            ) { [clocks = time.engine.time] in
                let now = clocks.continuous().nanoseconds
                #expect(soft <= now && now <= soft + tolerance, "seed \(seed)")
            }
        }
        time.advance(by: .seconds(2))

        // Disjoint intervals cannot share a wake-up, so the largest number of disjoint intervals is the least number of
        // wake-ups.
        var least = 0
        var lastEnd: UInt64 = 0
        for interval in intervals.sorted(by: { $0.hard < $1.hard }) where interval.soft > lastEnd {
            lastEnd = interval.hard
            least += 1
        }
        #expect(time.engine.statistics.wakeUps == least, "seed \(seed)")
        #expect(time.engine.statistics.fires == intervals.count)
    }

    @Test(
        "a thousand repeating timers of one second with 100 ms of tolerance wake the engine at most ten times a second")
    func repeating() throws {
        let random = SeededRandom(seed: 1)
        let time = VirtualTime()
        let timers = try (0..<1_000).map { _ in
            try RepeatingTimer(every: .seconds(1), tolerance: .milliseconds(100), engine: time.engine) { _ in }
        }
        for timer in timers {
            timer.resume()
            time.advance(by: .nanoseconds(Int64(random.next() % 2_000_000)))
        }
        let before = time.engine.statistics
        time.advance(by: .seconds(10))
        let wakeUps = time.engine.statistics.wakeUps - before.wakeUps
        #expect(time.engine.statistics.fires - before.fires >= 9_900)
        #expect(wakeUps <= 101, "\(wakeUps) wake-ups in ten seconds")
        for timer in timers { timer.cancel() }
        #expect(time.leaks == [])
    }
}

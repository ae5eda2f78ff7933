import Testing
import TimerWheel

@Suite("Tolerance")
struct WakeUpCountTests {
    private struct Interval {
        var soft: UInt64
        var hard: UInt64
        var arrival: UInt64 = 0
    }

    /// Returns the least number of instants that touch all intervals, which is the size of the largest set of disjoint
    /// intervals.
    ///
    /// The set is chosen by the earliest ends, without a wheel.
    private func leastNumberOfWakeUps(_ intervals: [Interval]) -> Int {
        var count = 0
        var lastEnd: UInt64?
        for interval in intervals.sorted(by: { $0.hard < $1.hard }) {
            let begin = max(interval.soft, interval.arrival)
            if let end = lastEnd, begin <= end { continue }
            lastEnd = interval.hard
            count += 1
        }
        return count
    }

    private func interval(after now: UInt64, scale: UInt64, _ random: inout Random) -> Interval {
        let soft = now + UInt64.random(in: 0...scale, using: &random)
        let longest = random.below(2) == 0 ? scale / 10 : scale / 200
        return Interval(soft: soft, hard: soft + UInt64.random(in: 0...longest, using: &random), arrival: now)
    }

    @Test(
        "a sleeper that follows nextWake wakes as often as the best possible schedule, on random sets",
        arguments: 0..<60)
    func greedyIsOptimal(seed: Int) {
        var random = Random(seed: UInt64(seed))
        let scale: UInt64 = [1_000, 1_000_000_000, 1 << 50][seed % 3]
        let intervals = (0..<(1 + random.below(400))).map { _ in interval(after: 0, scale: scale, &random) }
        var wheel = TimerWheel(now: 0)
        for (index, interval) in intervals.enumerated() {
            _ = wheel.insert(
                deadline: interval.soft, tolerance: interval.hard - interval.soft, payload: TimerPayload(UInt64(index))
            )
        }
        var wakeUps = 0
        while let now = wheel.nextWake() {
            wakeUps += 1
            for payload in wheel.takePayloads(now: now) {
                let interval = intervals[Int(payload)]
                #expect(interval.soft <= now && now <= interval.hard, "seed \(seed)")
            }
        }
        #expect(wakeUps == leastNumberOfWakeUps(intervals), "seed \(seed)")
    }

    @Test(
        "a sleeper that follows nextWake wakes as rarely as possible even when timers are added and cancelled meanwhile",
        arguments: 0..<60)
    func greedyIsOptimalOnline(seed: Int) {
        var random = Random(seed: UInt64(seed) + 10_000)
        let scale: UInt64 = 1_000_000
        var wheel = TimerWheel(now: 0)
        var intervals: [Interval] = []
        var live: [(handle: TimerHandle, index: Int)] = []
        var cancelled: Set<Int> = []
        var now: UInt64 = 0
        var wakeUps = 0
        for _ in 0..<300 {
            // The event is between two wake-ups, while the sleeper is asleep.
            let nextEvent = now + UInt64.random(in: 1...scale / 20, using: &random)
            while let wake = wheel.nextWake(), wake < nextEvent {
                wakeUps += 1
                let fired = Set(wheel.takePayloads(now: wake).map { Int($0) })
                live.removeAll { fired.contains($0.index) }
            }
            now = nextEvent
            if random.below(4) == 0, !live.isEmpty {
                let victim = live.remove(at: random.below(live.count))
                #expect(wheel.remove(victim.handle) != nil)
                cancelled.insert(victim.index)
            } else {
                let interval = interval(after: now, scale: scale, &random)
                let handle = wheel.insert(
                    deadline: interval.soft, tolerance: interval.hard - interval.soft,
                    payload: TimerPayload(UInt64(intervals.count))
                )
                live.append((handle, intervals.count))
                intervals.append(interval)
            }
        }
        while let wake = wheel.nextWake() {
            wakeUps += 1
            _ = wheel.takePayloads(now: wake)
        }
        let kept = intervals.enumerated().filter { !cancelled.contains($0.offset) }.map(\.element)
        #expect(wakeUps == leastNumberOfWakeUps(kept), "seed \(seed)")
    }
}

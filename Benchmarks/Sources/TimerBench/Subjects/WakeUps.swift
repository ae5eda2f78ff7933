import ApusTimers
import BenchSupport
import Dispatch
import Synchronization

/// The number of wake-ups of repeating timers with tolerance, and the minimum for the same instants.
struct WakeUps {
    private let count: Int
    private let window: UInt64
    private let tolerances: [Int]

    init(quick: Bool) {
        count = quick ? 200 : 1_000
        window = quick ? 1_000_000_000 : 5_000_000_000
        tolerances = quick ? [100] : [0, 10, 100, 500]
    }

    func table() throws -> ComparisonTable {
        var rows: [Comparison] = []
        for tolerance in tolerances {
            note("wake-ups with \(tolerance) ms of tolerance")
            let (ours, bound) = try ours(tolerance)
            let dispatch = try dispatch(tolerance)
            rows.append(
                Comparison(
                    "wake-ups with \(tolerance) ms of tolerance", ours, "1/s",
                    peers: [(name: Name.source, value: dispatch), (name: Name.bound, value: bound)],
                    target: .ratioAtMost(1.2, of: Name.bound)))
        }
        return ComparisonTable(
            "Wake-ups: \(short(count)) repeating timers of 1 s in random phases, over \(Double(window) / 1e9) s", rows,
            footnotes: [
                "Ours: voluntary context switches of the engine's thread. Dispatch: of all threads but the measuring "
                    + "one, a wake-up of its manager and of a worker being two.",
                "Bound: the fewest instants that stab all intervals from a due instant to its end of tolerance.",
            ])
    }

    /// The random phases of the timers, sorted.
    private var phases: [UInt64] {
        var random = SplitMix(seed: 7)
        return (0..<count).map { _ in random.below(1_000_000_000) }.sorted()
    }

    private final class Dues: Sendable { let values = Mutex<[UInt64]?>(nil) }

    private func ours(_ tolerance: Int) throws -> (wakeUps: Double, bound: Double) {
        waitUntilQuiet()
        let engine = TimerEngine()
        defer { engine.stop() }
        let dues = Dues()
        let timers = try (0..<count).map { _ in
            try RepeatingTimer(
                every: .seconds(1), tolerance: .milliseconds(tolerance), clock: .uptime, engine: engine
            ) { tick in
                dues.values.withLock { $0?.append(tick.due.nanoseconds) }
            }
        }
        defer { for timer in timers { timer.cancel() } }
        let start = monotonicNanoseconds() + 10_000_000
        for (timer, phase) in zip(timers, phases) {
            sleep(until: start + phase)
            timer.resume()
        }
        // The measurement begins in the middle of a second, when all timers have ticked.
        sleep(until: start + 2_300_000_000)
        dues.values.withLock { $0 = [] }
        let before = ContextSwitches.ofEngines()
        sleep(until: start + 2_300_000_000 + window)
        let switches = ContextSwitches.ofEngines() - before
        let ticked = dues.values.withLock { $0.take() } ?? []
        let seconds = Double(window) / 1e9
        try check(
            abs(Double(ticked.count) - Double(count) * seconds) <= Double(count) * 0.55,
            "\(ticked.count) ticks of \(count) timers in \(seconds) s")
        let bound = Self.fewestWakeUps(ticked, tolerance: UInt64(tolerance) * 1_000_000)
        return (Double(switches) / seconds, Double(bound) / seconds)
    }

    private func dispatch(_ tolerance: Int) throws -> Double {
        waitUntilQuiet()
        let queue = DispatchQueue(label: "timer-bench.wake-ups")
        let fires = FireCount(expected: .max)
        let start = monotonicNanoseconds() + 10_000_000
        let sources = phases.map { phase in
            let source = DispatchSource.makeTimerSource(queue: queue)
            source.setEventHandler { fires.note() }
            source.schedule(
                deadline: DispatchTime(uptimeNanoseconds: start + phase), repeating: .seconds(1),
                leeway: .milliseconds(tolerance))
            source.activate()
            return source
        }
        defer { for source in sources { source.cancel() } }
        sleep(until: start + 1_300_000_000)
        let before = (switches: ContextSwitches.ofOthers(), fires: fires.soFar)
        sleep(until: start + 1_300_000_000 + window)
        let switches = ContextSwitches.ofOthers() - before.switches
        let seconds = Double(window) / 1e9
        let fired = fires.soFar - before.fires
        try check(
            abs(Double(fired) - Double(count) * seconds) <= Double(count) * 0.55,
            "\(fired) fires of \(count) sources in \(seconds) s")
        return Double(switches) / seconds
    }

    /// Returns the minimum number of wake-ups.
    ///
    /// It is reached if each wake-up is at the earliest end of an interval that has not been served yet, and serves
    /// all intervals that have begun by then.
    private static func fewestWakeUps(_ dues: [UInt64], tolerance: UInt64) -> Int {
        var wakeUps = 0
        var last: UInt64?
        // All timers have the same tolerance, so the intervals end in the order in which they begin.
        for due in dues.sorted() where last.map({ $0 < due }) ?? true {
            last = due + tolerance
            wakeUps += 1
        }
        return wakeUps
    }
}

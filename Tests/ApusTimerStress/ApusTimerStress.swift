import ApusTimers
import Dispatch
import Foundation
import Synchronization

/// Schedules, resets and cancels timers from several threads while the engine fires, in one round after another.
///
/// After each round, it accounts for every timer: the timer fired once and not early, or it was cancelled. A sleeping
/// task that is cancelled at any moment must end as well.
///
///     ApusTimerStress [SECONDS [SEED]]
@main
struct ApusTimerStress {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let bad = arguments.first(where: { UInt64($0) == nil }) { refuse("\(bad) is not a whole number") }
        if arguments.count > 2 { refuse("there are \(arguments.count) arguments") }
        let seconds = arguments.first.flatMap { UInt64($0) } ?? 30
        let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? SystemRandom().next() >> 1
        print("stress for \(seconds) s with the seed \(seed)")

        let engine = TimerEngine()
        let end = engine.time.uptime().advanced(by: .seconds(Int64(clamping: seconds)))
        var total = Tally()
        var rounds: UInt64 = 0
        while engine.time.uptime() < end {
            let round = StressRound(engine: engine, seed: seed &+ rounds &* 1_000_003)
            total.add(await round.run())
            rounds += 1
            guard total.faults.isEmpty else { break }
        }
        engine.stop()
        for fault in total.faults.prefix(20) { print(fault) }
        print(
            "\(rounds) rounds, \(total.timers) timers: \(total.fired) fired, \(total.cancelled) cancelled, "
                + "\(total.resets) resets, \(total.sleeps) sleeps of which \(total.interrupted) were interrupted"
        )
        guard total.faults.isEmpty, total.fired > 0, total.cancelled > 0, total.resets > 0 else {
            print("FAILED with \(total.faults.count) faults; the seed is \(seed)")
            exit(1)
        }
        print("none was lost, none fired twice, none early")
    }

    private static func refuse(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("\(reason); it is used with [SECONDS [SEED]], both whole numbers\n".utf8))
        exit(64)
    }
}

/// The numbers of timers and of their outcomes, in one round or in many.
struct Tally {
    var timers = 0
    var fired = 0
    var cancelled = 0
    var resets = 0
    var sleeps = 0
    var interrupted = 0
    var faults: [String] = []

    mutating func add(_ other: Tally) {
        timers += other.timers
        fired += other.fired
        cancelled += other.cancelled
        resets += other.resets
        sleeps += other.sleeps
        interrupted += other.interrupted
        faults += other.faults
    }
}

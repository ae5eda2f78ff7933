import BenchSupport
import Foundation
import Synchronization

/// A counter of fired timers that records the time of the last one.
final class FireCount: Sendable {
    private let expected: Int
    private let count = Atomic<Int>(0)
    private let last = Atomic<UInt64>(0)
    private let ended = DispatchSemaphore(value: 0)

    init(expected: Int) { self.expected = expected }

    func note() {
        guard count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == expected else { return }
        last.store(monotonicNanoseconds(), ordering: .releasing)
        ended.signal()
    }

    /// Waits for the last timer, and returns the time at which it fired.
    func wait(seconds: Int = 60) throws -> UInt64 {
        _ = ended.wait(timeout: .now() + .seconds(seconds))
        let count = count.load(ordering: .acquiring)
        try check(count == expected, "\(count) of \(expected) fired within \(seconds) s")
        return last.load(ordering: .acquiring)
    }

    var soFar: Int { count.load(ordering: .acquiring) }

    func checkNoMore() throws {
        let count = count.load(ordering: .acquiring)
        try check(count == expected, "\(count) fired instead of \(expected)")
    }
}

/// Waits until an instant of the monotonic clock.
func sleep(until instant: UInt64) {
    let now = monotonicNanoseconds()
    if instant > now { usleep(UInt32((instant - now) / 1_000)) }
}

import BenchSupport
import Foundation
import Synchronization

/// Counts what fires, and knows when the last one did.
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

    /// When the last one fired, after waiting for it.
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

import ApusTimers
import BenchSupport
import Foundation
import Synchronization

/// The failure of a benchmark that did not do what it should measure.
struct Failure: Error, CustomStringConvertible {
    var description: String
}

/// The number of calls of handlers.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}

/// Waits until a condition holds, which it checks every 2 ms.
func wait(
    atMost limit: Duration, for what: @autoclosure () -> String, until holds: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while try await !holds() {
        guard ContinuousClock.now < deadline else { throw Failure(description: "\(what()) within \(limit)") }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Returns the wall clock in nanoseconds since 1970.
func wallNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Returns the time from a due instant to a reading of the wall clock, in milliseconds.
func milliseconds(from due: WallInstant, to now: UInt64) -> Double {
    Double(Int64(now) - Int64(due.nanoseconds)) / 1e6
}

import BenchSupport

/// The times at which many timers fired.
///
/// For `@unchecked Sendable`: each timer writes its own element once, and no element is read before all are written.
final class FireTimes: @unchecked Sendable {
    private let times: UnsafeMutableBufferPointer<UInt64>

    init(count: Int) {
        times = .allocate(capacity: count)
        times.initialize(repeating: 0)
    }

    deinit { times.deallocate() }

    @inline(__always)
    func note(_ index: Int) { times[index] = monotonicNanoseconds() }

    /// Returns the lateness after the instants in microseconds; negative if a timer fired too early.
    func late(after instants: [UInt64]) -> [Double] {
        zip(times, instants).map { Double(Int64($0) - Int64($1)) / 1e3 }
    }
}

import BenchSupport

/// When each of many timers fired.
///
/// For `@unchecked Sendable`: each writes its own place, once, and none is read before all are written.
final class FireTimes: @unchecked Sendable {
    private let times: UnsafeMutableBufferPointer<UInt64>

    init(count: Int) {
        times = .allocate(capacity: count)
        times.initialize(repeating: 0)
    }

    deinit { times.deallocate() }

    @inline(__always)
    func note(_ index: Int) { times[index] = monotonicNanoseconds() }

    /// Microseconds after the instants; negative where one fired before.
    func late(after instants: [UInt64]) -> [Double] {
        zip(times, instants).map { Double(Int64($0) - Int64($1)) / 1e3 }
    }
}

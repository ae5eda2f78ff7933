import BenchSupport

/// A cheap record of many durations in steps of 100 ns, which also shows rare ones.
struct Histogram {
    private var counts = [UInt32](repeating: 0, count: 200_000)
    private(set) var longest: UInt64 = 0
    /// The longest of the durations during which the kernel did not preempt the thread.
    ///
    /// It may contain waits for other threads of this process, but no delays by other programs.
    private(set) var longestUndisturbed: UInt64 = 0
    private(set) var total = 0

    mutating func add(_ nanoseconds: UInt64) {
        counts[min(Int(nanoseconds / 100), counts.count - 1)] += 1
        longest = max(longest, nanoseconds)
        total += 1
    }

    @inline(__always)
    mutating func measure<Result>(_ body: () -> Result) -> Result {
        let disturbances = ContextSwitches.involuntaryOfThisThread()
        let start = monotonicNanoseconds()
        let result = body()
        let took = monotonicNanoseconds() - start
        add(took)
        if took > longestUndisturbed, ContextSwitches.involuntaryOfThisThread() == disturbances {
            longestUndisturbed = took
        }
        return result
    }

    /// Returns the duration that the given share of the durations does not exceed, in nanoseconds.
    func quantile(_ share: Double) -> Double {
        var left = Int(Double(total) * share)
        for (step, count) in counts.enumerated() {
            left -= Int(count)
            if left < 0 { return Double(step + 1) * 100 }
        }
        return Double(longest)
    }
}

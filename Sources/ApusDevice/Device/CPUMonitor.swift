/// How much a process has computed in the background lately: a pure state machine. Instants are nanoseconds of uptime.
struct CPUMonitor: Sendable {
    private let window: UInt64
    /// How much of the window may be computed.
    private let limit: UInt64
    /// When it computed, in order and apart from each other.
    private var spans: [(start: UInt64, end: UInt64)] = []

    init(window: UInt64, share: Double) {
        self.window = window
        limit = UInt64(Double(window) * max(0, share))
    }

    /// The process has computed all that time.
    mutating func computed(from start: UInt64, to end: UInt64) {
        spans.removeAll { $0.end + window <= start }
        if end > start { spans.append((start, end)) }
    }

    /// When the limit is reached by a process that computes from `start` to `end`; nil when it is not.
    func limitReached(from start: UInt64, to end: UInt64) -> UInt64? {
        func used(at instant: UInt64) -> UInt64 {
            let from = instant > window ? instant - window : 0
            let earlier = spans.reduce(0) { sum, span in
                sum + (span.end > max(span.start, from) ? span.end - max(span.start, from) : 0)
            }
            return earlier + (instant - max(start, from))
        }
        // It does not fall while the process computes: what leaves the window is replaced.
        guard used(at: end) >= limit else { return nil }
        var (low, high) = (start, end)
        while low < high {
            let middle = low + (high - low) / 2
            if used(at: middle) >= limit { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension CPUMonitor {
    init(_ policy: SystemPolicy.Jobs) {
        self.init(window: policy.cpuWindow.nanosecondsFromZero, share: policy.cpuShare)
    }
}

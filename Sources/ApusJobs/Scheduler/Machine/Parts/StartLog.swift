import ApusTimers

/// The instants at which the runs of a queue with a rate began, as far back as the rate's period.
struct StartLog: Sendable {
    /// The instants in ascending order; the first `over` of them are older than the period.
    private var instants: [ContinuousInstant] = []
    private var over = 0

    var last: ContinuousInstant? { instants.last }

    init() {}

    init(_ count: Int, at instant: ContinuousInstant) {
        instants = Array(repeating: instant, count: min(max(0, count), QueueRate.maximumRuns))
    }

    mutating func add(_ instant: ContinuousInstant, _ rate: QueueRate) {
        instants.append(instant)
        over = firstRecent(rate, instant)
        guard over > 64, over > instants.count / 2 else { return }
        instants.removeFirst(over)
        over = 0
    }

    /// Returns the number of runs that began within the period that ends now.
    func count(_ rate: QueueRate, _ now: ContinuousInstant) -> Int { instants.count - firstRecent(rate, now) }

    /// Returns the time until fewer runs than the rate allows have begun within the period.
    func untilRoom(_ rate: QueueRate, _ now: ContinuousInstant) -> Duration {
        let recent = firstRecent(rate, now)
        guard instants.count - recent >= rate.runs else { return .zero }
        return max(.zero, now.duration(to: instants[instants.count - rate.runs].advanced(by: rate.period)))
    }

    /// Returns the position of the first instant within the period.
    private func firstRecent(_ rate: QueueRate, _ now: ContinuousInstant) -> Int {
        var (low, high) = (over, instants.count)
        while low < high {
            let middle = (low + high) / 2
            if instants[middle].duration(to: now) >= rate.period { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

import ApusTimers

/// When the runs of a queue with a rate began, as far back as the rate's period.
struct StartLog: Sendable {
    /// In their order; the first of them are over.
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

    /// How many began within the period that ends now.
    func count(_ rate: QueueRate, _ now: ContinuousInstant) -> Int { instants.count - firstRecent(rate, now) }

    /// How long it takes until fewer runs than the rate allows began within the period.
    func untilRoom(_ rate: QueueRate, _ now: ContinuousInstant) -> Duration {
        let recent = firstRecent(rate, now)
        guard instants.count - recent >= rate.runs else { return .zero }
        return max(.zero, now.duration(to: instants[instants.count - rate.runs].advanced(by: rate.period)))
    }

    /// The first that is younger than a period.
    private func firstRecent(_ rate: QueueRate, _ now: ContinuousInstant) -> Int {
        var (low, high) = (over, instants.count)
        while low < high {
            let middle = (low + high) / 2
            if instants[middle].duration(to: now) >= rate.period { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

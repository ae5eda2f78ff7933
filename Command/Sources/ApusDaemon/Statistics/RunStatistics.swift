import ApusClient
import ApusJobs
import ApusTimers

/// Counts and measures runs: a value to which they are added one after another.
struct RunStatistics {
    private var outcomes: [RunState: Int] = [:]
    private(set) var attempts = 0
    private var retries = 0
    /// In milliseconds.
    private var lateness: [Int64] = []
    private var durations: [Int64] = []

    /// Adds a run that has ended. One that is open says nothing yet, and is passed over.
    mutating func add(_ run: Run) {
        guard !run.state.isOpen else { return }
        if run.isFinal { outcomes[run.state, default: 0] += run.through - run.occurrence + 1 }
        guard run.claimed != nil || run.started != nil else { return }
        attempts += 1
        if run.attempt > 1 { retries += 1 }
        if let late = run.lateness { lateness.append(late.wholeMilliseconds) }
        guard run.state == .succeeded || run.state == .failed, let started = run.started, let finished = run.finished
        else { return }
        durations.append(max(.zero, started.duration(to: finished)).wholeMilliseconds)
    }

    /// What is known now.
    var wire: WireStatistics.Runs {
        func count(_ state: RunState) -> Int { outcomes[state] ?? 0 }
        let decided = count(.succeeded) + count(.failed) + count(.lost)
        return WireStatistics.Runs(
            succeeded: count(.succeeded), failed: count(.failed), lost: count(.lost), cancelled: count(.cancelled),
            skipped: count(.skipped), attempts: attempts, retries: retries,
            successRate: decided == 0 ? nil : Double(count(.succeeded)) / Double(decided),
            latenessMs: WireStatistics.Distribution(lateness), durationMs: WireStatistics.Distribution(durations))
    }
}

extension WireStatistics.Distribution {
    /// By nearest rank: each number is one that was measured. `nil` if nothing was.
    init?(_ values: [Int64]) {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        func percentile(_ percent: Int) -> Int64 { sorted[Swift.max(0, (percent * sorted.count + 99) / 100 - 1)] }
        self.init(
            count: sorted.count, p50: percentile(50), p90: percentile(90), p99: percentile(99), max: sorted.last ?? 0)
    }
}

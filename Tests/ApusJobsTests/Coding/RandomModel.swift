import ApusJobs
import ApusTimers

/// Generates random values of the model that cover everything a store may have to keep.
struct RandomModel {
    private let random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private func below(_ limit: UInt64) -> UInt64 { random.next() % limit }
    private func int(_ limit: UInt64) -> Int { Int(below(limit)) }
    private func flag() -> Bool { below(2) == 0 }
    private func optional<Value>(_ value: Value) -> Value? { flag() ? value : nil }
    private func one<Value>(of values: [Value]) -> Value { values[int(UInt64(values.count))] }

    /// Returns a duration from zero to the longest that a job accepts, sometimes with a fraction of a nanosecond.
    func duration() -> Duration {
        let attoseconds = Duration(secondsComponent: 0, attosecondsComponent: Int64(below(1_000_000_000_000_000_000)))
        return switch below(6) {
        case 0: .zero
        case 1: .milliseconds(Int64(below(10_000)))
        case 2: .nanoseconds(Int64(below(9_223_372_036_000_000_000)))
        case 3: Duration(secondsComponent: 9_223_372_035, attosecondsComponent: 999_999_999_999_999_999)
        default: .seconds(Int64(below(9_223_372_036))) + attoseconds
        }
    }

    func instant() -> WallInstant {
        switch below(5) {
        case 0: WallInstant(nanoseconds: one(of: [0, .max, UInt64(Int64.max), UInt64(Int64.max) + 1]))
        default: WallInstant(nanoseconds: random.next())
        }
    }

    private func text() -> String { one(of: ["", "a", "Ein \"Täst\" ☃\n", "/\\\u{1}", "com.example.refresh"]) }
    private func bytes() -> [UInt8] { (0..<below(20)).map { _ in UInt8(below(256)) } }

    func trigger() -> Trigger {
        switch below(3) {
        case 0: .at(instant())
        case 1: .after(duration())
        default: .every(duration(), anchoredAt: optional(instant()), count: optional(int(1_000_000)))
        }
    }

    func missedRuns() -> MissedRunPolicy { one(of: [.runOnce, .skip, .runAll(), .runAll(limit: int(10_001))]) }
    func overlap() -> OverlapPolicy {
        one(of: [.skip, .replace, .queue(), .queue(limit: int(10_001)), .allow(), .allow(limit: int(10_001))])
    }

    func policies() -> JobPolicies {
        JobPolicies(
            tolerance: duration(), missedRuns: missedRuns(), grace: optional(duration()), expiry: optional(duration()),
            overlap: overlap(),
            retry: RetryPolicy.exponential(
                attempts: int(1_000), maximumLost: int(1_000), from: duration(),
                to: duration(), jitter: Double(below(1_000_001)) / 1_000_000),
            timeLimit: optional(duration()), conditions: JobConditions(rawValue: int(8)),
            retention: optional(duration()))
    }

    func request() -> JobRequest {
        JobRequest(
            id: JobID(text()), name: optional(text()), kind: optional(text()), trigger: trigger(), policies: policies(),
            labels: Dictionary((0..<below(3)).map { _ in (text(), text()) }) { $1 }, payload: bytes(),
            queue: QueueID(text()), priority: one(of: JobPriority.allCases), fairnessKey: optional(text()),
            metadata: flag() ? [text(): text()] : [:],
            uniqueness: one(of: [
                .identifier, .payload(), .payload(within: duration()), .key(text()), .key(text(), within: duration()),
            ]),
            conflict: one(of: ConflictPolicy.allCases), idempotencyKey: optional(text()))
    }

    func job() -> Job {
        Job(
            request: request(), key: Int64(below(1 << 63)), version: Int64(below(1 << 63)),
            state: one(of: JobState.allCases), created: instant(), updated: instant(), firstDue: instant(),
            origin: int(1 << 40), nextOccurrence: int(1 << 40), nextDue: optional(instant()),
            remainder: optional(flag() ? duration() : .zero - duration()), occurrenceCount: int(1 << 40),
            missedCount: int(1 << 40), wake: optional(instant()), elapsedWake: optional(instant()),
            openRunCount: int(1 << 40),
            runsSinceRetired: int(1 << 40), keptUntil: optional(instant()))
    }

    func run() -> Run {
        Run(
            jobKey: Int64(below(1 << 63)), jobID: JobID(text()), occurrence: int(1 << 40) - int(1 << 20),
            through: optional(int(1 << 40)), attempt: int(100), lostBefore: int(100), due: instant(),
            standsFor: int(1 << 40), state: one(of: RunState.allCases), isFinal: flag(), reason: optional(text()),
            notBefore: optional(instant()), claimed: optional(instant()), started: optional(instant()),
            finished: optional(instant()), exitCode: optional(int(512) - 256), output: bytes(),
            result: optional(bytes()),
            progress: optional(RunProgress(fraction: Double(below(1_001)) / 1_000, message: optional(text()))))
    }

    func queue() -> JobQueue {
        JobQueue(
            id: QueueID(text()), concurrency: optional(int(1_000)), concurrencyPerKey: optional(int(1_000)),
            rate: optional(QueueRate(runs: int(1_000), per: duration())), isPaused: flag(), recentStarts: int(1_000),
            lastStart: optional(instant()))
    }
}

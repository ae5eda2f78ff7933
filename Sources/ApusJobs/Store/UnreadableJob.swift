/// A stored job that this program cannot read: another version has written it, or it is damaged.
///
/// The row is not changed. A scheduler that finds such a job sets it aside (``StoreTurn/setAside``) and continues with
/// the other jobs.
public struct UnreadableJob: Error, Hashable, Sendable {
    /// The number that the store gave the job.
    public var key: Int64
    /// The identifier of the job.
    public var id: JobID
    /// The shard of the job.
    public var shard: ShardID
    /// A description of what cannot be read.
    public var problem: String

    /// Creates an unreadable job; a problem of more than 1,000 bytes is cut.
    public init(key: Int64, id: JobID, shard: ShardID = .only, problem: String) {
        self.key = key
        self.id = id
        self.shard = shard
        self.problem = problem.utf8.count > 1_000 ? "\(problem.prefix(utf8: 997))…" : problem
    }

    /// The error for a caller that refers to the job.
    package var error: JobError {
        JobError(
            code: .damaged,
            message: """
                \(id): this program cannot read the job (\(problem)); update the program if a newer one has written \
                it, or repair the row (key \(key)) and start the scheduler again
                """)
    }
}

/// The result of a search for a stored job.
public enum FoundJob: Hashable, Sendable {
    /// The job was read.
    case job(LoadedJob)
    /// The job exists, but cannot be read.
    case unreadable(UnreadableJob)

    /// The number that the store gave the job.
    public var key: Int64 {
        switch self {
        case .job(let loaded): loaded.job.key
        case .unreadable(let job): job.key
        }
    }
}

extension Sequence<FoundJob> {
    package var readable: [LoadedJob] { compactMap { if case .job(let loaded) = $0 { loaded } else { nil } } }
    package var unreadable: [UnreadableJob] { compactMap { if case .unreadable(let job) = $0 { job } else { nil } } }
}

/// The reason why a stored value cannot be read.
package struct StoredProblem: Error {
    package var text: String
    package init(_ text: String) { self.text = text }

    /// The problem of a column whose value this program does not know.
    package static func unknown(_ column: String) -> StoredProblem {
        StoredProblem("its \(column) is unknown or damaged")
    }
}

extension Job {
    /// The range in which the numbers of jobs and runs must be, small enough that no computation with them overflows.
    private static let numbers = -(1 << 53)...(1 << 53)

    /// Checks that a scheduler can compute with the values of a job that was read.
    ///
    /// - Throws: A ``StoredProblem`` that names the value.
    package func checkStored() throws(StoredProblem) {
        try request.checkStored()
        let counts = [
            bookkeeping.origin, bookkeeping.runsSinceRetired, nextOccurrence, occurrenceCount, missedCount,
            openRunCount,
        ]
        if let count = counts.first(where: { !(0...Self.numbers.upperBound).contains($0) }) {
            throw StoredProblem("the number \(count) is out of range")
        }
        if let remainder, remainder < .zero { throw StoredProblem("the remainder \(remainder) is out of range") }
    }

    fileprivate static func checkStored(_ run: Run) throws(StoredProblem) {
        let counts = [run.occurrence, run.through, run.attempt, run.lostBefore, run.standsFor]
        guard let count = counts.first(where: { !numbers.contains($0) }) else { return }
        throw StoredProblem("the number \(count) of a run is out of range")
    }
}

extension Run {
    /// Checks that a scheduler can compute with the values.
    ///
    /// - Throws: A ``StoredProblem`` that names the value.
    package func checkStored() throws(StoredProblem) { try Job.checkStored(self) }
}

extension JobRequest {
    /// Checks that a scheduler can compute with the values.
    ///
    /// The limits of texts are not checked, because earlier versions had different limits.
    fileprivate func checkStored() throws(StoredProblem) {
        func check(duration: Duration?, _ name: String, from least: Duration = .zero) throws(StoredProblem) {
            guard let duration, duration < least || !JobLimits.allows(duration) else { return }
            throw StoredProblem("\(name): the duration \(duration) is out of range")
        }
        func check(count: Int?, _ name: String, from least: Int = 1) throws(StoredProblem) {
            guard let count, count < least else { return }
            throw StoredProblem("\(name): the number \(count) is out of range")
        }
        switch trigger.kind {
        case .at, .calendar: break
        case .after(let delay): try check(duration: delay, "trigger")
        case .every(let interval, _, _): try check(duration: interval, "trigger", from: .nanoseconds(1))
        }
        if let count = trigger.count, count > JobLimits.count {
            throw StoredProblem("trigger: the number \(count) is out of range")
        }
        try check(count: trigger.count, "trigger")
        try check(duration: policies.tolerance, "tolerance")
        try check(duration: policies.grace, "grace")
        try check(duration: policies.expiry, "expiry")
        try check(duration: policies.retention, "retention")
        try check(duration: policies.timeLimit, "time limit")
        try check(duration: policies.retry.initialDelay, "retry")
        try check(duration: policies.retry.maximumDelay, "retry")
        try check(count: policies.retry.maximumAttempts, "retry")
        try check(count: policies.retry.maximumLost, "retry", from: 0)
        guard (0...1).contains(policies.retry.jitter) else {
            throw StoredProblem("retry: the jitter \(policies.retry.jitter) is out of range")
        }
        if case .runAll(let limit) = policies.missedRuns.kind { try check(count: limit, "missed runs") }
        switch policies.overlap.kind {
        case .skip, .replace: break
        case .queue(let limit), .allow(let limit): try check(count: limit, "overlap")
        }
        try check(duration: uniqueness.period, "uniqueness")
        guard policies.conditions.isSubset(of: .all) else { throw .unknown("conditions") }
    }
}

import ApusJobs
import ApusTimers

/// A job of a history: its submission, the behaviour of its handler, and everything that the checker may know about it.
///
/// The checker reads the plan, and never the job's own values.
struct JobPlan: Sendable, Hashable {
    /// The due instants of the job, in milliseconds.
    enum When: Sendable, Hashable {
        case at(Int)
        case after(Int)
        case every(Int, count: Int?)
        /// A grid whose anchor is `offset` after the instant of the submission.
        case anchored(Int, offset: Int, count: Int?)
    }

    enum Missed: Sendable, Hashable {
        case runOnce, skip
        case runAll(Int)
    }
    enum Overlap: Sendable, Hashable {
        case skip
        case queue(Int)
        case allow(Int)
        case replace
    }
    enum Conflict: Sendable, Hashable, CaseIterable { case update, replace, keep, refuse }

    /// The behaviour of the handler in one attempt, in milliseconds of uptime.
    enum Behaviour: Sendable, Hashable {
        case succeed(after: Int)
        case fail(after: Int)
        case failFinally
        /// Waits for the request of its cancellation, and then throws.
        case hang
        /// Works for this time, even if its cancellation is requested.
        case stubborn(Int)
        /// Postpones the run twice, and then succeeds.
        case postpone(Int)
        /// Postpones the run this number of times after it has set output and a result, and then succeeds.
        case snooze(Int, times: Int)
    }

    /// The uniqueness of a job beyond its identifier.
    ///
    /// Jobs with the same number have the same payload or key.
    struct Unique: Sendable, Hashable {
        /// The time in milliseconds for which a job that has ended still counts.
        var within: Int?
        /// Whether each submission has an identifier of its own; otherwise the identifier follows from the number.
        var hasOwnID: Bool
    }

    /// The number of the identifier, or of a unique job's payload: plans with the same number mean the same job.
    var id: Int
    var unique: Unique?
    var when = When.after(1_000)
    var missed = Missed.runOnce
    var overlap = Overlap.skip
    var conflict = Conflict.update
    var maximumAttempts = 1
    var maximumLost = 10
    var backoff = 1_000
    var grace: Int?
    var expiry: Int?
    var tolerance = 0
    var timeLimit: Int?
    var conditions: JobConditions = []
    /// The number of a queue; `nil` for the queue that never has limits.
    var queue: Int?
    /// The number of a fairness key.
    var key: Int?
    var priority = JobPriority.normal
    /// The behaviours of the attempts, which are used repeatedly.
    var behaviours: [Behaviour] = [.succeed(after: 0)]
    /// The times for which the handler works before each report of its progress, in milliseconds of uptime.
    ///
    /// The rest of the behaviour follows.
    var reports: [Int] = []

    /// Returns the identifier of the job in the submission with this number.
    func jobID(number: Int) -> JobID { unique?.hasOwnID == true ? JobID("job\(id)-\(number)") : Self.jobID(id) }

    static func jobID(_ id: Int) -> JobID { JobID("job\(id)") }

    var count: Int? {
        switch when {
        case .at, .after: 1
        case .every(_, let count), .anchored(_, _, let count): count
        }
    }

    /// The interval in milliseconds; `nil` for a trigger with a single occurrence.
    var interval: Int? {
        switch when {
        case .at, .after: nil
        case .every(let interval, _), .anchored(let interval, _, _): interval
        }
    }

    /// Whether the trigger counts elapsed time.
    var isRelative: Bool {
        switch when {
        case .after, .every: true
        case .at, .anchored: false
        }
    }

    /// The time from the submission to the last due instant, in milliseconds; `nil` for a trigger that does not count
    /// elapsed time, or has no end.
    var lastDue: Int? {
        switch when {
        case .after(let delay): delay
        case .every(let interval, let count?): interval * count
        case .at, .every, .anchored: nil
        }
    }

    /// Returns the behaviour of the handler in this attempt.
    func behaviour(occurrence: Int, attempt: Int) -> Behaviour {
        let number = (occurrence &* 5 &+ attempt).magnitude % UInt(behaviours.count)
        return behaviours[Int(number)]
    }

    /// Returns the delay with which the handler postpones the run in this attempt; `nil` if it does not.
    func postponement(occurrence: Int, attempt: Int) -> Int? {
        switch behaviour(occurrence: occurrence, attempt: attempt) {
        case .postpone(let delay), .snooze(let delay, _): delay
        case .succeed, .fail, .failFinally, .hang, .stubborn: nil
        }
    }

    /// Returns the request of the submission with this number.
    ///
    /// The name of the job is the number, so that the checker recognizes the submission everywhere.
    func request(number: Int, now: WallInstant) -> JobRequest {
        let trigger: Trigger =
            switch when {
            case .at(let delay): .at(now.advanced(by: .milliseconds(delay)))
            case .after(let delay): .after(.milliseconds(delay))
            case .every(let interval, let count): .every(.milliseconds(interval), count: count)
            case .anchored(let interval, let offset, let count):
                .every(
                    .milliseconds(interval), anchoredAt: now.advanced(by: .milliseconds(offset)), count: count)
            }
        let missed: MissedRunPolicy =
            switch missed {
            case .runOnce: .runOnce
            case .skip: .skip
            case .runAll(let limit): .runAll(limit: limit)
            }
        let overlap: OverlapPolicy =
            switch overlap {
            case .skip: .skip
            case .queue(let limit): .queue(limit: limit)
            case .allow(let limit): .allow(limit: limit)
            case .replace: .replace
            }
        let conflict: ConflictPolicy =
            switch conflict {
            case .update: .update
            case .replace: .replace
            case .keep: .keep
            case .refuse: .refuse
            }
        return JobRequest(
            id: jobID(number: number), name: "\(number)", kind: "work", trigger: trigger,
            policies: JobPolicies(
                tolerance: .milliseconds(tolerance), missedRuns: missed,
                grace: grace.map { .milliseconds($0) }, expiry: expiry.map { .milliseconds($0) }, overlap: overlap,
                retry: RetryPolicy.exponential(
                    attempts: maximumAttempts, maximumLost: maximumLost, from: .milliseconds(backoff),
                    to: .seconds(10)),
                timeLimit: timeLimit.map { .milliseconds($0) }, conditions: conditions),
            // Jobs that are not unique have the payload 0, which a unique job may have too.
            payload: [UInt8(isUniqueByKey ? number % 250 : unique == nil ? 0 : id)],
            queue: queue.map { Self.queueID($0) } ?? .default, priority: priority, fairnessKey: key.map { "key\($0)" },
            uniqueness: uniqueness,
            conflict: conflict)
    }

    /// Whether the job is unique by a key.
    ///
    /// Plans with the same odd number have the same key and different payloads. Plans with the same even number have
    /// the same payload.
    private var isUniqueByKey: Bool { unique != nil && id % 2 == 1 }

    private var uniqueness: JobUniqueness {
        guard let unique else { return .identifier }
        let period = unique.within.map { Duration.milliseconds($0) }
        return isUniqueByKey ? .key("\(id)", within: period) : .payload(within: period)
    }

    static func queueID(_ number: Int) -> QueueID { QueueID("queue\(number)") }

    /// Returns the number of the submission that made a job; -1 if none did.
    static func number(of job: Job) -> Int { job.request.name.flatMap { Int($0) } ?? -1 }
}

extension JobPlan: CustomStringConvertible {
    var description: String {
        var parts: [String] = []
        switch when {
        case .at(let delay): parts.append("at now + \(seconds(Int64(delay)))")
        case .after(let delay): parts.append("after \(seconds(Int64(delay)))")
        case .every(let interval, let count):
            parts.append("every \(seconds(Int64(interval)))\(count.map { ", \($0) times" } ?? "")")
        case .anchored(let interval, let offset, let count):
            parts.append(
                "every \(seconds(Int64(interval))) anchored at now + \(seconds(Int64(offset)))"
                    + (count.map { ", \($0) times" } ?? ""))
        }
        let plain = JobPlan(id: id, when: when)
        if let unique {
            parts.append(
                "unique by \(isUniqueByKey ? "key" : "payload")"
                    + (unique.within.map { " within \(seconds(Int64($0)))" } ?? "")
                    + (unique.hasOwnID ? ", with its own identifier" : ""))
        }
        if missed != plain.missed { parts.append("missed: \(missed)") }
        if overlap != plain.overlap { parts.append("overlap: \(overlap)") }
        if conflict != plain.conflict { parts.append("conflict: \(conflict)") }
        if maximumAttempts > 1 { parts.append("\(maximumAttempts) attempts, backoff \(seconds(Int64(backoff)))") }
        if maximumLost != 10 { parts.append("lost at most \(maximumLost) times") }
        if let grace { parts.append("grace \(seconds(Int64(grace)))") }
        if let expiry { parts.append("expiry \(seconds(Int64(expiry)))") }
        if tolerance > 0 { parts.append("tolerance \(seconds(Int64(tolerance)))") }
        if let timeLimit { parts.append("time limit \(seconds(Int64(timeLimit)))") }
        if !conditions.isEmpty { parts.append("conditions: bits \(conditions.rawValue)") }
        if let queue { parts.append("queue \(queue)") }
        if let key { parts.append("key \(key)") }
        if priority != .normal { parts.append("priority \(priority)") }
        if behaviours != plain.behaviours {
            parts.append("handler: " + behaviours.map { "\($0)" }.joined(separator: ", "))
        }
        if !reports.isEmpty {
            parts.append("reports after each of " + reports.map { seconds(Int64($0)) }.joined(separator: ", "))
        }
        return "job\(id) (\(parts.joined(separator: "; ")))"
    }
}

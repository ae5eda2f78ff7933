import ApusJobs
import ApusTimers

/// A job of a history: what is submitted, what its handler does, and everything the checker may know about it. The
/// checker reads this, and never the job's own values.
struct JobPlan: Sendable, Hashable {
    /// When it is due. Times are milliseconds.
    enum When: Sendable, Hashable {
        case at(Int)
        case after(Int)
        case every(Int, count: Int?)
        /// `offset` is where the anchor is, from the instant of the submission on.
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

    /// What the handler does in one attempt. Times are milliseconds of uptime.
    enum Behaviour: Sendable, Hashable {
        case succeed(after: Int)
        case fail(after: Int)
        case failFinally
        /// Until it is told to end; then it throws.
        case hang
        /// As long as that, whoever tells it to end.
        case stubborn(Int)
        /// Twice, then it succeeds.
        case postpone(Int)
    }

    /// The identifier's number.
    var id: Int
    var when = When.after(1_000)
    var missed = Missed.runOnce
    var overlap = Overlap.skip
    var conflict = Conflict.update
    var maximumAttempts = 1
    var maximumLost = 10
    var backoff = 1_000
    var grace: Int?
    var tolerance = 0
    var timeLimit: Int?
    var conditions: JobConditions = []
    /// The number of a queue; `nil` for the one that never has limits.
    var queue: Int?
    var priority = JobPriority.normal
    /// One for each attempt, over and over.
    var behaviours: [Behaviour] = [.succeed(after: 0)]

    var jobID: JobID { JobID("job\(id)") }

    var count: Int? {
        switch when {
        case .at, .after: 1
        case .every(_, let count), .anchored(_, _, let count): count
        }
    }

    /// Milliseconds; `nil` for a trigger that is due once.
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

    /// What the handler does in this attempt.
    func behaviour(occurrence: Int, attempt: Int) -> Behaviour {
        let number = (occurrence &* 5 &+ attempt).magnitude % UInt(behaviours.count)
        return behaviours[Int(number)]
    }

    /// The request. Its payload is the number of the submission, by which the checker recognises it everywhere.
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
            id: jobID, kind: "work", trigger: trigger,
            policies: JobPolicies(
                tolerance: .milliseconds(tolerance), missedRuns: missed,
                grace: grace.map { .milliseconds($0) }, overlap: overlap,
                retry: RetryPolicy(
                    maximumAttempts: maximumAttempts, maximumLost: maximumLost, initialBackoff: .milliseconds(backoff),
                    maximumBackoff: .seconds(10)),
                timeLimit: timeLimit.map { .milliseconds($0) }, conditions: conditions),
            payload: (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) },
            queue: queue.map { Self.queueID($0) } ?? .default, priority: priority, conflict: conflict)
    }

    static func queueID(_ number: Int) -> QueueID { QueueID("queue\(number)") }

    /// The number of the submission that made a job.
    static func number(in payload: [UInt8]) -> Int {
        payload.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    }
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
        if missed != plain.missed { parts.append("missed: \(missed)") }
        if overlap != plain.overlap { parts.append("overlap: \(overlap)") }
        if conflict != plain.conflict { parts.append("conflict: \(conflict)") }
        if maximumAttempts > 1 { parts.append("\(maximumAttempts) attempts, backoff \(seconds(Int64(backoff)))") }
        if maximumLost != 10 { parts.append("lost at most \(maximumLost) times") }
        if let grace { parts.append("grace \(seconds(Int64(grace)))") }
        if tolerance > 0 { parts.append("tolerance \(seconds(Int64(tolerance)))") }
        if let timeLimit { parts.append("time limit \(seconds(Int64(timeLimit)))") }
        if !conditions.isEmpty { parts.append("conditions: bits \(conditions.rawValue)") }
        if let queue { parts.append("queue \(queue)") }
        if priority != .normal { parts.append("priority \(priority)") }
        if behaviours != plain.behaviours {
            parts.append("handler: " + behaviours.map { "\($0)" }.joined(separator: ", "))
        }
        return "job\(id) (\(parts.joined(separator: "; ")))"
    }
}

import ApusJobs
import ApusTimers

/// The job table's columns and their order, for reading and for writing.
enum JobRow {
    /// What never changes, then what does, in the order in which ``bind(_:to:)`` binds.
    private static let values = [
        "name", "kind", "state", "created", "updated", "first", "next_occurrence", "next_due", "remainder",
        "occurrences", "missed",
        "wake", "trigger", "trigger_ns", "trigger_anchor", "trigger_count", "tolerance", "missed_runs", "missed_limit",
        "grace",
        "overlap", "overlap_limit", "maximum_attempts", "maximum_lost", "initial_backoff", "maximum_backoff", "jitter",
        "time_limit",
        "conditions", "labels", "payload", "idempotency_key",
    ]

    /// The columns that ``read(_:)`` reads.
    static let columns = (["key", "version", "id"] + values).map { "job.\($0)" }.joined(separator: ", ")

    /// Parameters: key, id, values.
    static let insert = """
        INSERT INTO job (key, id, \(values.joined(separator: ", ")), version)
        VALUES (?, ?, \(values.map { _ in "?" }.joined(separator: ", ")), 1)
        """

    /// Parameters: values, key, version, id.
    static let update = """
        UPDATE job SET \(values.map { "\($0) = ?" }.joined(separator: ", ")), version = version + 1
        WHERE key = ? AND version = ? AND id = ?
        """

    /// Binds the values of a job.
    static func bind(_ job: Job, to statement: PreparedStatement) {
        let request = job.request
        statement.bind(request.name).bind(request.kind).bind(job.state.rawValue)
        statement.bind(job.created.stored).bind(job.updated.stored).bind(job.first.stored)
        statement.bind(Int64(job.nextOccurrence)).bind(job.nextDue?.stored).bind(job.remainder?.wholeNanoseconds)
        statement.bind(Int64(job.occurrences)).bind(Int64(job.missed)).bind(job.wake?.stored)
        bind(request.trigger, to: statement)
        bind(request.policies, to: statement)
        statement.bind(LabelsJSON.encode(request.labels)).bind(request.payload).bind(request.idempotencyKey)
    }

    private static func bind(_ trigger: Trigger, to statement: PreparedStatement) {
        switch trigger.kind {
        case .at(let instant): statement.bind("at").bind(instant.stored).bindNull().bindNull()
        case .after(let duration): statement.bind("after").bind(duration.wholeNanoseconds).bindNull().bindNull()
        case .every(let interval, let anchor, let count):
            statement.bind("every").bind(interval.wholeNanoseconds).bind(anchor?.stored).bind(count.map(Int64.init))
        }
    }

    private static func bind(_ policies: JobPolicies, to statement: PreparedStatement) {
        statement.bind(policies.tolerance.wholeNanoseconds)
        switch policies.missedRuns.kind {
        case .runOnce: statement.bind("runOnce").bindNull()
        case .skip: statement.bind("skip").bindNull()
        case .runAll(let limit): statement.bind("runAll").bind(Int64(limit))
        }
        statement.bind(policies.grace?.wholeNanoseconds)
        switch policies.overlap.kind {
        case .skip: statement.bind("skip").bindNull()
        case .replace: statement.bind("replace").bindNull()
        case .queue(let limit): statement.bind("queue").bind(Int64(limit))
        case .allow(let limit): statement.bind("allow").bind(Int64(limit))
        }
        let retry = policies.retry
        statement.bind(Int64(retry.maximumAttempts)).bind(Int64(retry.maximumLost))
        statement.bind(retry.initialBackoff.wholeNanoseconds).bind(retry.maximumBackoff.wholeNanoseconds)
        statement.bind(retry.jitter).bind(policies.timeLimit?.wholeNanoseconds)
        statement.bind(Int64(policies.conditions.rawValue))
    }

    /// The job of a row of ``columns``.
    static func read(_ row: PreparedStatement) throws -> Job {
        let key = row.integer()
        let version = row.integer()
        let id = JobID(row.text())
        let name = row.optionalText()
        let kind = row.text()
        guard let state = JobState(rawValue: row.text()) else { throw unreadable("state", of: id) }
        let created = row.instant()
        let updated = row.instant()
        let first = row.instant()
        let nextOccurrence = Int(row.integer())
        let nextDue = row.optionalInstant()
        let remainder = row.optionalDuration()
        let occurrences = Int(row.integer())
        let missed = Int(row.integer())
        let wake = row.optionalInstant()
        let trigger = try readTrigger(row, id)
        let policies = try readPolicies(row, id)
        guard let labels = LabelsJSON.decode(row.text()) else { throw unreadable("labels", of: id) }
        let request = JobRequest(
            id: id, name: name, kind: kind, trigger: trigger, policies: policies, labels: labels, payload: row.blob(),
            idempotencyKey: row.optionalText())
        return Job(
            request: request, key: key, version: version, state: state, created: created, updated: updated,
            first: first,
            nextOccurrence: nextOccurrence, nextDue: nextDue, remainder: remainder, occurrences: occurrences,
            missed: missed,
            wake: wake)
    }

    private static func readTrigger(_ row: PreparedStatement, _ id: JobID) throws -> Trigger {
        let kind = row.text()
        let value = row.integer()
        let anchor = row.optionalInstant()
        let count = row.optionalInteger().map(Int.init)
        return switch kind {
        case "at": .at(StoredInstant.decode(value))
        case "after": .after(.nanoseconds(value))
        case "every": .every(.nanoseconds(value), anchoredAt: anchor, count: count)
        default: throw unreadable("trigger", of: id)
        }
    }

    private static func readPolicies(_ row: PreparedStatement, _ id: JobID) throws -> JobPolicies {
        var policies = JobPolicies(tolerance: .nanoseconds(row.integer()))
        switch (row.text(), row.optionalInteger()) {
        case ("runOnce", _): policies.missedRuns = .runOnce
        case ("skip", _): policies.missedRuns = .skip
        case ("runAll", let limit?): policies.missedRuns = .runAll(limit: Int(limit))
        default: throw unreadable("missed_runs", of: id)
        }
        policies.grace = row.optionalDuration()
        switch (row.text(), row.optionalInteger()) {
        case ("skip", _): policies.overlap = .skip
        case ("replace", _): policies.overlap = .replace
        case ("queue", let limit?): policies.overlap = .queue(limit: Int(limit))
        case ("allow", let limit?): policies.overlap = .allow(limit: Int(limit))
        default: throw unreadable("overlap", of: id)
        }
        policies.retry = RetryPolicy(
            maximumAttempts: Int(row.integer()), maximumLost: Int(row.integer()),
            initialBackoff: .nanoseconds(row.integer()),
            maximumBackoff: .nanoseconds(row.integer()), jitter: row.real())
        policies.timeLimit = row.optionalDuration()
        policies.conditions = JobConditions(rawValue: Int(row.integer()))
        return policies
    }

    static func unreadable(_ column: String, of id: JobID) -> JobError {
        JobError(.damaged, "the \(column) of job \(id) in the database cannot be read; somebody has changed it by hand")
    }
}

extension WallInstant {
    /// The form in the file.
    var stored: Int64 { StoredInstant.encode(self) }
}

extension PreparedStatement {
    func instant() -> WallInstant { StoredInstant.decode(integer()) }
    func optionalInstant() -> WallInstant? { optionalInteger().map(StoredInstant.decode) }
    func optionalDuration() -> Duration? { optionalInteger().map { .nanoseconds($0) } }
}

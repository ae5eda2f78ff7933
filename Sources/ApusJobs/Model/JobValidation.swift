package import ApusTimers

extension JobRequest {
    /// Checks that the request is valid for a submission at `now`, regardless of the store's contents.
    ///
    /// - Throws: ``JobError`` with `invalid`.
    package func validate(submittedAt now: WallInstant) throws(JobError) {
        try validate()
        // A calendar trigger uses the zones of the machine on which the scheduler runs, so only the scheduler can check
        // it.
        if trigger.calendar == nil { _ = try trigger.first(submittedAt: now, nil) }
    }

    /// Checks that the request is within the limits.
    ///
    /// - Throws: ``JobError`` with `invalid`, which names the argument and the accepted forms.
    func validate() throws(JobError) {
        try JobLimits.check(id.rawValue, "id")
        if let name { try JobLimits.check(name, "name", bytes: JobLimits.nameBytes) }
        try JobLimits.check(kind, "kind")
        if let fairnessKey { try JobLimits.check(fairnessKey, "fairnessKey", bytes: JobLimits.nameBytes) }
        if let idempotencyKey { try JobLimits.check(idempotencyKey, "idempotencyKey") }
        try JobLimits.check(labels, "labels")
        try JobLimits.check(metadata, "metadata")
        guard payload.count <= JobLimits.payloadBytes else {
            throw JobError(
                code: .invalid, message: "payload: must be at most 65536 bytes (64 KiB), not \(payload.count)")
        }
        try queue.validate()
        if let key = uniqueness.key { try JobLimits.check(key, "uniqueness.key", bytes: JobLimits.nameBytes) }
        if let period = uniqueness.period {
            guard period > .zero else {
                throw JobError(
                    code: .invalid, message: "uniqueness: the period must be longer than zero, not \(period)")
            }
            try Trigger.checkRange(period, "uniqueness")
        }
        try trigger.validate()
        try policies.validate()
    }

    /// The request with durations of whole nanoseconds, as stores keep them.
    ///
    /// A repeated request is therefore equal to the stored one.
    package var normalized: JobRequest {
        var request = self
        request.trigger = trigger.normalized
        for path in [\JobPolicies.tolerance, \.retry.initialDelay, \.retry.maximumDelay] {
            request.policies[keyPath: path] = policies[keyPath: path].clamped
        }
        request.policies.grace = policies.grace?.clamped
        request.policies.expiry = policies.expiry?.clamped
        request.policies.retention = policies.retention?.clamped
        request.policies.timeLimit = policies.timeLimit?.clamped
        request.uniqueness = JobUniqueness(
            countsContent: uniqueness.countsContent, period: uniqueness.period?.clamped, key: uniqueness.key)
        return request
    }
}

extension Trigger {
    fileprivate var normalized: Trigger {
        switch kind {
        case .at, .calendar: self
        case .after(let delay): .after(delay.clampedUp)
        case .every(let interval, let anchor, let count):
            .every(interval.clamped, anchoredAt: anchor, count: count)
        }
    }
}

extension QueueID {
    package func validate() throws(JobError) {
        let isPlain = rawValue.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, (1...64).contains(rawValue.utf8.count) else {
            throw JobError(
                code: .invalid,
                message: "queue: must be 1 to 64 ASCII letters, digits, '.', '-' or '_', not \"\(rawValue)\"")
        }
    }
}

extension JobQueue {
    func validate() throws(JobError) {
        try id.validate()
        for (name, limit) in [("concurrency", concurrency), ("concurrencyPerKey", concurrencyPerKey)] {
            guard let limit, !(1...100_000).contains(limit) else { continue }
            throw JobError(
                code: .invalid, message: "\(name): must be 1 to 100000, not \(limit); pause the queue to run none")
        }
        guard let rate else { return }
        guard (1...QueueRate.maximumRuns).contains(rate.runs) else {
            throw JobError(
                code: .invalid, message: "rate: must be 1 to \(QueueRate.maximumRuns) runs, not \(rate.runs)")
        }
        guard rate.period >= .milliseconds(1) else {
            throw JobError(code: .invalid, message: "rate: the period must be 1 ms or longer, not \(rate.period)")
        }
        try Trigger.checkRange(rate.period, "rate")
    }
}

extension QueueRate {
    /// The largest number of runs that a rate may allow.
    ///
    /// It is limited because the scheduler keeps an instant for each run of a period.
    static let maximumRuns = 100_000
}

extension JobPolicies {
    func validate() throws(JobError) {
        try Self.check(tolerance, "tolerance", orZero: true)
        if let grace { try Self.check(grace, "grace", orZero: true) }
        if let expiry { try Self.check(expiry, "expiry", orZero: false) }
        if let retention { try Self.check(retention, "retention", orZero: true) }
        if let timeLimit { try Self.check(timeLimit, "timeLimit", orZero: false) }
        try Self.check(retry.initialDelay, "retry.initialDelay", orZero: true)
        try Self.check(retry.maximumDelay, "retry.maximumDelay", orZero: true)
        guard retry.jitter >= 0, retry.jitter <= 1 else {
            throw JobError(code: .invalid, message: "retry.jitter: must be 0 to 1, not \(retry.jitter)")
        }
        guard retry.maximumAttempts >= 1 else {
            throw JobError(
                code: .invalid, message: "retry.maximumAttempts: must be 1 or more, not \(retry.maximumAttempts)")
        }
        guard retry.maximumLost >= 1 else {
            throw JobError(code: .invalid, message: "retry.maximumLost: must be 1 or more, not \(retry.maximumLost)")
        }
        guard conditions.isSubset(of: .all) else {
            throw JobError(
                code: .invalid,
                message:
                    "conditions: must be any of network, externalPower and idle, not the bits \(conditions.rawValue)")
        }
        if case .runAll(let limit) = missedRuns.kind { try Self.check(limit, "missedRuns.runAll") }
        switch overlap.kind {
        case .skip, .replace: break
        case .queue(let limit): try Self.check(limit, "overlap.queue")
        case .allow(let limit): try Self.check(limit, "overlap.allow")
        }
    }

    private static func check(_ limit: Int, _ argument: String) throws(JobError) {
        guard (1...JobLimits.occurrences).contains(limit) else {
            throw JobError(
                code: .invalid, message: "\(argument): the limit must be 1 to \(JobLimits.occurrences), not \(limit)")
        }
    }

    private static func check(_ duration: Duration, _ argument: String, orZero: Bool) throws(JobError) {
        guard orZero ? duration >= .zero : duration > .zero else {
            throw JobError(
                code: .invalid,
                message: "\(argument): must be \(orZero ? "zero or longer" : "longer than zero"), not \(duration)")
        }
        try Trigger.checkRange(duration, argument)
    }
}

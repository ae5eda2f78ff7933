import ApusTimers

extension JobRequest {
    /// Refuses what could not be kept or done, naming the argument and the accepted forms.
    func validate() throws(JobError) {
        guard !id.rawValue.isEmpty else { throw JobError(.invalid, "id: must not be empty") }
        guard id.rawValue.utf8.count <= 255 else {
            throw JobError(.invalid, "id: must be 1 to 255 bytes, not \(id.rawValue.utf8.count)")
        }
        guard !kind.isEmpty else { throw JobError(.invalid, "kind: must not be empty") }
        guard payload.count <= 65_536 else {
            throw JobError(.invalid, "payload: must be at most 65536 bytes (64 KiB), not \(payload.count)")
        }
        if let idempotencyKey, !(1...255).contains(idempotencyKey.utf8.count) {
            throw JobError(.invalid, "idempotencyKey: must be 1 to 255 bytes, not \(idempotencyKey.utf8.count)")
        }
        try trigger.validate()
        try policies.validate()
    }
}

extension JobPolicies {
    /// The most rows that one arrival may make.
    static let maximumLimit = 10_000

    func validate() throws(JobError) {
        try Self.check(tolerance, "tolerance", orZero: true)
        if let grace { try Self.check(grace, "grace", orZero: true) }
        if let timeLimit { try Self.check(timeLimit, "timeLimit", orZero: false) }
        try Self.check(retry.initialBackoff, "retry.initialBackoff", orZero: true)
        try Self.check(retry.maximumBackoff, "retry.maximumBackoff", orZero: true)
        guard retry.jitter >= 0, retry.jitter <= 1 else {
            throw JobError(.invalid, "retry.jitter: must be 0 to 1, not \(retry.jitter)")
        }
        guard retry.maximumAttempts >= 1 else {
            throw JobError(.invalid, "retry.maximumAttempts: must be 1 or more, not \(retry.maximumAttempts)")
        }
        guard retry.maximumLost >= 1 else {
            throw JobError(.invalid, "retry.maximumLost: must be 1 or more, not \(retry.maximumLost)")
        }
        guard conditions.isSubset(of: .all) else {
            throw JobError(
                .invalid,
                "conditions: must be of network, externalPower and idle, not the bits \(conditions.rawValue)")
        }
        if case .runAll(let limit) = missedRuns.kind { try Self.check(limit, "missedRuns.runAll") }
        switch overlap.kind {
        case .skip, .replace: break
        case .queue(let limit): try Self.check(limit, "overlap.queue")
        case .allow(let limit): try Self.check(limit, "overlap.allow")
        }
    }

    private static func check(_ limit: Int, _ argument: String) throws(JobError) {
        guard (1...maximumLimit).contains(limit) else {
            throw JobError(.invalid, "\(argument): the limit must be 1 to \(maximumLimit), not \(limit)")
        }
    }

    private static func check(_ duration: Duration, _ argument: String, orZero: Bool) throws(JobError) {
        guard orZero ? duration >= .zero : duration > .zero else {
            throw JobError(
                .invalid, "\(argument): must be \(orZero ? "zero or longer" : "longer than zero"), not \(duration)")
        }
        try Trigger.checkRange(duration, argument)
    }
}

package import ApusTimers

extension JobRequest {
    package static let maximumMetadataBytes = 8_192

    /// How many bytes the keys and values of the metadata have.
    package var metadataBytes: Int { metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    /// Refuses what a submission at `now` could not ask for, whatever is in the store.
    package func validate(submittedAt now: WallInstant) throws(JobError) {
        try validate()
        // The zones are those where the scheduler runs: it is the scheduler that knows what a calendar trigger's are.
        if trigger.calendar == nil { _ = try trigger.first(submittedAt: now, nil) }
    }

    /// Refuses what could not be kept or done, naming the argument and the accepted forms.
    func validate() throws(JobError) {
        guard !id.rawValue.isEmpty else { throw JobError(code: .invalid, message: "id: must not be empty") }
        guard id.rawValue.utf8.count <= 255 else {
            throw JobError(code: .invalid, message: "id: must be 1 to 255 bytes, not \(id.rawValue.utf8.count)")
        }
        guard !kind.isEmpty else { throw JobError(code: .invalid, message: "kind: must not be empty") }
        guard payload.count <= 65_536 else {
            throw JobError(
                code: .invalid, message: "payload: must be at most 65536 bytes (64 KiB), not \(payload.count)")
        }
        if let idempotencyKey, !(1...255).contains(idempotencyKey.utf8.count) {
            throw JobError(
                code: .invalid, message: "idempotencyKey: must be 1 to 255 bytes, not \(idempotencyKey.utf8.count)")
        }
        try queue.validate()
        guard metadataBytes <= Self.maximumMetadataBytes else {
            throw JobError(code: .invalid, message: "metadata: must be at most 8192 bytes (8 KiB) of keys and values")
        }
        if let period = uniqueness.period, period <= .zero {
            throw JobError(code: .invalid, message: "uniqueness: the period must be longer than zero, not \(period)")
        }
        try trigger.validate()
        try policies.validate()
    }
}

extension QueueID {
    func validate() throws(JobError) {
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
        if let concurrency, !(1...100_000).contains(concurrency) {
            throw JobError(
                code: .invalid,
                message: "concurrency: must be 1 to 100000, not \(concurrency); pause the queue to run none")
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
    /// The scheduler keeps an instant for each run of a period.
    static let maximumRuns = 100_000
}

extension JobPolicies {
    /// The most rows that one arrival may make.
    static let maximumLimit = 10_000

    func validate() throws(JobError) {
        try Self.check(tolerance, "tolerance", orZero: true)
        if let grace { try Self.check(grace, "grace", orZero: true) }
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
                message: "conditions: must be of network, externalPower and idle, not the bits \(conditions.rawValue)")
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
            throw JobError(code: .invalid, message: "\(argument): the limit must be 1 to \(maximumLimit), not \(limit)")
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

import ApusTimers

extension JobRequest {
    /// A request for a job with a typed payload; each argument left out has its default.
    ///
    /// The kind is the payload's. Without a `trigger` the job is due at once. Without an `id` each request is for a job of
    /// its own: its identifier is the kind, `-` and 26 random letters and digits.
    /// - Throws: ``JobError`` with `invalid` if the payload cannot be written as JSON; the message names the field.
    ///   ``JobScheduler/submit(_:)->Job`` refuses one of more than 64 KiB.
    public init<Payload: JobPayload>(
        _ payload: Payload,
        id: JobID? = nil,
        name: String? = nil,
        trigger: Trigger = .after(.zero),
        policies: JobPolicies = .init(),
        labels: [String: String] = [:],
        queue: QueueID = .default,
        priority: JobPriority = .normal,
        metadata: [String: String] = [:],
        uniqueness: JobUniqueness = .identifier,
        conflict: ConflictPolicy = .update,
        idempotencyKey: String? = nil
    ) throws(JobError) {
        let bytes: [UInt8]
        do { bytes = try JobJSON.encode(payload) } catch {
            throw JobError(
                code: .invalid, message: "payload: a \(Payload.self) cannot be written as JSON: \(error)",
                cause: error.cause)
        }
        self.init(
            id: id ?? .unique(of: Payload.kind), name: name, kind: Payload.kind, trigger: trigger, policies: policies,
            labels: labels, payload: bytes, queue: queue, priority: priority, metadata: metadata,
            uniqueness: uniqueness, conflict: conflict, idempotencyKey: idempotencyKey)
    }
}

extension JobID {
    /// An identifier that no other job has: 128 random bits follow the kind.
    static func unique(of kind: String, _ random: any RandomSource = SystemRandom()) -> JobID {
        let suffix = (0..<2).map { _ in
            let digits = String(random.next(), radix: 36)
            return String(repeating: "0", count: 13 - digits.count) + digits
        }
        return JobID("\(kind)-\(suffix.joined())")
    }
}

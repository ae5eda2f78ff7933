import ApusTimers

/// What a kind of jobs needs to know, as a Swift type.
///
/// ```swift
/// struct SendInvoice: JobPayload {
///     static let kind = "invoice.send"
///     var number: Int
///     var recipient: String
/// }
/// ```
///
/// A payload is kept as JSON with sorted keys (``JobRequest/payload``), at most 64 KiB. Equal values have equal bytes, so
/// that ``JobUniqueness/payload(within:)`` compares values; the exceptions are sets, and dictionaries whose keys are
/// neither strings nor integers, which JSON writes as lists in no particular order. Dates are numbers of seconds since
/// 2001-01-01, unless the type encodes them otherwise.
///
/// Jobs outlive the program that submitted them: give a property that is added later a default in `init(from:)`, or make
/// it optional. A payload that cannot be decoded is a final failure of its run.
public protocol JobPayload: Codable, Sendable {
    /// Names the kind of job (``JobRequest/kind``). It is in the store: do not change it while there are jobs of it.
    static var kind: String { get }

    /// Fills in what a submission of the kind leaves out.
    ///
    /// ```swift
    /// static let defaults = JobDefaults(policies: .init(retry: .exponential(attempts: 20)), queue: "mail")
    /// ```
    ///
    /// A job keeps what it was submitted with: other defaults count for later submissions.
    static var defaults: JobDefaults { get }

    /// How long the next attempt waits after so many attempts of the occurrence that failed, in place of the delay of the
    /// retry policy; `nil` for that one. The policy says how many attempts there are.
    ///
    /// ```swift
    /// static func retryDelay(afterFailures failures: Int) -> Duration? { .seconds(60 * failures * failures) }
    /// ```
    ///
    /// Counted as elapsed time, without jitter; less than 100 ms count as 100 ms. A ``RunDecision`` with a delay takes
    /// precedence. Attempts that were lost do not count. Called for each attempt that failed or exceeded its time limit, the
    /// last one too, on the executor of handlers, by the program that made the attempt: a job does not keep it. After an
    /// attempt that was given up the policy's delay applies.
    static func retryDelay(afterFailures failures: Int) -> Duration?

    /// The ``JobRequest/fairnessKey`` of a submission that gives none; `nil` for no key.
    ///
    /// ```swift
    /// var fairnessKey: String? { "\(customer)" }
    /// ```
    var fairnessKey: String? { get }

    /// The part of the payload that says which job it is; `nil` for all of it. A job for which the submission, or else
    /// ``defaults``, ask for ``JobUniqueness/payload(within:)`` is unique by this key instead
    /// (``JobUniqueness/key(_:within:)``).
    ///
    /// Jobs that were submitted before a kind has a key are unique by their payload until they end, and no job with a key
    /// is the same as one of them.
    ///
    /// ```swift
    /// var uniquenessKey: String? { "\(number)" }  // regardless of the recipient
    /// ```
    var uniquenessKey: String? { get }
}

extension JobPayload {
    /// Every default as for a request without a payload type.
    public static var defaults: JobDefaults { JobDefaults() }

    /// The delay of the retry policy.
    public static func retryDelay(afterFailures failures: Int) -> Duration? { nil }

    /// No key.
    public var fairnessKey: String? { nil }

    /// All of the payload.
    public var uniquenessKey: String? { nil }
}

/// What the submissions of a kind have in common (``JobPayload/defaults``).
public struct JobDefaults: Hashable, Sendable {
    /// How jobs behave when runs are late, overlap, fail or are missed. A submission that gives policies replaces all of
    /// them; start with these to change one.
    public var policies: JobPolicies
    /// In which queue runs wait for a place.
    public var queue: QueueID
    /// Which of the jobs that wait for a place of the queue gets it.
    public var priority: JobPriority
    /// Which jobs are the same.
    public var uniqueness: JobUniqueness
    /// What happens if there is such a job.
    public var conflict: ConflictPolicy

    /// Defaults; each argument left out is as for a request without a payload type.
    public init(
        policies: JobPolicies = .init(),
        queue: QueueID = .default,
        priority: JobPriority = .normal,
        uniqueness: JobUniqueness = .identifier,
        conflict: ConflictPolicy = .update
    ) {
        self.policies = policies
        self.queue = queue
        self.priority = priority
        self.uniqueness = uniqueness
        self.conflict = conflict
    }
}

extension JobRequest {
    /// A request for a job with a typed payload. Policies, queue, priority, uniqueness and conflict that are left out are
    /// those of ``JobPayload/defaults``; for ``JobUniqueness/payload(within:)``, a ``JobPayload/uniquenessKey`` counts.
    ///
    /// The kind is the payload's. Without a `trigger` the job is due at once. Without an `id` each request is for a job of
    /// its own: its identifier is the kind, `-` and 26 random letters and digits.
    /// - Throws: ``JobError`` with `invalid` if the payload cannot be written as JSON; the message names the field.
    ///   ``JobScheduler/submit(_:)->SubmissionResult`` refuses one of more than 64 KiB.
    public init<Payload: JobPayload>(
        _ payload: Payload,
        id: JobID? = nil,
        name: String? = nil,
        trigger: Trigger = .after(.zero),
        policies: JobPolicies? = nil,
        labels: [String: String] = [:],
        queue: QueueID? = nil,
        priority: JobPriority? = nil,
        fairnessKey: String? = nil,
        metadata: [String: String] = [:],
        uniqueness: JobUniqueness? = nil,
        conflict: ConflictPolicy? = nil,
        idempotencyKey: String? = nil
    ) throws(JobError) {
        let defaults = Payload.defaults
        let bytes: [UInt8]
        do { bytes = try JobJSON.encode(payload) } catch {
            throw JobError(
                code: .invalid, message: "payload: a \(Payload.self) cannot be written as JSON: \(error)",
                cause: error.cause)
        }
        var uniqueness = uniqueness ?? defaults.uniqueness
        if case .payload(let period) = uniqueness.kind, let key = payload.uniquenessKey {
            uniqueness = .key(key, within: period)
        }
        self.init(
            id: id ?? .unique(of: Payload.kind), name: name, kind: Payload.kind, trigger: trigger,
            policies: policies ?? defaults.policies, labels: labels, payload: bytes, queue: queue ?? defaults.queue,
            priority: priority ?? defaults.priority, fairnessKey: fairnessKey ?? payload.fairnessKey,
            metadata: metadata,
            uniqueness: uniqueness, conflict: conflict ?? defaults.conflict,
            idempotencyKey: idempotencyKey)
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

extension JobScheduler {
    /// Registers what runs jobs with a payload of this type: those of the kind ``JobPayload/kind``.
    ///
    /// As ``register(_:handler:)-(String,_)``, with the payload decoded. One that cannot be decoded is a failure without
    /// another attempt, whose reason names the kind and the field.
    public func register<Payload: JobPayload>(
        _ type: Payload.Type, handler: @escaping @Sendable (Payload, RunContext) async throws -> Void
    ) {
        register(Payload.kind, retryDelay: Payload.retryDelay) { run in try await handler(run.decodedPayload(), run) }
    }

    /// The same with a handler that returns a result, as ``register(_:returning:handler:)-(String,_,_)`` keeps it.
    public func register<Payload: JobPayload, Value: Codable & Sendable>(
        _ type: Payload.Type, returning result: Value.Type,
        handler: @escaping @Sendable (Payload, RunContext) async throws -> Value
    ) {
        register(Payload.kind, retryDelay: Payload.retryDelay) { run in
            try run.keep(result: await handler(run.decodedPayload(), run))
        }
    }

    /// Submits a job with a typed payload. When this returns, the job survives a crash.
    ///
    /// ``JobRequest/init(_:id:name:trigger:policies:labels:queue:priority:fairnessKey:metadata:uniqueness:conflict:idempotencyKey:)``
    /// describes the arguments; to submit several jobs in one commit, make requests with it.
    /// - Throws: as ``submit(_:)->SubmissionResult``; ``JobError`` with `invalid`, naming the field, if the payload
    ///   cannot be written as JSON, and with the size if that is larger than 64 KiB.
    @discardableResult
    public func submit<Payload: JobPayload>(
        _ payload: Payload,
        id: JobID? = nil,
        name: String? = nil,
        trigger: Trigger = .after(.zero),
        policies: JobPolicies? = nil,
        labels: [String: String] = [:],
        queue: QueueID? = nil,
        priority: JobPriority? = nil,
        fairnessKey: String? = nil,
        metadata: [String: String] = [:],
        uniqueness: JobUniqueness? = nil,
        conflict: ConflictPolicy? = nil,
        idempotencyKey: String? = nil
    ) async throws -> SubmissionResult {
        try await submit(
            JobRequest(
                payload, id: id ?? .unique(of: Payload.kind, loop.random), name: name, trigger: trigger,
                policies: policies, labels: labels, queue: queue, priority: priority, fairnessKey: fairnessKey,
                metadata: metadata, uniqueness: uniqueness, conflict: conflict, idempotencyKey: idempotencyKey))
    }
}

extension RunContext {
    fileprivate func decodedPayload<Payload: JobPayload>() throws(RunDecision) -> Payload {
        do { return try job.payload(as: Payload.self) } catch {
            throw .discard(reason: error.message)
        }
    }

    func keep(result: some Encodable) throws(RunDecision) {
        let bytes: [UInt8]
        do { bytes = try JobJSON.encode(result) } catch {
            throw .discard(reason: "the result of kind \(job.request.kind) cannot be written as JSON: \(error)")
        }
        do { try setResult(bytes) } catch {
            let problem = (error as? JobError)?.message ?? "\(error)"
            throw .discard(reason: "\(job.request.kind): \(problem)")
        }
    }
}

extension Job {
    /// The payload, decoded.
    /// - Throws: ``JobError`` with `invalid`, naming the kind and the field, if the job is of another kind or its payload
    ///   cannot be decoded.
    public func payload<Payload: JobPayload>(as type: Payload.Type) throws(JobError) -> Payload {
        guard request.kind == Payload.kind else {
            throw JobError(code: .invalid, message: "the job \(id) is of the kind \(request.kind), not \(Payload.kind)")
        }
        do { return try JobJSON.decode(type, from: request.payload) } catch {
            throw JobError(
                code: .invalid,
                message: "the payload of kind \(request.kind) cannot be read as \(Payload.self): \(error)",
                cause: error.cause)
        }
    }
}

extension Run {
    /// What the handler returned, decoded; `nil` for a handler that returns nothing, and for attempts that did not
    /// succeed.
    /// - Throws: ``JobError`` with `invalid`, naming the field, if the result cannot be decoded.
    public func result<Value: Decodable>(as type: Value.Type) throws(JobError) -> Value? {
        guard let result else { return nil }
        do { return try JobJSON.decode(type, from: result) } catch {
            throw JobError(
                code: .invalid,
                message: "the result of \(jobID), occurrence \(occurrence), cannot be read as \(Value.self): \(error)",
                cause: error.cause)
        }
    }
}

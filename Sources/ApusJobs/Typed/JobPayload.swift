import ApusTimers

/// The payload of a kind of jobs, as a Swift type.
///
/// ```swift
/// struct SendInvoice: JobPayload {
///     static let kind = "invoice.send"
///     var number: Int
///     var recipient: String
/// }
/// ```
///
/// A payload is stored as JSON with sorted keys (``JobRequest/payload``), at most 64 KiB. Equal values have equal
/// bytes, so ``JobUniqueness/payload(within:)`` compares values. The exceptions are sets, and dictionaries whose keys
/// are neither strings nor integers: JSON has them as lists without a defined order. Dates are numbers of seconds since
/// 2001-01-01, unless the type encodes them otherwise.
///
/// Jobs outlive the program that submitted them. So give a property that is added later a default in `init(from:)`, or
/// make it optional. A payload that cannot be decoded is a final failure of its run.
public protocol JobPayload: Codable, Sendable {
    /// The name of the kind (``JobRequest/kind``), which is stored: do not change it while jobs of the kind exist.
    static var kind: String { get }

    /// The values that a submission of the kind has unless it gives others.
    ///
    /// ```swift
    /// static let defaults = JobDefaults(policies: .init(retry: .exponential(attempts: 20)), queue: "mail")
    /// ```
    ///
    /// A job keeps the values with which it was submitted: changed defaults apply to later submissions.
    static var defaults: JobDefaults { get }

    /// Returns the delay before the next attempt after a number of failed attempts of the occurrence; `nil` for the
    /// delay of the retry policy.
    ///
    /// ```swift
    /// static func retryDelay(afterFailures failures: Int) -> Duration? { .seconds(60 * failures * failures) }
    /// ```
    ///
    /// The delay is counted as elapsed time, without jitter; less than 100 ms count as 100 ms. The policy determines
    /// the number of attempts. Lost attempts do not count.
    ///
    /// The function is called after each attempt that failed or exceeded its time limit, including the last one, unless
    /// the handler discarded the run or threw a ``RunDecision`` with a delay. It is called on the executor of handlers,
    /// by the program that made the attempt, because it is not stored with the job. After an attempt that was given up,
    /// the policy's delay applies.
    static func retryDelay(afterFailures failures: Int) -> Duration?

    /// The ``JobRequest/fairnessKey`` of a submission that gives none; `nil` for no key.
    ///
    /// ```swift
    /// var fairnessKey: String? { "\(customer)" }
    /// ```
    var fairnessKey: String? { get }

    /// The part of the payload that identifies the job; `nil` for the whole payload.
    ///
    /// If the submission, or else ``defaults``, has ``JobUniqueness/payload(within:)``, the job is unique by this key
    /// instead (``JobUniqueness/key(_:within:)``).
    ///
    /// ```swift
    /// var uniquenessKey: String? { "\(number)" }  // regardless of the recipient
    /// ```
    ///
    /// Jobs that were submitted before the kind had a key are unique by their payload until they end, and a job with a
    /// key never counts as the same as one of them.
    var uniquenessKey: String? { get }
}

extension JobPayload {
    /// The defaults of a request without a payload type.
    public static var defaults: JobDefaults { JobDefaults() }

    /// Returns `nil`, for the delay of the retry policy.
    public static func retryDelay(afterFailures failures: Int) -> Duration? { nil }

    /// `nil`, for no key.
    public var fairnessKey: String? { nil }

    /// `nil`, for the whole payload.
    public var uniquenessKey: String? { nil }
}

/// The values that the submissions of a kind have in common (``JobPayload/defaults``).
public struct JobDefaults: Hashable, Sendable {
    /// The rules for runs that are late, overlap, fail or are missed.
    ///
    /// The policies of a submission replace all of these policies. To change one of them for a submission, pass a
    /// changed copy.
    public var policies: JobPolicies
    /// The queue in which runs wait for a place.
    public var queue: QueueID
    /// The priority among the jobs that wait for a place in the queue.
    public var priority: JobPriority
    /// The rule that decides which jobs count as the same.
    public var uniqueness: JobUniqueness
    /// The effect of a submission if a job that counts as the same exists.
    public var conflict: ConflictPolicy

    /// Creates defaults; an omitted argument has the same default as in a request without a payload type.
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
    /// Creates a request for a job with a typed payload and the kind of its type.
    ///
    /// Omitted policies, queue, priority, uniqueness and conflict are those of ``JobPayload/defaults``; a
    /// ``JobPayload/uniquenessKey`` takes the place of the payload in ``JobUniqueness/payload(within:)``. Without a
    /// `trigger` the job is due immediately. Without an `id` each request is for a separate job, whose identifier is
    /// the kind, `-` and 26 random letters and digits.
    /// - Throws: ``JobError`` with `invalid` if the payload cannot be encoded as JSON; the message names the field.
    ///   ``JobScheduler/submit(_:)->SubmissionResult`` refuses a payload of more than 64 KiB.
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
    /// Returns a unique identifier: the kind and 128 random bits.
    static func unique(of kind: String, _ random: any RandomSource = SystemRandom()) -> JobID {
        let suffix = (0..<2).map { _ in
            let digits = String(random.next(), radix: 36)
            return String(repeating: "0", count: 13 - digits.count) + digits
        }
        return JobID("\(kind)-\(suffix.joined())")
    }
}

extension JobScheduler {
    /// Registers the handler of jobs with a payload of this type, whose kind is ``JobPayload/kind``.
    ///
    /// It is called as the handler of ``register(_:handler:)-(String,_)`` is, with the decoded payload. A payload that
    /// cannot be decoded is a failure without another attempt; its reason names the kind and the field.
    public func register<Payload: JobPayload>(
        _ type: Payload.Type, handler: @escaping @Sendable (Payload, RunContext) async throws -> Void
    ) {
        register(Payload.kind, retryDelay: Payload.retryDelay) { run in try await handler(run.decodedPayload(), run) }
    }

    /// Registers a handler that returns a result, which is stored as with
    /// ``register(_:returning:handler:)-(String,_,_)``.
    public func register<Payload: JobPayload, Value: Codable & Sendable>(
        _ type: Payload.Type, returning result: Value.Type,
        handler: @escaping @Sendable (Payload, RunContext) async throws -> Value
    ) {
        register(Payload.kind, retryDelay: Payload.retryDelay) { run in
            try run.keep(result: await handler(run.decodedPayload(), run))
        }
    }

    /// Submits a job with a typed payload; once this returns, the job survives a crash.
    ///
    /// ``JobRequest/init(_:id:name:trigger:policies:labels:queue:priority:fairnessKey:metadata:uniqueness:conflict:idempotencyKey:)``
    /// describes the arguments; to submit several jobs in one commit, create requests with it.
    /// - Throws: The errors of ``submit(_:)->SubmissionResult``; ``JobError`` with `invalid` if the payload cannot be
    ///   encoded as JSON, naming the field, or is larger than 64 KiB, naming the size.
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
    /// Returns the decoded payload.
    ///
    /// - Throws: ``JobError`` with `invalid`, naming the kind and the field, if the job is of another kind or its
    ///   payload cannot be decoded.
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
    /// Returns the decoded result of the handler; `nil` for a handler that returns nothing, and for attempts that did
    /// not succeed.
    ///
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

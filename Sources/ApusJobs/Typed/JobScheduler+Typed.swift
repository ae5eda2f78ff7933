extension JobScheduler {
    /// Registers what runs jobs with a payload of this type: those of the kind ``JobPayload/kind``.
    ///
    /// As ``handle(_:with:)-(String,_)``, with the payload decoded. One that cannot be decoded is a failure without
    /// another attempt, whose reason names the kind and the field.
    public func handle<Payload: JobPayload>(
        _ type: Payload.Type, with handler: @escaping @Sendable (Payload, RunContext) async throws -> Void
    ) {
        handle(Payload.kind) { run in try await handler(run.decodedPayload(), run) }
    }

    /// The same with a handler that returns a result, which is kept with the run (``Run/result(as:)``) if the attempt
    /// succeeds.
    ///
    /// A result that cannot be written as JSON, or that is larger than 64 KiB, makes the attempt a failure without
    /// another one: the work was done, and would be done again.
    public func handle<Payload: JobPayload, Value: Codable & Sendable>(
        _ type: Payload.Type, with handler: @escaping @Sendable (Payload, RunContext) async throws -> Value
    ) {
        handle(Payload.kind) { run in
            try run.keep(result: await handler(run.decodedPayload(), run))
        }
    }

    /// Submits a job with a typed payload. When this returns, the job survives a crash.
    ///
    /// ``JobRequest/init(_:id:name:trigger:policies:labels:queue:priority:metadata:uniqueness:conflict:idempotencyKey:)``
    /// describes the arguments; to submit several jobs in one commit, make requests with it.
    /// - Throws: as ``submit(_:)->Job``; ``JobError`` with `invalid`, naming the field, if the payload cannot be written as
    ///   JSON, and with the size if that is larger than 64 KiB.
    @discardableResult
    public func submit<Payload: JobPayload>(
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
    ) async throws -> Job {
        try await submit(
            JobRequest(
                payload, id: id ?? .unique(of: Payload.kind, loop.random), name: name, trigger: trigger,
                policies: policies, labels: labels, queue: queue, priority: priority, metadata: metadata,
                uniqueness: uniqueness, conflict: conflict, idempotencyKey: idempotencyKey))
    }
}

extension RunContext {
    fileprivate func decodedPayload<Payload: JobPayload>() throws(JobFailure) -> Payload {
        do { return try job.payload(as: Payload.self) } catch {
            throw JobFailure(reason: error.message, isFinal: true)
        }
    }

    fileprivate func keep(result: some Encodable) throws(JobFailure) {
        let bytes: [UInt8]
        do { bytes = try JobJSON.encode(result) } catch {
            throw JobFailure(
                reason: "the result of kind \(job.request.kind) cannot be written as JSON: \(error)", isFinal: true)
        }
        do { try setResult(bytes) } catch {
            let problem = (error as? JobError)?.message ?? "\(error)"
            throw JobFailure(reason: "\(job.request.kind): \(problem)", isFinal: true)
        }
    }
}

extension Job {
    /// The payload, decoded.
    /// - Throws: ``JobError`` with `invalid`, naming the kind and the field, if the job is of another kind or its payload
    ///   cannot be decoded.
    public func payload<Payload: JobPayload>(as type: Payload.Type) throws(JobError) -> Payload {
        guard request.kind == Payload.kind else {
            throw JobError(.invalid, "the job \(id) is of the kind \(request.kind), not \(Payload.kind)")
        }
        do { return try JobJSON.decode(type, from: request.payload) } catch {
            throw JobError(
                .invalid, "the payload of kind \(request.kind) cannot be read as \(Payload.self): \(error)",
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
                .invalid, "the result of \(job), occurrence \(occurrence), cannot be read as \(Value.self): \(error)",
                cause: error.cause)
        }
    }
}

import ApusTimers

extension JobRequest: Codable {
    private static let optionalFields: [CodedField<JobRequest>] = [
        .init("name", \.name),
        .init("kind", \.kind),
        .init("policies", \.policies),
        .init("labels", \.labels),
        .init(bytes: "payload", \.payload),
        .init("queue", \.queue),
        .init("priority", \.priority),
        .init("fairnessKey", \.fairnessKey),
        .init("metadata", \.metadata),
        .init("uniqueness", \.uniqueness),
        .init("conflict", \.conflict),
        .init("idempotencyKey", \.idempotencyKey),
        .init("terms", \.codedTerms),
    ]

    /// The terms of a submission; `nil` if there are none to encode, as in a stored job.
    private var codedTerms: SubmissionTerms? {
        get { terms.isCoded ? terms : nil }
        set { terms = newValue ?? .init() }
    }

    /// Decodes an object with the properties' names as keys; `payload` is base64.
    ///
    /// `id` and `trigger` are required; other missing fields have their defaults. The contents are not validated:
    /// ``JobScheduler/submit(_:)->SubmissionResult`` does that.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        self.init(
            id: try container.decode(JobID.self, forKey: "id"),
            trigger: try container.decode(Trigger.self, forKey: "trigger"))
        try Self.optionalFields.decode(into: &self, from: container)
    }

    /// Encodes an object with all properties that are not nil; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for values that no job may have: a duration of 292 years or more, an unknown
    ///   condition.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(id, forKey: "id")
        try container.encode(trigger, forKey: "trigger")
        try Self.optionalFields.encode(self, to: &container)
    }
}

extension Job: Codable {
    private static let optionalFields: [CodedField<Job>] = [
        .init("key", \.key),
        .init("version", \.version),
        .init("origin", \.bookkeeping.origin),
        .init("nextOccurrence", \.nextOccurrence),
        .init("nextDue", \.nextDue),
        .init("dueNote", \.dueNote),
        .init(duration: "remainder", \.remainder),
        .init("occurrences", \.occurrenceCount),
        .init("missed", \.missedCount),
        .init("wake", \.bookkeeping.wake),
        .init("elapsedWake", \.bookkeeping.elapsedWake),
        .init("openRuns", \.openRunCount),
        .init("runsSinceRetired", \.bookkeeping.runsSinceRetired),
        .init("keptUntil", \.keptUntil),
    ]

    /// Decodes an object whose keys are the names of the initializer's parameters, four of which are shortened.
    ///
    /// The shortened ones are `first` (`firstDue`), `occurrences` (`occurrenceCount`), `missed` (`missedCount`) and
    /// `openRuns` (`openRunCount`). Instants are integers: nanoseconds since 1970. The remainder is an integer
    /// `remainderNanoseconds`. `request`, `state`, `created`, `updated` and `first` are required; other missing fields
    /// have the values of a new job.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        self.init(
            request: try container.decode(JobRequest.self, forKey: "request"),
            state: try container.decode(JobState.self, forKey: "state"),
            created: try container.decode(WallInstant.self, forKey: "created"),
            updated: try container.decode(WallInstant.self, forKey: "updated"),
            firstDue: try container.decode(WallInstant.self, forKey: "first"), nextDue: nil, wake: nil)
        try Self.optionalFields.decode(into: &self, from: container)
    }

    /// Encodes an object with all properties that are not nil; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for values that no job may have: a duration of 292 years or more, an unknown
    ///   condition.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(request, forKey: "request")
        try container.encode(state, forKey: "state")
        try container.encode(created, forKey: "created")
        try container.encode(updated, forKey: "updated")
        try container.encode(firstDue, forKey: "first")
        try Self.optionalFields.encode(self, to: &container)
    }
}

extension Run: Codable {
    private static let optionalFields: [CodedField<Run>] = [
        .init("dueNote", \.dueNote),
        .init("through", \.through),
        .init("lostBefore", \.lostBefore),
        .init("standsFor", \.standsFor),
        .init("isFinal", \.isFinal),
        .init("reason", \.reason),
        .init("notBefore", \.notBefore),
        .init("claimed", \.claimed),
        .init("started", \.started),
        .init("finished", \.finished),
        .init("exitCode", \.exitCode),
        .init(bytes: "output", \.output),
        .init(bytes: "result", \.result),
        .init("progress", \.progress),
    ]

    /// Decodes an object whose keys are the properties' names, except `job` for `jobID`.
    ///
    /// Instants are integers: nanoseconds since 1970. `output` and `result` are base64. `jobKey`, `job`, `occurrence`,
    /// `attempt`, `due` and `state` are required; other missing fields have the defaults of the initializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        self.init(
            jobKey: try container.decode(Int64.self, forKey: "jobKey"),
            jobID: try container.decode(JobID.self, forKey: "job"),
            occurrence: try container.decode(Int.self, forKey: "occurrence"),
            attempt: try container.decode(Int.self, forKey: "attempt"),
            due: try container.decode(WallInstant.self, forKey: "due"),
            state: try container.decode(RunState.self, forKey: "state"))
        try Self.optionalFields.decode(into: &self, from: container)
    }

    /// Encodes an object with all properties that are not nil; see ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(jobKey, forKey: "jobKey")
        try container.encode(jobID, forKey: "job")
        try container.encode(occurrence, forKey: "occurrence")
        try container.encode(attempt, forKey: "attempt")
        try container.encode(due, forKey: "due")
        try container.encode(state, forKey: "state")
        try Self.optionalFields.encode(self, to: &container)
    }
}

// Enumerations are encoded as their names. The error for an unknown name lists the known names.

extension JobID: Codable {}

extension JobState: Codable {
    /// Decodes the state's name, such as `scheduled`.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeName() }
}

extension RunState: Codable {
    /// Decodes the state's name, such as `waiting`.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeName() }
}

extension ConflictPolicy: Codable {
    /// Decodes the policy's name, such as `replace`.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeName() }
}

extension JobConditions: Codable {
    private static let names: KeyValuePairs<String, JobConditions> = [
        "network": .network, "externalPower": .externalPower, "idle": .idle,
    ]

    /// Decodes a list of names: `network`, `externalPower`, `idle`.
    public init(from decoder: any Decoder) throws {
        self = []
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            let name = try container.decode(String.self)
            guard let condition = Self.names.first(where: { $0.key == name })?.value else {
                throw DecodingError.unknown(name, accepted: Self.names.map(\.key), at: container.codingPath)
            }
            insert(condition)
        }
    }

    /// Encodes a list of names: `network`, `externalPower`, `idle`.
    ///
    /// - Throws: `EncodingError` for bits without a condition, which no job may have.
    public func encode(to encoder: any Encoder) throws {
        guard isSubset(of: .all) else {
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: encoder.codingPath, debugDescription: "the bits \(rawValue) are not known conditions")
            )
        }
        var container = encoder.unkeyedContainer()
        for (name, condition) in Self.names where contains(condition) { try container.encode(name) }
    }
}

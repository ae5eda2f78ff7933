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
        .init("metadata", \.metadata),
        .init("uniqueness", \.uniqueness),
        .init("conflict", \.conflict),
        .init("idempotencyKey", \.idempotencyKey),
        .init("terms", \.codedTerms),
    ]

    /// The terms of a submission if there are any. A kept job has none.
    private var codedTerms: SubmissionTerms? {
        get { terms.isCoded ? terms : nil }
        set { terms = newValue ?? .init() }
    }

    /// Reads an object with the properties' names as keys; `payload` is base64. `id` and `trigger` must be there; what
    /// else is missing has its default.
    ///
    /// The contents are not validated; ``JobScheduler/submit(_:)->Job`` does that.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        self.init(
            id: try container.decode(JobID.self, forKey: "id"),
            trigger: try container.decode(Trigger.self, forKey: "trigger"))
        try Self.optionalFields.decode(into: &self, from: container)
    }

    /// Writes an object with all properties but those that are nil; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for what no job may have: a duration of 292 years or more, an unknown condition.
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
    ]

    /// Reads an object with the properties' names as keys; instants are integers, nanoseconds since 1970, and
    /// `remainderNanoseconds` is one too. `request`, `state`, `created`, `updated` and `first` must be there; what else
    /// is missing is as in a new job.
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

    /// Writes an object with all properties but those that are nil; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for what no job may have: a duration of 292 years or more, an unknown condition.
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

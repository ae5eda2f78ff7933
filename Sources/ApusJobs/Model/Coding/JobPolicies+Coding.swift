extension JobPolicies: Codable {
    private static let fields: [CodedField<JobPolicies>] = [
        .init(duration: "tolerance", \.tolerance),
        .init("missedRuns", \.missedRuns),
        .init(duration: "grace", \.grace),
        .init(duration: "expiry", \.expiry),
        .init("overlap", \.overlap),
        .init("retry", \.retry),
        .init(duration: "timeLimit", \.timeLimit),
        .init("conditions", \.conditions),
        .init(duration: "retention", \.retention),
    ]

    /// Reads an object with the properties' names as keys; those of durations end in `Nanoseconds`. What is missing has
    /// its default.
    public init(from decoder: any Decoder) throws {
        self.init()
        try Self.fields.decode(into: &self, from: decoder.container(keyedBy: FieldName.self))
    }

    /// Writes an object with all properties but those that are nil; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for what no job may have: a duration of 292 years or more, an unknown condition.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try Self.fields.encode(self, to: &container)
    }
}

extension RetryPolicy: Codable {
    private static let fields: [CodedField<RetryPolicy>] = [
        .init("maximumAttempts", \.maximumAttempts),
        .init("maximumLost", \.maximumLost),
        .init(duration: "initialBackoff", \.initialDelay),
        .init(duration: "maximumBackoff", \.maximumDelay),
        .init("jitter", \.jitter),
    ]

    /// Reads an object with the properties' names as keys; those of durations end in `Nanoseconds`. What is missing has
    /// its default.
    public init(from decoder: any Decoder) throws {
        self = .never
        try Self.fields.decode(into: &self, from: decoder.container(keyedBy: FieldName.self))
    }

    /// Writes an object with all properties; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for a duration of 292 years or more, which no job may have.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try Self.fields.encode(self, to: &container)
    }
}

extension MissedRunPolicy: Codable {
    /// Reads an object such as `{"name": "runAll", "limit": 5}`; without a limit, the policy has its default one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        let name = try container.decode(String.self, forKey: "name")
        guard let policy = Self(name: name, limit: try container.decodeIfPresent(Int.self, forKey: "limit")) else {
            throw DecodingError.unknown(name, accepted: Self.names, at: container.codingPath + [FieldName("name")])
        }
        self = policy
    }

    /// Writes an object with ``name`` and, if there is one, ``limit``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(name, forKey: "name")
        try container.encodeIfPresent(limit, forKey: "limit")
    }
}

extension OverlapPolicy: Codable {
    /// Reads an object such as `{"name": "queue", "limit": 5}`; without a limit, the policy has its default one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        let name = try container.decode(String.self, forKey: "name")
        guard let policy = Self(name: name, limit: try container.decodeIfPresent(Int.self, forKey: "limit")) else {
            throw DecodingError.unknown(name, accepted: Self.names, at: container.codingPath + [FieldName("name")])
        }
        self = policy
    }

    /// Writes an object with ``name`` and, if there is one, ``limit``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(name, forKey: "name")
        try container.encodeIfPresent(limit, forKey: "limit")
    }
}

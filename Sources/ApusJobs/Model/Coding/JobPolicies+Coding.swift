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

    /// Decodes an object with the properties' names as keys; the keys of durations end in `Nanoseconds`.
    ///
    /// Missing fields have their defaults.
    public init(from decoder: any Decoder) throws {
        self.init()
        try Self.fields.decode(into: &self, from: decoder.container(keyedBy: FieldName.self))
    }

    /// Encodes an object with all properties that are not nil; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for values that no job may have: a duration of 292 years or more, an unknown
    ///   condition.
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

    /// Decodes an object with fields such as `maximumAttempts` and `initialBackoffNanoseconds`.
    ///
    /// Missing fields have the values of ``never``.
    public init(from decoder: any Decoder) throws {
        self = .never
        try Self.fields.decode(into: &self, from: decoder.container(keyedBy: FieldName.self))
    }

    /// Encodes an object with all properties; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for a duration of 292 years or more, which no job may have.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try Self.fields.encode(self, to: &container)
    }
}

extension MissedRunPolicy: Codable {
    /// Decodes an object such as `{"name": "runAll", "limit": 5}`; without a limit, the policy has its default limit.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        let name = try container.decode(String.self, forKey: "name")
        guard let policy = Self(name: name, limit: try container.decodeIfPresent(Int.self, forKey: "limit")) else {
            throw DecodingError.unknown(name, accepted: Self.names, at: container.codingPath + [FieldName("name")])
        }
        self = policy
    }

    /// Encodes an object with ``name`` and, if there is one, ``limit``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(name, forKey: "name")
        try container.encodeIfPresent(limit, forKey: "limit")
    }
}

extension OverlapPolicy: Codable {
    /// Decodes an object such as `{"name": "queue", "limit": 5}`; without a limit, the policy has its default limit.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        let name = try container.decode(String.self, forKey: "name")
        guard let policy = Self(name: name, limit: try container.decodeIfPresent(Int.self, forKey: "limit")) else {
            throw DecodingError.unknown(name, accepted: Self.names, at: container.codingPath + [FieldName("name")])
        }
        self = policy
    }

    /// Encodes an object with ``name`` and, if there is one, ``limit``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(name, forKey: "name")
        try container.encodeIfPresent(limit, forKey: "limit")
    }
}

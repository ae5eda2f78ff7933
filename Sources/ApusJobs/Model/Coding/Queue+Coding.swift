import ApusTimers

extension JobPriority: Codable {
    /// Decodes the priority's name, such as `high`.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let priority = Self(name: name) else {
            throw DecodingError.unknown(name, accepted: Self.allCases.map(\.name), at: decoder.codingPath)
        }
        self = priority
    }

    /// Encodes ``name``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension JobUniqueness: Codable {
    /// Decodes an object such as `{"by": "identifier"}`, `{"by": "payload", "withinNanoseconds": 60000000000}` or
    /// `{"by": "key", "key": "17"}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        let name = try container.decode(String.self, forKey: "by")
        guard name == "key" || !container.contains("key") else {
            throw DecodingError.dataCorruptedError(
                forKey: "key", in: container, debugDescription: "a key is allowed only with \"by\": \"key\"")
        }
        switch name {
        case "identifier": self = .identifier
        case "payload": self = .payload(within: try container.decodeDurationIfPresent(forKey: "within"))
        case "key":
            self = .key(
                try container.decode(String.self, forKey: "key"),
                within: try container.decodeDurationIfPresent(forKey: "within"))
        case let name:
            throw DecodingError.unknown(
                name, accepted: ["identifier", "payload", "key"], at: container.codingPath + [FieldName("by")])
        }
    }

    /// Encodes an object; see ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        switch kind {
        case .identifier: try container.encode("identifier", forKey: "by")
        case .payload: try container.encode("payload", forKey: "by")
        case .key(let key, _):
            try container.encode("key", forKey: "by")
            try container.encode(key, forKey: "key")
        }
        if let period { try container.encode(duration: period, forKey: "within") }
    }
}

extension QueueRate: Codable {
    /// Decodes an object such as `{"runs": 10, "periodNanoseconds": 60000000000}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        self.init(
            runs: try container.decode(Int.self, forKey: "runs"), per: try container.decode(durationForKey: "period"))
    }

    /// Encodes an object; see ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(runs, forKey: "runs")
        try container.encode(duration: period, forKey: "period")
    }
}

extension JobQueue: Codable {
    private static let optionalFields: [CodedField<JobQueue>] = [
        .init("concurrency", \.concurrency),
        .init("concurrencyPerKey", \.concurrencyPerKey),
        .init("rate", \.rate),
        .init("isPaused", \.isPaused),
        .init("recentStarts", \.recentStarts),
        .init("lastStart", \.lastStart),
    ]

    /// Decodes an object with the properties' names as keys.
    ///
    /// `id` is required; other missing fields have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        self.init(id: try container.decode(QueueID.self, forKey: "id"))
        try Self.optionalFields.decode(into: &self, from: container)
    }

    /// Encodes an object with all properties that are not nil.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(id, forKey: "id")
        try Self.optionalFields.encode(self, to: &container)
    }
}

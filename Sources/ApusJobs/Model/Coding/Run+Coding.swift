import ApusTimers

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

    /// Reads an object with the properties' names as keys; instants are integers, nanoseconds since 1970, and `output`
    /// is base64. `jobKey`, `job`, `occurrence`, `attempt`, `due` and `state` must be there; what else is missing has
    /// the default of the initializer.
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

    /// Writes an object with all properties but those that are nil; see ``init(from:)``.
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

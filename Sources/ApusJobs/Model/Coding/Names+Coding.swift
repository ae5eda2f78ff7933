// What is a name in the model is that name in the coded form. Unknown names are refused with the known ones.

extension JobID: Codable {}

extension JobState: Codable {
    /// Reads the state's name, such as `scheduled`.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeName() }
}

extension RunState: Codable {
    /// Reads the state's name, such as `waiting`.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeName() }
}

extension ConflictPolicy: Codable {
    /// Reads the policy's name, such as `replace`.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeName() }
}

extension JobConditions: Codable {
    private static let names: KeyValuePairs<String, JobConditions> = [
        "network": .network, "externalPower": .externalPower, "idle": .idle,
    ]

    /// Reads a list of names: `network`, `externalPower`, `idle`.
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

    /// Writes a list of names: `network`, `externalPower`, `idle`.
    ///
    /// - Throws: `EncodingError` for bits without a condition, which no job may have.
    public func encode(to encoder: any Encoder) throws {
        guard isSubset(of: .all) else {
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: encoder.codingPath, debugDescription: "the bits \(rawValue) are no conditions"))
        }
        var container = encoder.unkeyedContainer()
        for (name, condition) in Self.names where contains(condition) { try container.encode(name) }
    }
}

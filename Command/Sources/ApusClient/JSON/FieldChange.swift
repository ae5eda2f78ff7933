/// What a change says of one field: left out, it stays; `null` removes its value.
public enum FieldChange<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The field is left out.
    case unchanged
    /// The field is `null`.
    case removed
    /// The field has a value.
    case set(Value)

    /// Reads a value, or `null`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .removed : .set(try container.decode(Value.self))
    }

    /// Writes the value, or `null`. Objects leave out what is unchanged.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .set(let value) = self { try container.encode(value) } else { try container.encodeNil() }
    }
}

extension KeyedDecodingContainer {
    /// What the compiler's `init(from:)` calls for such a field.
    func decode<Value>(_ type: FieldChange<Value>.Type, forKey key: Key) throws -> FieldChange<Value> {
        contains(key) ? try FieldChange(from: superDecoder(forKey: key)) : .unchanged
    }
}

extension KeyedEncodingContainer {
    /// What the compiler's `encode(to:)` calls for such a field.
    mutating func encode<Value>(_ change: FieldChange<Value>, forKey key: Key) throws {
        switch change {
        case .unchanged: break
        case .removed: try encodeNil(forKey: key)
        case .set(let value): try encode(value, forKey: key)
        }
    }
}

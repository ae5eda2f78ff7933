/// A value that may be absent, and is then encoded as `null` instead of being left out.
@propertyWrapper
public struct Nullable<Value: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    /// The value.
    public var wrappedValue: Value?

    /// Creates a value, which may be absent.
    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    /// Decodes the value, or `null`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    /// Encodes the value, or `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

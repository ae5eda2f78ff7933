/// A field that may have no value, and is then written as `null` instead of being left out.
@propertyWrapper
public struct Nullable<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The field's value, if it has one.
    public var wrappedValue: Value?

    /// A field with a value, or none.
    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    /// Reads the value, or `null`.
    public init(from decoder: any Decoder) throws { wrappedValue = try Value?(from: decoder) }

    /// Writes the value, or `null`.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
    /// What the compiler's `init(from:)` calls for such a field: a document of an earlier version may leave it out.
    package func decode<Value>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        Nullable(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

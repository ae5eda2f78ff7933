/// A type with an empty value that a JSON document may leave out.
public protocol HasEmptyValue {
    /// The value of a field that a document leaves out.
    static var emptyValue: Self { get }
}

extension Bool: HasEmptyValue {
    /// The value `false`.
    public static var emptyValue: Bool { false }
}

extension Int: HasEmptyValue {
    /// The value 0.
    public static var emptyValue: Int { 0 }
}

extension Dictionary: HasEmptyValue {
    /// The value `[:]`.
    public static var emptyValue: [Key: Value] { [:] }
}

extension Array: HasEmptyValue {
    /// The value `[]`.
    public static var emptyValue: [Element] { [] }
}

/// A field that is always written, and that has its empty value if a document leaves it out.
@propertyWrapper
public struct EmptyIfAbsent<Value: HasEmptyValue & Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The field's value.
    public var wrappedValue: Value

    /// Creates a field with a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Decodes the value itself.
    public init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }

    /// Encodes the value itself.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
    /// Decodes the field for the synthesized `init(from:)`, which calls this overload.
    func decode<Value>(_ type: EmptyIfAbsent<Value>.Type, forKey key: Key) throws -> EmptyIfAbsent<Value> {
        try decodeIfPresent(type, forKey: key) ?? EmptyIfAbsent(wrappedValue: .emptyValue)
    }
}

/// A field that is written as `null`, instead of being left out, if it has no value.
@propertyWrapper
public struct Nullable<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The field's value, if it has one.
    public var wrappedValue: Value?

    /// Creates a field with a value, or without one.
    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    /// Decodes the value, or `null`.
    public init(from decoder: any Decoder) throws { wrappedValue = try Value?(from: decoder) }

    /// Encodes the value, or `null`.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
    /// Decodes the field for the synthesized `init(from:)`, which calls this overload.
    ///
    /// A document of an earlier version may leave the field out.
    package func decode<Value>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        Nullable(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

/// The change of one field: an absent field stays as it is, and `null` removes its value.
public enum FieldChange<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The field is left out.
    case unchanged
    /// The field is `null`.
    case removed
    /// The field has a value.
    case set(Value)

    /// Decodes a value, or `null`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .removed : .set(try container.decode(Value.self))
    }

    /// Encodes the value, or `null`.
    ///
    /// An ``unchanged`` field of a JSON object is left out, and does not reach this method.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .set(let value) = self { try container.encode(value) } else { try container.encodeNil() }
    }
}

extension KeyedDecodingContainer {
    /// Decodes the field for the synthesized `init(from:)`, which calls this overload.
    func decode<Value>(_ type: FieldChange<Value>.Type, forKey key: Key) throws -> FieldChange<Value> {
        contains(key) ? try FieldChange(from: superDecoder(forKey: key)) : .unchanged
    }
}

extension KeyedEncodingContainer {
    /// Encodes the field for the synthesized `encode(to:)`, which calls this overload.
    mutating func encode<Value>(_ change: FieldChange<Value>, forKey key: Key) throws {
        switch change {
        case .unchanged: break
        case .removed: try encodeNil(forKey: key)
        case .set(let value): try encode(value, forKey: key)
        }
    }
}

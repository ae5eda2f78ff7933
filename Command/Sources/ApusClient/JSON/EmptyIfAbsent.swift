/// A type with a value that says nothing, which JSON may leave out.
public protocol HasEmptyValue {
    /// That value.
    static var emptyValue: Self { get }
}

extension Bool: HasEmptyValue {
    /// `false`
    public static var emptyValue: Bool { false }
}

extension Int: HasEmptyValue {
    /// 0
    public static var emptyValue: Int { 0 }
}

extension Dictionary: HasEmptyValue {
    /// `[:]`
    public static var emptyValue: [Key: Value] { [:] }
}

extension Array: HasEmptyValue {
    /// `[]`
    public static var emptyValue: [Element] { [] }
}

/// A field that has its empty value if a document leaves it out, and is always written.
@propertyWrapper
public struct EmptyIfAbsent<Value: HasEmptyValue & Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The field's value.
    public var wrappedValue: Value

    /// A field with a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Reads the value itself.
    public init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }

    /// Writes the value itself.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
    /// What the compiler's `init(from:)` calls for such a field.
    func decode<Value>(_ type: EmptyIfAbsent<Value>.Type, forKey key: Key) throws -> EmptyIfAbsent<Value> {
        try decodeIfPresent(type, forKey: key) ?? EmptyIfAbsent(wrappedValue: .emptyValue)
    }
}

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

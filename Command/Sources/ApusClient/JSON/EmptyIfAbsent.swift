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

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct FieldName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}

/// A property of a type, and the name of the optional field that contains it in the type's coded form.
///
/// Decoding leaves the property unchanged if the field is missing or null, so a type's own initializer determines the
/// defaults. Encoding omits a property without a value.
///
/// All fields that are added to a type after its first version are of this kind, so values of earlier versions can be
/// decoded.
struct CodedField<Root>: Sendable {
    let encode: @Sendable (Root, inout KeyedEncodingContainer<FieldName>) throws -> Void
    let decode: @Sendable (inout Root, KeyedDecodingContainer<FieldName>) throws -> Void

    init<Value: Codable & Sendable>(_ name: FieldName, _ path: any WritableKeyPath<Root, Value> & Sendable) {
        encode = { try $1.encode($0[keyPath: path], forKey: name) }
        decode = { root, container in
            if let value = try container.decodeIfPresent(Value.self, forKey: name) { root[keyPath: path] = value }
        }
    }

    init<Value: Codable & Sendable>(_ name: FieldName, _ path: any WritableKeyPath<Root, Value?> & Sendable) {
        encode = { try $1.encodeIfPresent($0[keyPath: path], forKey: name) }
        decode = { root, container in
            if let value = try container.decodeIfPresent(Value.self, forKey: name) { root[keyPath: path] = value }
        }
    }

    /// Creates the field of a duration, whose name in the coded form is `name` followed by the unit.
    init(duration name: String, _ path: any WritableKeyPath<Root, Duration> & Sendable) {
        encode = { try $1.encode(duration: $0[keyPath: path], forKey: name) }
        decode = { root, container in
            if let value = try container.decodeDurationIfPresent(forKey: name) { root[keyPath: path] = value }
        }
    }

    /// Creates the field of an optional duration, whose name in the coded form is `name` followed by the unit.
    init(duration name: String, _ path: any WritableKeyPath<Root, Duration?> & Sendable) {
        encode = { root, container in
            if let value = root[keyPath: path] { try container.encode(duration: value, forKey: name) }
        }
        decode = { root, container in
            if let value = try container.decodeDurationIfPresent(forKey: name) { root[keyPath: path] = value }
        }
    }

    /// Creates the field of bytes, which are encoded as base64.
    init(bytes name: FieldName, _ path: any WritableKeyPath<Root, [UInt8]> & Sendable) {
        encode = { try $1.encode(bytes: $0[keyPath: path], forKey: name) }
        decode = { root, container in
            if let value = try container.decodeBytesIfPresent(forKey: name) { root[keyPath: path] = value }
        }
    }

    /// Creates the field of optional bytes, which are encoded as base64.
    init(bytes name: FieldName, _ path: any WritableKeyPath<Root, [UInt8]?> & Sendable) {
        encode = { root, container in
            if let value = root[keyPath: path] { try container.encode(bytes: value, forKey: name) }
        }
        decode = { root, container in
            if let value = try container.decodeBytesIfPresent(forKey: name) { root[keyPath: path] = value }
        }
    }
}

extension Array {
    /// Encodes the fields of a value, in their order.
    func encode<Root>(
        _ root: Root, to container: inout KeyedEncodingContainer<FieldName>
    ) throws where Element == CodedField<Root> {
        for field in self { try field.encode(root, &container) }
    }

    /// Decodes the fields that are present into a value; the other properties of the value keep their defaults.
    func decode<Root>(
        into root: inout Root, from container: KeyedDecodingContainer<FieldName>
    ) throws where Element == CodedField<Root> {
        for field in self { try field.decode(&root, container) }
    }
}

// The field `…Nanoseconds` has the whole nanoseconds of a duration, rounded down. The field `…Attoseconds` has the
// remainder (0 to 999,999,999), and is omitted if the remainder is 0. Durations of 292 years or more, which no job may
// have, cannot be encoded.

extension KeyedEncodingContainer<FieldName> {
    mutating func encode(duration: Duration, forKey name: String) throws {
        let key = FieldName(stringValue: name + "Nanoseconds")
        // The range is checked first, because `components` traps for durations of more than 292 billion years.
        guard duration >= .nanoseconds(Int64.min), duration < .nanoseconds(Int64.max) + .nanoseconds(1) else {
            throw EncodingError.invalidValue(
                duration,
                .init(codingPath: codingPath + [key], debugDescription: "a duration must be shorter than 292 years"))
        }
        let (seconds, attoseconds) = duration.components
        let fraction = (attoseconds % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
        try encode(seconds * 1_000_000_000 + (attoseconds - fraction) / 1_000_000_000, forKey: key)
        if fraction != 0 { try encode(fraction, forKey: FieldName(stringValue: name + "Attoseconds")) }
    }

    mutating func encode(bytes: [UInt8], forKey key: FieldName) throws {
        try encode(Data(bytes).base64EncodedString(), forKey: key)
    }
}

extension KeyedDecodingContainer<FieldName> {
    func decode(durationForKey name: String) throws -> Duration {
        if let duration = try decodeDurationIfPresent(forKey: name) { return duration }
        let key = FieldName(stringValue: name + "Nanoseconds")
        throw DecodingError.keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "\(key.stringValue): an integer is missing"))
    }

    func decodeDurationIfPresent(forKey name: String) throws -> Duration? {
        guard let nanoseconds = try decodeIfPresent(Int64.self, forKey: FieldName(stringValue: name + "Nanoseconds"))
        else { return nil }
        let key = FieldName(stringValue: name + "Attoseconds")
        let fraction = try decodeIfPresent(Int64.self, forKey: key) ?? 0
        guard (0..<1_000_000_000).contains(fraction) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(key.stringValue): must be 0 to 999999999, not \(fraction)")
        }
        return .nanoseconds(nanoseconds) + Duration(secondsComponent: 0, attosecondsComponent: fraction)
    }

    func decodeBytesIfPresent(forKey key: FieldName) throws -> [UInt8]? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        // PostgreSQL's `encode` breaks base64 into lines, so the line breaks are removed.
        guard let data = Data(base64Encoded: Data(text.utf8.filter { $0 != UInt8(ascii: "\n") })) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(key.stringValue): must be base64")
        }
        return Array(data)
    }
}

extension DecodingError {
    /// Returns the error for a name that this version does not know; the message lists the known names.
    static func unknown(_ name: String, accepted: [String], at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            Context(
                codingPath: path, debugDescription: "\"\(name)\" is not one of \(accepted.joined(separator: ", "))"))
    }
}

extension Decoder {
    /// Decodes a value of an enumeration from its name.
    func decodeName<Value: RawRepresentable<String> & CaseIterable>() throws -> Value {
        let name = try singleValueContainer().decode(String.self)
        if let value = Value(rawValue: name) { return value }
        throw DecodingError.unknown(name, accepted: Value.allCases.map(\.rawValue), at: codingPath)
    }
}

/// A decoder that notes, in a ``FieldReport``, the fields that the types do not ask for. It asks another decoder for
/// everything.
struct StrictDecoder: Decoder {
    private let base: any Decoder
    private let report: FieldReport

    init(_ base: any Decoder, _ report: FieldReport) {
        self.base = base
        self.report = report
    }

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let present = try base.container(keyedBy: AnyField.self).allKeys
        let object = report.add(
            path: codingPath, unknown: present.map(\.stringValue).filter { Key(stringValue: $0) == nil })
        return KeyedDecodingContainer(
            StrictObject(base: try base.container(keyedBy: type), report: report, object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        StrictArray(base: try base.unkeyedContainer(), report: report)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        StrictValue(base: try base.singleValueContainer(), decoder: self)
    }

    /// Every field there is.
    private struct AnyField: CodingKey {
        var stringValue: String
        var intValue: Int?
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// An object. What is not a value of JSON's own is decoded through a ``StrictDecoder`` again.
private struct StrictObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let report: FieldReport
    let object: Int

    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool {
        report.asked(key, of: object)
        return base.contains(key)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        report.asked(key, of: object)
        guard try base.decodeNil(forKey: key) else { return false }
        // A field without a value is left out: only one way of saying a thing.
        throw DecodingError.valueNotFound(Key.self, .init(codingPath: codingPath + [key], debugDescription: "null"))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        report.asked(key, of: object)
        guard base.contains(key) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
        }
        if try base.decodeNil(forKey: key) {
            throw DecodingError.valueNotFound(type, .init(codingPath: codingPath + [key], debugDescription: "null"))
        }
        return try Value(from: StrictDecoder(base.superDecoder(forKey: key), report))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        report.asked(key, of: object)
        return try StrictDecoder(base.superDecoder(forKey: key), report).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        report.asked(key, of: object)
        return try StrictDecoder(base.superDecoder(forKey: key), report).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { StrictDecoder(try base.superDecoder(), report) }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        report.asked(key, of: object)
        return StrictDecoder(try base.superDecoder(forKey: key), report)
    }
}

/// An array.
private struct StrictArray: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let report: FieldReport

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Value(from: superDecoder())
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try superDecoder().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { StrictDecoder(try base.superDecoder(), report) }
}

/// A value of JSON's own, or another that the type is made of.
private struct StrictValue: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let decoder: StrictDecoder

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode(_ type: Bool.Type) throws -> Bool { try base.decode(type) }
    func decode(_ type: String.Type) throws -> String { try base.decode(type) }
    func decode(_ type: Double.Type) throws -> Double { try base.decode(type) }
    func decode(_ type: Float.Type) throws -> Float { try base.decode(type) }
    func decode(_ type: Int.Type) throws -> Int { try base.decode(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try base.decode(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try base.decode(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try base.decode(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try base.decode(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try base.decode(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try base.decode(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try base.decode(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try base.decode(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try base.decode(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: decoder) }
}

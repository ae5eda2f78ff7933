/// Decodes a value of JSON. With a ``FieldReport``, it notes there the fields that the types do not ask for, and takes
/// `null` for an error; without one, it passes over both.
final class JSONValueDecoder: Decoder {
    private let value: JSONValue
    private let report: FieldReport?
    /// Where the value is: the path of what it is in, and its own key there.
    private let parent: [any CodingKey]
    private let key: (any CodingKey)?

    // Only containers and errors need it.
    private(set) lazy var codingPath = key.map { parent + [$0] } ?? parent
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: JSONValue, report: FieldReport?, in parent: [any CodingKey] = [], at key: (any CodingKey)? = nil) {
        self.value = value
        self.report = report
        self.parent = parent
        self.key = key
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: Any].self) }
        var object = ObjectContainer<Key>(members: members, codingPath: codingPath, report: report)
        if let report, members.keys.contains(where: { Key(stringValue: $0) == nil }) {
            let unknown = members.keys.filter { Key(stringValue: $0) == nil }
            object.isReported = report.add(path: codingPath, unknown: unknown)
        }
        return KeyedDecodingContainer(object)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([Any].self) }
        return ArrayContainer(elements: elements, codingPath: codingPath, report: report)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    fileprivate func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "it is not a \(type)")
        return if case .null = value { .valueNotFound(type, context) } else { .typeMismatch(type, context) }
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { if case .null = value { true } else { false } }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let bool) = value else { throw mismatch(type) }
        return bool
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = value else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard case .number(let text) = value, let number = Double(text), number.isFinite else { throw mismatch(type) }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    /// A whole number may be written with a fraction of 0 or an exponent, such as `3.0`.
    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        guard case .number(let text) = value,
            let number = Number(text) ?? Double(text).flatMap({ Number(exactly: $0) })
        else { throw mismatch(type) }
        return number
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}

/// An object.
private struct ObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]
    let report: FieldReport?
    /// Whether the report notes what is asked of this object.
    var isReported = false

    var allKeys: [Key] { members.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { member(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard case .null? = member(key) else { return false }
        guard report != nil else { return true }
        // Strictly, a field without a value is left out: each meaning has one form.
        throw DecodingError.valueNotFound(Key.self, .init(codingPath: codingPath + [key], debugDescription: "null"))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        if case .string(let text)? = member(key) { text } else { try decoder(forKey: key).decode(type) }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder(forKey: key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder(forKey: key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { JSONValueDecoder(.object(members), report: report) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(forKey: key) }

    private func member(_ key: Key) -> JSONValue? {
        if isReported { report?.asked(key) }
        return members[key.stringValue]
    }

    private func decoder(forKey key: Key) throws -> JSONValueDecoder {
        guard let member = member(key) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "it is missing"))
        }
        return JSONValueDecoder(member, report: report, in: codingPath, at: key)
    }
}

/// An array.
private struct ArrayContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    let report: FieldReport?
    var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try decoder().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try decoder().decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try superDecoder().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        let element = try decoder()
        currentIndex += 1
        return element
    }

    /// Of the next element.
    private func decoder() throws -> JSONValueDecoder {
        let index = Index(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath: codingPath + [index], debugDescription: "the array ends before"))
        }
        return JSONValueDecoder(elements[currentIndex], report: report, in: codingPath, at: index)
    }

    /// The place of an element.
    private struct Index: CodingKey {
        let intValue: Int?
        var stringValue: String { "\(intValue ?? 0)" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }
}

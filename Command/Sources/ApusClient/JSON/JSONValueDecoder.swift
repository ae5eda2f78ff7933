/// Decodes a value of JSON.
///
/// With a ``FieldReport``, the decoder records in the report the fields that the types do not ask for, and refuses
/// `null`. Without a report, it accepts such fields and `null`.
final class JSONValueDecoder: Decoder {
    private let value: JSONValue
    private let report: FieldReport?
    /// The coding path of the enclosing container; ``key`` is the value's key in it.
    private let parent: [any CodingKey]
    private let key: (any CodingKey)?

    // The path is lazy, because only containers and errors need it.
    private(set) lazy var codingPath = key.map { parent + [$0] } ?? parent
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: JSONValue, report: FieldReport?, in parent: [any CodingKey] = [], at key: (any CodingKey)? = nil) {
        self.value = value
        self.report = report
        self.parent = parent
        self.key = key
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: Any].self, "a JSON object") }
        var object = ObjectContainer<Key>(members: members, codingPath: codingPath, report: report)
        if let report, members.keys.contains(where: { Key(stringValue: $0) == nil }) {
            let unknown = members.keys.filter { Key(stringValue: $0) == nil }
            object.isReported = report.add(path: codingPath, unknown: unknown)
        }
        return KeyedDecodingContainer(object)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([Any].self, "an array") }
        return ArrayContainer(elements: elements, codingPath: codingPath, report: report)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "must be \(expected), not \(value.kind)")
        return if case .null = value { .valueNotFound(type, context) } else { .typeMismatch(type, context) }
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { if case .null = value { true } else { false } }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let bool) = value else { throw mismatch(type, "true or false") }
        return bool
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = value else { throw mismatch(type, "a string") }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard case .number(let text) = value, let number = Double(text), number.isFinite else {
            throw mismatch(type, "a number")
        }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    /// Decodes a whole number, which may be written with a fraction of 0 or an exponent, such as `3.0`.
    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        guard case .number(let text) = value,
            let number = Number(text) ?? Double(text).flatMap({ Number(exactly: $0) })
        else { throw mismatch(type, "a whole number") }
        return number
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do { return try Value(from: self) } catch DecodingError.dataCorrupted(let context) {
            // The standard library's message about an unknown raw value names the Swift type, but not the accepted
            // values.
            guard let named = type as? any (CaseIterable & RawRepresentable).Type else {
                throw DecodingError.dataCorrupted(context)
            }
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "must be one of \(Self.names(of: named))"))
        }
    }

    private static func names<Names: CaseIterable & RawRepresentable>(of type: Names.Type) -> String {
        type.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
    }
}

private struct ObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]
    let report: FieldReport?
    /// Whether the fields that are asked for are recorded in the report.
    var isReported = false

    var allKeys: [Key] { members.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { member(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard case .null? = member(key) else { return false }
        guard report != nil else { return true }
        // With a report, a field without a value must be left out, so that there is only one way to write it.
        throw DecodingError.valueNotFound(
            Key.self, .init(codingPath: codingPath + [key], debugDescription: "must not be null; leave it out"))
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
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "is missing"))
        }
        return JSONValueDecoder(member, report: report, in: codingPath, at: key)
    }
}

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

    /// Returns a decoder for the next element.
    private func decoder() throws -> JSONValueDecoder {
        let index = JSONKey.element(currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath: codingPath + [index], debugDescription: "is missing"))
        }
        return JSONValueDecoder(elements[currentIndex], report: report, in: codingPath, at: index)
    }
}

/// The key of a value in an object or an array.
enum JSONKey: CodingKey {
    case member(String)
    case element(Int)

    init?(stringValue: String) { self = .member(stringValue) }
    init?(intValue: Int) { self = .element(intValue) }

    var stringValue: String {
        switch self {
        case .member(let name): name
        case .element(let index): "\(index)"
        }
    }

    var intValue: Int? {
        switch self {
        case .member: nil
        case .element(let index): index
        }
    }
}

extension [any CodingKey] {
    /// The path as text, such as `jobs[0].submission`.
    var fieldPath: String {
        reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue.prefix(100)
            }
        }
    }
}

extension DecodingError {
    /// The field's path and its problem, such as `jobs[0].submission: is missing`.
    package var fieldProblem: String {
        let (path, problem): ([any CodingKey], String)
        switch self {
        case .keyNotFound(let key, let context):
            (path, problem) = (context.codingPath + [key], context.debugDescription)
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            (path, problem) = (context.codingPath, context.debugDescription)
        @unknown default: return "\(self)"
        }
        return path.isEmpty ? "the document \(problem)" : "\(path.fieldPath): \(problem)"
    }
}

/// Writes values as `JSONEncoder` does with sorted keys and without escaped slashes, but in half the time.
package enum JSONText {
    /// Returns the JSON of a value in UTF-8.
    ///
    /// The members of objects are in the order of their names, so equal values have equal texts. With `isPretty`, each
    /// member and element is on an indented line of its own.
    ///
    /// - Throws: the errors of the value, and `EncodingError` for a number that is not finite.
    package static func bytes(of value: some Encodable, isPretty: Bool = false) throws -> [UInt8] {
        let encoder = JSONTextEncoder(in: [], at: nil)
        try value.encode(to: encoder)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        encoder.write(to: &bytes, depth: isPretty ? 0 : nil)
        return bytes
    }

    fileprivate static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: bytes += #"\b"#.utf8
            case 0x09: bytes += #"\t"#.utf8
            case 0x0A: bytes += #"\n"#.utf8
            case 0x0C: bytes += #"\f"#.utf8
            case 0x0D: bytes += #"\r"#.utf8
            case 0..<0x10: bytes += "\\u000\(String(byte, radix: 16))".utf8
            case 0x10..<0x20: bytes += "\\u00\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// Collects what one value encodes.
///
/// The containers store their elements in this object, so a value may use several of them, in any order.
private final class JSONTextEncoder: Encoder {
    enum Part {
        case string(String)
        /// The JSON of a number, `true`, `false` or `null`.
        case literal(String)
        case nested(JSONTextEncoder)
    }

    private enum Content {
        case single(Part)
        case array([Part])
        case object([(name: String, part: Part)])
    }

    private let parent: [any CodingKey]
    private let key: (any CodingKey)?
    private(set) lazy var codingPath = key.map { parent + [$0] } ?? parent
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// The parts that were encoded so far; a value that encodes nothing is an empty object.
    private var content = Content.object([])

    /// Creates the encoder of one value.
    ///
    /// - Parameters:
    ///   - parent: the coding path of the enclosing container.
    ///   - key: the key of the value in that container, if it has one.
    init(in parent: [any CodingKey], at key: (any CodingKey)?) {
        self.parent = parent
        self.key = key
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ObjectContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = content {} else { content = .array([]) }
        return ArrayContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { ValueContainer(encoder: self) }

    var count: Int { if case .array(let parts) = content { parts.count } else { 0 } }

    func set(_ part: Part) { content = .single(part) }

    func append(_ part: Part) {
        guard case .array(var parts) = content else { preconditionFailure("an array's container makes an array first") }
        // The enumeration gives up its reference to the array, so that the array is not copied when it grows.
        content = .array([])
        parts.append(part)
        content = .array(parts)
    }

    func add(_ part: Part, named name: String) {
        guard case .object(var members) = content else { preconditionFailure("one value encodes into one container") }
        content = .object([])
        members.append((name, part))
        content = .object(members)
    }

    /// Returns the encoded form of a value.
    func part(of value: some Encodable, at key: (any CodingKey)? = nil) throws -> Part {
        let encoder = JSONTextEncoder(in: codingPath, at: key)
        try value.encode(to: encoder)
        return if case .single(let part) = encoder.content { part } else { .nested(encoder) }
    }

    func part(of number: some BinaryFloatingPoint & CustomStringConvertible) throws -> Part {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: codingPath, debugDescription: "JSON has no number \(number)"))
        }
        return .literal(number.description)
    }

    /// Appends the JSON, indented by `depth`, or on one line if `depth` is `nil`.
    func write(to bytes: inout [UInt8], depth: Int?) {
        let inner = depth.map { $0 + 1 }
        switch content {
        case .single(let part):
            Self.write(part, to: &bytes, depth: depth)
        case .array(let parts):
            bytes.append(UInt8(ascii: "["))
            for (index, part) in parts.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.beginLine(in: &bytes, depth: inner)
                Self.write(part, to: &bytes, depth: inner)
            }
            if parts.isEmpty { Self.beginLine(in: &bytes, depth: depth.map { _ in 0 }) }
            Self.beginLine(in: &bytes, depth: depth)
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.name < $1.name }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.beginLine(in: &bytes, depth: inner)
                JSONText.write(member.name, to: &bytes)
                bytes += (depth == nil ? ":" : " : ").utf8
                Self.write(member.part, to: &bytes, depth: inner)
            }
            if members.isEmpty { Self.beginLine(in: &bytes, depth: depth.map { _ in 0 }) }
            Self.beginLine(in: &bytes, depth: depth)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func beginLine(in bytes: inout [UInt8], depth: Int?) {
        guard let depth else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: 2 * depth)
    }

    private static func write(_ part: Part, to bytes: inout [UInt8], depth: Int?) {
        switch part {
        case .string(let text): JSONText.write(text, to: &bytes)
        case .literal(let text): bytes += text.utf8
        case .nested(let encoder): encoder.write(to: &bytes, depth: depth)
        }
    }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONTextEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { encoder.add(.literal("null"), named: key.stringValue) }

    func encode(_ value: String, forKey key: Key) { encoder.add(.string(value), named: key.stringValue) }

    func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) {
        encoder.add(.literal(String(value)), named: key.stringValue)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        encoder.add(try encoder.part(of: value, at: key), named: key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { nested(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { nested(SuperKey()) }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    private func nested(_ key: any CodingKey) -> JSONTextEncoder {
        let inner = JSONTextEncoder(in: codingPath, at: key)
        encoder.add(.nested(inner), named: key.stringValue)
        return inner
    }

    /// The key under which a class encodes its superclass.
    private struct SuperKey: CodingKey {
        var stringValue: String { "super" }
        var intValue: Int? { nil }
        init() {}
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let encoder: JSONTextEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.count }

    func encodeNil() { encoder.append(.literal("null")) }
    func encode(_ value: String) { encoder.append(.string(value)) }
    func encode(_ value: some FixedWidthInteger & Encodable) { encoder.append(.literal(String(value))) }
    func encode(_ value: some Encodable) throws { encoder.append(try encoder.part(of: value)) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }

    private func nested() -> JSONTextEncoder {
        let inner = JSONTextEncoder(in: codingPath, at: nil)
        encoder.append(.nested(inner))
        return inner
    }
}

private struct ValueContainer: SingleValueEncodingContainer {
    let encoder: JSONTextEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.set(.literal("null")) }
    func encode(_ value: Bool) { encoder.set(.literal(value ? "true" : "false")) }
    func encode(_ value: String) { encoder.set(.string(value)) }
    func encode(_ value: Double) throws { encoder.set(try encoder.part(of: value)) }
    func encode(_ value: Float) throws { encoder.set(try encoder.part(of: value)) }
    func encode(_ value: some FixedWidthInteger & Encodable) { encoder.set(.literal(String(value))) }
    func encode(_ value: some Encodable) throws { encoder.set(try encoder.part(of: value)) }
}

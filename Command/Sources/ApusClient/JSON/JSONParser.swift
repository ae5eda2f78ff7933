/// A JSON value (RFC 8259).
enum JSONValue {
    case null
    case bool(Bool)
    /// The number as it is written in the document.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue {
    /// The value's type in the words of JSON, or the value itself if it is a number, a Boolean or `null`.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let text): String(text.prefix(40))
        case .string: "a string"
        case .array: "an array"
        case .object: "a JSON object"
        }
    }
}

/// Parses a JSON document (RFC 8259), and refuses an object with two members of the same name.
///
/// Decoders silently take one of the two members, and another program that reads the document may take the other one.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    /// The keys of the members and elements that are being read, outermost first.
    private var path: [JSONKey] = []
    private var depth = 0

    /// The maximum depth of a document, which keeps the recursion from exhausting the stack.
    private static let mostDepth = 512

    /// Returns the value of a document.
    ///
    /// - Throws: ``DaemonError`` with `invalid`: for a duplicate member, with its path, and for text that is not JSON,
    ///   with the line and the column.
    static func parse(_ bytes: some Sequence<UInt8>) throws(DaemonError) -> JSONValue {
        var parser = JSONParser(bytes: Array(bytes))
        // A byte order mark may be ignored (RFC 8259, 8.1).
        if parser.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        let value = try parser.value()
        guard parser.next == nil else { throw parser.notJSON }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var notJSON: DaemonError {
        let before = bytes.prefix(position)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
        let problem =
            position == bytes.count
            ? "the JSON is incomplete" : "it is not JSON (which has no comments, and no comma after the last member)"
        return DaemonError(.invalid, "line \(line), column \(column): \(problem)")
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Consumes the next byte if it is `byte`, and returns whether it was.
    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ text: StaticString) throws(DaemonError) {
        for byte in UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount) {
            guard next == byte else { throw notJSON }
            position += 1
        }
    }

    // MARK: Values

    /// Reads the next value and the space around it.
    private mutating func value() throws(DaemonError) -> JSONValue {
        skipSpace()
        defer { skipSpace() }
        switch next {
        case UInt8(ascii: "{"): return .object(try members())
        case UInt8(ascii: "["): return .array(try elements())
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "t"):
            try expect("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try expect("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try expect("null")
            return .null
        default: return .number(try number())
        }
    }

    private mutating func members() throws(DaemonError) -> [String: JSONValue] {
        try goDeeper()
        defer { depth -= 1 }
        var members: [String: JSONValue] = [:]
        skipSpace()
        guard !take("}") else { return members }
        repeat {
            skipSpace()
            let name = try text()
            path.append(.member(name))
            skipSpace()
            try expect(":")
            if members.updateValue(try value(), forKey: name) != nil {
                throw DaemonError(
                    .invalid, "\((path as [any CodingKey]).fieldPath): the field is given twice; give it once")
            }
            path.removeLast()
        } while take(",")
        try expect("}")
        return members
    }

    private mutating func elements() throws(DaemonError) -> [JSONValue] {
        try goDeeper()
        defer { depth -= 1 }
        var elements: [JSONValue] = []
        skipSpace()
        guard !take("]") else { return elements }
        repeat {
            path.append(.element(elements.count))
            elements.append(try value())
            path.removeLast()
        } while take(",")
        try expect("]")
        return elements
    }

    /// Consumes the opening bracket of an object or an array, and refuses a document that is too deep.
    private mutating func goDeeper() throws(DaemonError) {
        guard depth < Self.mostDepth else { throw notJSON }
        depth += 1
        position += 1
    }

    private mutating func number() throws(DaemonError) -> String {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(DaemonError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw notJSON }
    }

    // MARK: Texts

    private mutating func text() throws(DaemonError) -> String {
        try expect("\"")
        var unescaped: [UInt8] = []
        var start = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = bytes[start..<position]
                position += 1
                let all = unescaped.isEmpty ? rest : unescaped[...] + rest
                guard let text = String(validating: all, as: UTF8.self) else { throw notJSON }
                return text
            case UInt8(ascii: "\\"):
                unescaped += bytes[start..<position]
                position += 1
                unescaped += UTF8.encode(try escape())!
                start = position
            case 0..<0x20:
                throw notJSON
            default:
                position += 1
            }
        }
        throw notJSON
    }

    /// Reads an escape sequence after its backslash, and returns its character.
    private mutating func escape() throws(DaemonError) -> Unicode.Scalar {
        guard let byte = next else { throw notJSON }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar()
        default: throw notJSON
        }
    }

    /// Reads the digits of `\u0041`, or both halves of `\uD83D\uDC1D`, and returns the character.
    private mutating func escapedScalar() throws(DaemonError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        try expect("\\u")
        let second = try codeUnit()
        guard UTF16.isLeadSurrogate(first), UTF16.isTrailSurrogate(second) else { throw notJSON }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func codeUnit() throws(DaemonError) -> UInt16 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, let first = digits.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw notJSON }
        position += 4
        return unit
    }
}

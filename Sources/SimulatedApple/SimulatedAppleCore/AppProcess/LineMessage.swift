import Foundation

/// A message that is a line.
protocol LineMessage {
    func write(to line: inout LineWriter)
    /// Nil when the line is none of these messages.
    init?(_ line: inout LineReader)
}

/// Writes the words of a line, with spaces between them.
struct LineWriter {
    private(set) var bytes: [UInt8] = []

    mutating func begin(_ kind: Unicode.Scalar) { bytes.append(UInt8(ascii: kind)) }

    mutating func add(_ number: some FixedWidthInteger) {
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: "\(number)".utf8)
    }

    /// JSON, as the last word: as the encoder writes it, it has no line ends.
    mutating func add(_ json: Data) {
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: json)
    }

    mutating func add(json value: some Encodable) {
        guard let json = try? JSONEncoder().encode(value) else {
            preconditionFailure("a part of a message between a device and an app cannot be written as JSON")
        }
        add(json)
    }
}

/// Reads the words of a line.
struct LineReader {
    let kind: Unicode.Scalar
    private var left: ArraySlice<UInt8>

    init(_ line: ArraySlice<UInt8>) {
        kind = line.first.map { Unicode.Scalar($0) } ?? "\n"
        // Without the letter and the space after it.
        left = line.dropFirst(2)
    }

    var isAtEnd: Bool { left.isEmpty }

    /// The next word; nil when it is not a number.
    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let word = left.prefix { $0 != UInt8(ascii: " ") }
        left = left.dropFirst(word.count + 1)
        return Number(String(decoding: word, as: UTF8.self))
    }

    /// What is left.
    var rest: Data { Data(left) }

    /// What is left; nil when it is not JSON of such a value.
    func json<Value: Decodable>(_ type: Value.Type) -> Value? { try? JSONDecoder().decode(type, from: rest) }
}

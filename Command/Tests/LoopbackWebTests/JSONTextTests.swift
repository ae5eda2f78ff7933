import ApusJSON
import Foundation
import LoopbackWeb
import Testing

@Suite("Values as JSON")
struct JSONTextTests {
    private struct Everything: Codable, Equatable {
        enum Word: String, Codable { case one }
        struct Inner: Codable, Equatable {
            var z = [[1, 2], [], [-3]]
            var a: [String: Int] = ["b": 1, "B": 2, "a10": 3, "a9": 4, "é": 5, "": 6]
        }
        var text = "plain"
        var word = Word.one
        var inner = Inner()
        var inners = [Inner(), Inner()]
        var absent: Int?
        var flags = [true, false]
        var least = Int64.min
        var most = UInt64.max
        var small: Int8 = -7
        var half = 0.5
        var tiny: Float = 0.25
        var nothing: [String: String] = [:]
        var optionals: [Int?] = [1, nil]
    }

    private func reference(_ value: some Encodable, isPretty: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONText.bytes(of: value), as: UTF8.self)
    }

    @Test("a value is written as JSONEncoder writes it, with sorted names")
    func everything() throws {
        let value = Everything()
        #expect(try text(value) == reference(value))
        let pretty = String(decoding: try JSONText.bytes(of: value, isPretty: true), as: UTF8.self)
        #expect(try pretty == reference(value, isPretty: true))
        #expect(try JSONDecoder().decode(Everything.self, from: Data(try JSONText.bytes(of: value))) == value)
        #expect(try text(["a", "b"]) == #"["a","b"]"#)
        #expect(try text(7) == "7" && text(true) == "true" && text(String?.none) == "null" && text([Int]()) == "[]")
    }

    @Test("every character of a text, and of a name, is written as JSONEncoder writes it")
    func texts() throws {
        let all = (0..<0x300).compactMap(Unicode.Scalar.init).map(String.init) + ["🐝", "\u{2028}", "e\u{301}", "\r\n"]
        for text in all { #expect(try self.text([text: text]) == reference([text: text])) }
        #expect(try text(all.joined()) == reference(all.joined()))
    }

    /// Encodes through every kind of container that an `Encoder` has.
    private struct ByHand: Encodable {
        enum Key: String, CodingKey { case object, array, other }
        func encode(to encoder: any Encoder) throws {
            var root = encoder.container(keyedBy: Key.self)
            var array = root.nestedUnkeyedContainer(forKey: .array)
            var object = root.nestedContainer(keyedBy: Key.self, forKey: .object)
            // The containers are used alternately: each must stay usable for as long as it is retained.
            try array.encode(1)
            try object.encode("a", forKey: .other)
            try array.encodeNil()
            var inner = array.nestedContainer(keyedBy: Key.self)
            try object.encodeNil(forKey: .array)
            try inner.encode(2, forKey: .other)
            var innermost = array.nestedUnkeyedContainer()
            try innermost.encode("b")
            try "c".encode(to: root.superEncoder(forKey: .other))
            try "d".encode(to: root.superEncoder())
            try "e".encode(to: array.superEncoder())
            #expect(array.count == 5)
        }
    }

    @Test("nested containers are written where they were created, whenever they are filled")
    func containers() throws { #expect(try text(ByHand()) == reference(ByHand())) }

    @Test("a number that is not finite is refused with its path")
    func notFinite() throws {
        let error = #expect(throws: EncodingError.self) { try JSONText.bytes(of: ["a": ["b": Double.infinity]]) }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "b"])
    }
}

import ApusTimers
import Foundation
import Testing

@testable import ApusClient

@Suite("Documents of JSON")
struct JSONParserTests {
    /// Returns the document in a comparable form; `nil` if it is refused.
    private func parsed(_ bytes: some Sequence<UInt8>) -> NSObject? {
        guard let value = try? JSONParser.parse(bytes) else { return nil }
        return object(value)
    }

    private func object(_ value: JSONValue) -> NSObject {
        switch value {
        case .null: NSNull()
        case .bool(let bool): NSNumber(value: bool)
        case .number(let text): NSNumber(value: Double(text) ?? .nan)
        case .string(let text): text as NSString
        case .array(let elements): elements.map(object) as NSArray
        case .object(let members): members.mapValues(object) as NSDictionary
        }
    }

    private func reference(_ bytes: some Sequence<UInt8>) -> NSObject? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) as? NSObject
    }

    @Test(
        "a valid document is read as JSONSerialization reads it",
        arguments: [
            "{}", "[]", " [ ] ", "\t{ \"a\" : 1 , \"b\" : [ true , false , null ] }\r\n", "0", "-0", "-12.50e+3", "1E2",
            "1e-2", "9007199254740993", #""""#, #""a\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\uD83D\uDC1D\ud83d\udc1d""#,
            #""é🐝\#u{7f}""#, #"{"":{"":[{}]}}"#, #"[1,[2,[3,{"a":[]}]]]"#,
        ])
    func accepted(text: String) throws {
        #expect(parsed(text.utf8) == reference(text.utf8))
        #expect(parsed(text.utf8) != nil)
        #expect(parsed([0xEF, 0xBB, 0xBF] + text.utf8) == parsed(text.utf8), "a byte order mark is passed over")
    }

    @Test(
        "an invalid document is refused",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{,}", #"{"a"}"#, #"{"a":}"#,
            #"{"a":1,}"#, #"{"a" 1}"#, "{a:1}", #"{1:2}"#, "nul", "nulll", "True", "+1", "01", "-", "1.", ".5", "1e",
            "1e+", "0x10",
            "NaN", "Infinity", "1 2", #"""#, #""a"#, #""\"#, #""\x""#, #""\u12""#, #""\u+123""#, #""\u-123""#,
            #""\u123g""#, #""\uD83D""#, #""\uD83D\u0041""#, #""\uDC1D\uD83D""#, "\"\n\"", "\"\u{0}\"", "'a'", "// a\n1",
            String(repeating: "[", count: 100_000),
        ])
    func refused(text: String) {
        let error = #expect(throws: DaemonError.self) { try JSONParser.parse(text.utf8) }
        #expect(error?.code == .invalid && error?.message.hasPrefix("line ") == true, "\(String(describing: error))")
    }

    @Test(
        "the error names the line and column at which a document becomes invalid",
        arguments: [
            ("", "line 1, column 1: the JSON is incomplete"), ("{\n  \"a\": 1", "line 2, column 9: the JSON is incom"),
            ("* * * * * true", "line 1, column 1: it is not JSON"), ("{\n\"a\": 1,\n}", "line 3, column 1: it is not"),
        ])
    func place(text: String, problem: String) {
        let error = #expect(throws: DaemonError.self) { try JSONParser.parse(text.utf8) }
        #expect(error?.message.hasPrefix(problem) == true, "\(String(describing: error))")
    }

    @Test("a text that is not UTF-8 is refused", arguments: [[0x80], [0xC3], [0xED, 0xA0, 0x80], [0xFF]] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: DaemonError.self) { try JSONParser.parse([quote] + bytes + [quote]) }
    }

    @Test("512 nested arrays are read, and 513 are refused")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(parsed(nested(512).utf8) != nil)
        #expect(parsed(nested(513).utf8) == nil)
    }

    @Test(
        "documents with random errors are refused or read as JSONSerialization reads them",
        arguments: 0..<20 as Range<UInt64>)
    func damaged(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        let whole = Array(#"{"a":[1,-2.5e3,"x\n\u00e9"],"b":{"c":null,"d":true,"é":"\\"},"e":[[],{}]}"#.utf8)
        let pieces = Array("{}[],:\"\\u0123eE+-.tfn \u{1}é".utf8)
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(bytes.count))
                let piece = pieces[Int(random.next() % UInt64(pieces.count))]
                switch random.next() % 3 {
                case 0: bytes[place] = piece
                case 1: bytes.insert(piece, at: place)
                default: bytes.remove(at: place)
                }
            }
            guard let value = parsed(bytes) else { continue }
            #expect(value == reference(bytes), "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test("unknown fields of a newer daemon are ignored, and null is no value")
    func lenient() throws {
        let page: WireJobPage = try LenientJSON.decode(from: Data(#"{"jobs":[],"next":null,"total":0}"#.utf8))
        #expect(page == WireJobPage(jobs: [], next: nil))
        #expect(throws: DecodingError.self) { try LenientJSON.decode(WireJobPage.self, from: #"{"jobs":null}"#.utf8) }
    }

    @Test(
        "a whole number may have a fraction of 0 or an exponent, and must fit",
        arguments: [("3", 3), ("3.0", 3), ("30e-1", 3), ("-2E1", -20), ("3.5", nil), ("1e30", nil), (#""3""#, nil)])
    func wholeNumbers(text: String, number: Int?) {
        #expect((try? LenientJSON.decode(from: text.utf8)) == number)
    }
}

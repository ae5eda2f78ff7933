import ApusClient
import Foundation
import Testing

@Suite("Printable text")
struct PrintableTextTests {
    static let unprintable: [Unicode.Scalar] = [
        "\u{0}", "\u{7}", "\u{8}", "\n", "\r", "\t", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{9D}", "\u{2028}",
        "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}",
    ]

    @Test("control characters, separators and bidirectional overrides are escaped", arguments: unprintable)
    func escapes(scalar: Unicode.Scalar) {
        let text = PrintableText.escaped("a\(scalar)b")
        #expect(text.hasPrefix("a\\") && text.hasSuffix("b"), "\(text)")
        #expect(!text.unicodeScalars.contains(scalar))
        #expect(PrintableText.escaped(text) == text)
    }

    @Test("letters of any script, emoji with joiners, and backslashes stay as they are")
    func keeps() {
        for text in ["tea", "Überraschung", "茶", "שלום", "👩‍👩‍👧", "a\\n", "", "e\u{301}"] {
            #expect(PrintableText.escaped(text) == text)
        }
    }

    @Test("line feeds and tabs of a text of several lines are kept, carriage returns are not")
    func lines() {
        #expect(PrintableText.escaped("a\n\tb\r\n", keeping: PrintableText.lineCharacters) == "a\n\tb\\r\n")
    }

    @Test("JSON with escaped characters means the same and has no unprintable ones")
    func json() throws {
        let value = ["name": "x\(String(String.UnicodeScalarView(Self.unprintable)))y"]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        let text = PrintableText.escapedJSON(String(decoding: try encoder.encode(value), as: UTF8.self))
        #expect(PrintableText.firstUnprintable(in: text, allowing: ["\n"]) == nil)
        #expect(try JSONDecoder().decode([String: String].self, from: Data(text.utf8)) == value)
    }
}

import ApusClient
import Testing

@Suite
struct TextLinesTests {
    @Test("a text has the same lines with LF and CRLF, including empty ones, and a final line end begins no line")
    func ends() {
        for text in ["a b\n\nc\n", "a b\r\n\r\nc\r\n", "a b\n\r\nc"] {
            #expect(Self.lines(text) == ["a b", "", "c"])
        }
        #expect(Self.lines("").isEmpty)
        #expect(Self.lines("\r\n") == [""])
    }

    @Test("a byte order mark is dropped before the first line, and is text elsewhere")
    func byteOrderMark() {
        #expect(Self.lines("\u{FEFF}a\r\n\u{FEFF}b\n") == ["a", "\u{FEFF}b"])
        #expect(Self.lines("\u{FEFF}").isEmpty)
    }

    @Test("a carriage return within a line, a combining character after its end, and invalid UTF-8 are kept")
    func bytes() {
        #expect(Self.lines("a\rb\n") == ["a\rb"])
        #expect(Self.lines("a\n\u{301}b\n") == ["a", "\u{301}b"])
        #expect([0x61, 0xFF, 0x0D, 0x0A, 0x62].textLines.map(Array.init) == [[0x61, 0xFF], [0x62]])
    }

    private static func lines(_ text: String) -> [String] {
        Array(text.utf8).textLines.map { String(decoding: $0, as: UTF8.self) }
    }
}

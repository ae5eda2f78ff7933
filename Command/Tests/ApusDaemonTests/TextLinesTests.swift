import ApusClient
import Testing

@Suite
struct TextLinesTests {
    @Test("A text has the same lines with LF and with CRLF, empty ones included, and its last end begins none")
    func ends() {
        for text in ["a b\n\nc\n", "a b\r\n\r\nc\r\n", "a b\n\r\nc"] {
            #expect(Self.lines(text) == ["a b", "", "c"])
        }
        #expect(Self.lines("").isEmpty)
        #expect(Self.lines("\r\n") == [""])
    }

    @Test("A byte order mark before the first line is no part of it; elsewhere it is text")
    func byteOrderMark() {
        #expect(Self.lines("\u{FEFF}a\r\n\u{FEFF}b\n") == ["a", "\u{FEFF}b"])
        #expect(Self.lines("\u{FEFF}").isEmpty)
    }

    @Test("A carriage return within a line, a combining character after its end, and bytes that are no UTF-8 are kept")
    func bytes() {
        #expect(Self.lines("a\rb\n") == ["a\rb"])
        #expect(Self.lines("a\n\u{301}b\n") == ["a", "\u{301}b"])
        #expect([0x61, 0xFF, 0x0D, 0x0A, 0x62].textLines.map(Array.init) == [[0x61, 0xFF], [0x62]])
    }

    private static func lines(_ text: String) -> [String] {
        Array(text.utf8).textLines.map { String(decoding: $0, as: UTF8.self) }
    }
}

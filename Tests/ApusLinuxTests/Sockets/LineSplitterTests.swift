import Testing

@testable import ApusLinux

@Suite("The splitter of lines")
struct LineSplitterTests {
    private func lines(of pieces: [String], limit: Int = 100) -> [LineSplitter.Line] {
        var splitter = LineSplitter(limit: limit)
        return pieces.flatMap { splitter.add($0.utf8) }
    }

    @Test("lines come out whole, wherever the stream is torn")
    func torn() {
        let text = "one\r\ntwö\n\n\r\nthree\n"
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            for second in cut...bytes.count {
                var splitter = LineSplitter(limit: 100)
                let lines = [bytes[..<cut], bytes[cut..<second], bytes[second...]].flatMap { splitter.add($0) }
                #expect(lines == [.text("one"), .text("twö"), .text("three")])
            }
        }
    }

    @Test("what has no end yet is no line")
    func unfinished() {
        #expect(lines(of: ["one\ntw"]) == [.text("one")])
        #expect(lines(of: ["one\ntw", "o\n"]) == [.text("one"), .text("two")])
    }

    @Test("a line of exactly the limit is taken, a longer one is reported, and the next one is whole")
    func limit() {
        #expect(lines(of: ["12345\n1234\n"], limit: 5) == [.text("12345"), .text("1234")])
        #expect(lines(of: ["12345\r\n"], limit: 5) == [.text("12345")])
        #expect(lines(of: ["123456\nok\n"], limit: 5) == [.tooLong, .text("ok")])
        #expect(lines(of: ["1234567", "89", "\nok\n"], limit: 5) == [.tooLong, .text("ok")])
        #expect(lines(of: ["12345\r6\n"], limit: 5) == [.tooLong])
    }

    @Test("a stream without line ends is not kept")
    func bounded() {
        var splitter = LineSplitter(limit: 10)
        for _ in 0..<1000 { #expect(splitter.add([UInt8](repeating: 65, count: 1000)) == []) }
        #expect(splitter.keptBytes <= 11)
        #expect(splitter.add("\nok\n".utf8) == [.tooLong, .text("ok")])
    }
}

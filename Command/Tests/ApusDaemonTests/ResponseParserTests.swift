import ApusTimers
import Testing

@testable import ApusClient

@Suite("The client reads responses, however they are cut into pieces")
struct ResponseParserTests {
    private static let counted = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nDate: x\r\n\r\nhello world"
    private static let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;name=value\r\n world\r\n0\r\nTrailer: x\r\n\r\n"
    private static let interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + counted
    private static let unended = "HTTP/1.1 200 OK\r\n\r\nhello world"
    private static let oldLines = "\nHTTP/1.1 200\nconnection: close\ncontent-length:11\n\nhello world"

    /// Parses a text in pieces of `size` bytes, followed by the connection's end.
    private func parse(
        _ text: String, inPiecesOf size: Int
    ) throws -> (head: ResponseParser.Head?, body: String, isComplete: Bool) {
        var parser = ResponseParser()
        let bytes = Array(text.utf8)
        var body: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            try parser.append(bytes[start..<min(start + size, bytes.count)])
            body += parser.takeBody()
        }
        let isComplete = parser.close()
        return (parser.head, String(decoding: body + parser.takeBody(), as: UTF8.self), isComplete)
    }

    @Test(
        "a response's body has a length, comes in chunks, or lasts until the connection's end",
        arguments: [counted, chunked, interim, unended, oldLines])
    func bodies(_ text: String) throws {
        for size in 1...text.utf8.count {
            let response = try parse(text, inPiecesOf: size)
            #expect(response.head?.status == 200)
            #expect(response.head?.closes == [Self.unended, Self.oldLines].contains(text))
            #expect(response.body == "hello world")
            #expect(response.isComplete)
        }
    }

    @Test("a response that is cut off is not complete", arguments: [counted, chunked, interim])
    func cut(_ text: String) throws {
        for length in 0..<text.utf8.count {
            #expect(
                try !parse(String(decoding: text.utf8.prefix(length), as: UTF8.self), inPiecesOf: 7).isComplete,
                "\(length) bytes of it")
        }
    }

    @Test("a response without a body ends with its head", arguments: [204, 304])
    func bodiless(_ status: Int) throws {
        let response = try parse("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\n", inPiecesOf: 9)
        #expect(response.isComplete)
        #expect(response.body.isEmpty)
    }

    @Test(
        "invalid responses are refused",
        arguments: [
            "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 2000 X\r\n\r\n", "HTTP/1.1 +20 X\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", String(repeating: "x", count: 20_000),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 101),
        ])
    func refused(_ text: String) throws {
        for size in [1, 5, text.utf8.count] {
            #expect(throws: ResponseParser.Failure.self, "in pieces of \(size)") {
                _ = try parse(text, inPiecesOf: size)
            }
        }
    }

    @Test("random bytes are refused or parsed, without a trap")
    func random() {
        let random = SeededRandom(seed: 38)
        let alphabet = Array("HTTP/1.1 200 OK\r\n\r\ncontent-length:chunked 0123456789abcdef;\r\n".utf8)
        for _ in 0..<20_000 {
            var parser = ResponseParser()
            let start = random.next().isMultiple(of: 2) ? Array("HTTP/1.1 200 OK\r\n".utf8) : []
            let bytes = start + (0..<40).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            do { try parser.append(bytes[...]) } catch {}
            _ = parser.takeBody()
            _ = parser.close()
        }
    }
}

/// A parser for the responses of a connection (HTTP/1.1, RFC 9112), which may arrive in pieces of any size.
///
/// It accepts what a daemon sends: bodies with `Content-Length`, in chunks, or up to the end of the connection. It
/// ignores trailers, and refuses `101`.
struct ResponseParser {
    /// An error that says that received bytes are not HTTP, or that a head is too long.
    struct Failure: Error, Equatable {
        var reason: String
    }

    struct Head: Equatable {
        var status: Int
        /// Whether the server closes the connection after the response.
        var closes: Bool
    }

    private enum Step {
        case head
        /// The next bytes are the rest of a body; the value is the number of bytes that have not arrived yet.
        case counted(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
        case untilClosed
        case complete
    }

    /// The maximum length of a line, in bytes, and the maximum number of lines in a head.
    private static let (longestLine, mostLines) = (16 * 1024, 100)

    private var step = Step.head
    private var line: [UInt8] = []
    private var lines: [String] = []
    /// The head, once it is complete.
    private(set) var head: Head?
    /// The part of the body that has arrived since the last call of ``takeBody()``.
    private var body: [UInt8] = []

    var isComplete: Bool { if case .complete = step { true } else { false } }
    /// Whether no byte of the response has arrived.
    var isUntouched: Bool { head == nil && lines.isEmpty && line.isEmpty }

    /// Returns the part of the body that has arrived since the last call.
    mutating func takeBody() -> [UInt8] {
        defer { body.removeAll() }
        return body
    }

    /// Parses bytes of the connection.
    ///
    /// - Throws: ``Failure``, also if there are bytes after the response, because only one response was requested.
    mutating func append(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            switch step {
            case .head: if try takeLine(&rest) { try endHeadLine() }
            case .counted(let left):
                let some = take(left, of: &rest)
                step = some == left ? .complete : .counted(left - some)
            case .chunkSize:
                if try takeLine(&rest) {
                    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
                    guard let size = Self.number(digits, radix: 16) else {
                        throw Failure(reason: "a chunk without a size")
                    }
                    line.removeAll(keepingCapacity: true)
                    step = size == 0 ? .trailers : .chunk(size)
                }
            case .chunk(let left):
                let some = take(left, of: &rest)
                step = some == left ? .chunkEnd : .chunk(left - some)
            case .chunkEnd:
                if try takeLine(&rest) {
                    guard line.isEmpty else { throw Failure(reason: "a chunk that is longer than its size") }
                    step = .chunkSize
                }
            case .trailers:
                if try takeLine(&rest) {
                    if line.isEmpty { step = .complete }
                    line.removeAll(keepingCapacity: true)
                }
            case .untilClosed: _ = take(rest.count, of: &rest)
            case .complete: throw Failure(reason: "more than one response")
            }
        }
    }

    /// Handles the end of the connection.
    ///
    /// - Returns: whether the response is complete.
    mutating func close() -> Bool {
        if case .untilClosed = step { step = .complete }
        return isComplete
    }

    /// Consumes bytes up to the end of a line.
    ///
    /// - Returns: whether ``line`` is complete; it does not contain the line end.
    private mutating func takeLine(_ rest: inout ArraySlice<UInt8>) throws(Failure) -> Bool {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        line += rest[..<(end ?? rest.endIndex)]
        rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        guard line.count <= Self.longestLine else { throw Failure(reason: "a line of more than 16 KiB") }
        guard end != nil else { return false }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return true
    }

    private mutating func take(_ count: Int, of rest: inout ArraySlice<UInt8>) -> Int {
        let some = rest.prefix(count)
        body += some
        rest = rest.dropFirst(some.count)
        return some.count
    }

    private mutating func endHeadLine() throws(Failure) {
        if !line.isEmpty {
            lines.append(String(decoding: line, as: UTF8.self))
            line.removeAll(keepingCapacity: true)
            guard lines.count <= Self.mostLines else { throw Failure(reason: "a head of more than 100 lines") }
            return
        }
        // A server may send an empty line before a response (RFC 9112, 2.2).
        guard let first = lines.first else { return }
        let parts = first.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard parts.count >= 2, first.utf8.starts(with: "HTTP/1.".utf8), let status = Self.number(parts[1], radix: 10),
            (100..<600).contains(status), status != 101
        else { throw Failure(reason: "a first line that is not of HTTP/1.1") }
        var (length, isChunked, closes): (Int?, Bool, Bool) = (nil, false, first.utf8.starts(with: "HTTP/1.0".utf8))
        for field in lines.dropFirst() {
            let parts = field.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Failure(reason: "a header without a colon") }
            let value = String(decoding: parts[1], as: UTF8.self).trimmed
            switch String(decoding: parts[0], as: UTF8.self).lowercased() {
            case "content-length":
                guard let number = Self.number(value.utf8, radix: 10), length == nil || length == number else {
                    throw Failure(reason: "a Content-Length that is not one number")
                }
                length = number
            case "transfer-encoding":
                guard value.lowercased() == "chunked" else { throw Failure(reason: "an unknown Transfer-Encoding") }
                isChunked = true
            case "connection": closes = closes || value.lowercased() == "close"
            default: break
            }
        }
        lines.removeAll()
        // After an interim response (RFC 9110, 15.2), the final one follows.
        if status < 200 { return }
        if status == 204 || status == 304 {
            step = .complete
        } else if isChunked {
            step = .chunkSize
        } else if let length {
            step = length == 0 ? .complete : .counted(length)
        } else {
            step = .untilClosed
            closes = true
        }
        head = Head(status: status, closes: closes)
    }

    private static func number(_ digits: some Collection<UInt8>, radix: Int) -> Int? {
        guard let first = digits.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"), digits.count <= 15
        else {
            return nil
        }
        return Int(String(decoding: digits, as: UTF8.self), radix: radix)
    }
}

/// A request to a daemon, without the header that names the home.
struct HTTPRequest: Sendable {
    private let line: String
    private let fields: String
    private let body: [UInt8]

    init(_ method: String, _ path: String, query: [(String, String)] = [], body: [UInt8]? = nil) {
        let query = query.map { "\($0)=\(DaemonClient.escaped($1))" }.joined(separator: "&")
        line = "\(method) \(path)\(query.isEmpty ? "" : "?")\(query) HTTP/1.1\r\n"
        if let body {
            fields = "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        } else {
            fields = method == "GET" ? "" : "Content-Length: 0\r\n"
        }
        self.body = body ?? []
    }

    func bytes(to home: HomeIdentity) -> [UInt8] {
        Array("\(line)Host: localhost\r\n\(HomeIdentity.header): \(home)\r\n\(fields)\r\n".utf8) + body
    }
}

/// The response to a request, read piece by piece.
struct Response: Sendable {
    let connection: SocketConnection
    /// The deadline for the rest of the response.
    var deadline: Deadline
    private var parser = ResponseParser()

    init(of connection: SocketConnection, deadline: Deadline) {
        self.connection = connection
        self.deadline = deadline
    }

    /// Sends the request, and returns the head of the response.
    mutating func head(of request: HTTPRequest, to home: HomeIdentity) throws -> ResponseParser.Head {
        do { try connection.send(request.bytes(to: home), deadline: deadline) } catch SocketConnection.Failure.lost(
            let code)
        {
            // A server that refuses a request may end the connection before it has read the whole request. Its answer
            // may have arrived nevertheless.
            while parser.head == nil {
                do { try receive() } catch { throw SocketConnection.Failure.lost(code) }
            }
        }
        while true {
            if let head = parser.head { return head }
            try receive()
        }
    }

    /// Returns the next piece of the body, or `nil` at its end.
    mutating func next() throws -> [UInt8]? {
        while true {
            let piece = parser.takeBody()
            if !piece.isEmpty { return piece }
            if parser.isComplete { return nil }
            try receive()
        }
    }

    private mutating func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = try connection.receive(into: &buffer, deadline: deadline)
        if count > 0 {
            try parser.append(buffer[..<count])
        } else if !parser.close() {
            throw SocketConnection.Failure.lost(0)
        }
    }
}

/// A parser for the server-sent events of the daemon, which have `event` and one line of `data`.
struct EventParser {
    private var line: [UInt8] = []
    private var name = "message"
    private var data: [UInt8] = []

    mutating func append(_ bytes: some Sequence<UInt8>) -> [DaemonClient.Event] {
        var events: [DaemonClient.Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.isEmpty {
                if !data.isEmpty { events.append(.init(name: name, data: data)) }
                (name, data) = ("message", [])
            } else if line.starts(with: "event: ".utf8) {
                name = String(decoding: line.dropFirst(7), as: UTF8.self)
            } else if line.starts(with: "data: ".utf8) {
                data.append(contentsOf: line.dropFirst(6))
            }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }
}

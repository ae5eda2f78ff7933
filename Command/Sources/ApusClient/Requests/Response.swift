/// A request to a daemon, without the home that it is for.
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
    /// Until when the rest may take.
    var deadline: Deadline
    private var parser = ResponseParser()

    init(of connection: SocketConnection, deadline: Deadline) {
        self.connection = connection
        self.deadline = deadline
    }

    /// Sends the request, and reads the head of the response.
    mutating func head(of request: HTTPRequest, to home: HomeIdentity) throws -> ResponseParser.Head {
        do { try connection.send(request.bytes(to: home), deadline: deadline) } catch SocketConnection.Failure.lost(
            let code)
        {
            // A server that refuses a request may end the connection before it has read all of it.
            while parser.head == nil {
                do { try receive() } catch { throw SocketConnection.Failure.lost(code) }
            }
        }
        while true {
            if let head = parser.head { return head }
            try receive()
        }
    }

    /// The next piece of the body; `nil` at its end.
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

import ApusJobs
import ApusTimers
import PlatformC

/// The sending and repetition of requests, and the meaning of their failures.
extension DaemonClient {
    enum Method: String {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The rule for sending a request again, over a new connection, if no answer has arrived.
    enum Repetition {
        /// The request is not repeated, because it is a change, which may have been applied.
        case never
        /// The request is a read, which is repeated if the connection was lost, but not after a time-out.
        case whenLost
        /// The request is a submission with an idempotency key, which is always repeated, because the daemon accepts it
        /// only once.
        case always
    }

    /// The maximum size of an answer's body, in bytes.
    private static let longestBody = 64 * 1024 * 1024

    /// The limit of concurrent requests.
    ///
    /// Concurrent requests are useful because submissions can then share a commit. They are limited because a caller
    /// may have more tasks than the daemon has descriptors.
    private static let places = Turnstile(limit: 64)

    func get<T: Decodable>(_ path: String, query: [(String, String)] = []) async throws -> T {
        try decode(try await send(.get, path, query: query, repeats: .whenLost))
    }

    func decode<T: Decodable>(_ bytes: [UInt8]) throws -> T { try LenientJSON.decode(from: bytes) }

    /// Sends a request and reads its whole answer.
    ///
    /// The head and the body together must arrive within `patience`, or within the client's patience if it is `nil`.
    func send(
        _ method: Method, _ path: String, query: [(String, String)] = [], body: [UInt8]? = nil,
        patience: Duration? = nil, repeats: Repetition = .never
    ) async throws -> [UInt8] {
        let request = HTTPRequest(method.rawValue, path, query: query, body: body)
        let patience = patience ?? self.patience
        return try await Self.places.pass {
            do {
                return try await answer(to: request, reusing: repeats != .never, within: patience).body
            } catch let failure as DaemonError where failure.code == .noAnswer {
                let mayRepeat =
                    switch repeats {
                    case .never: false
                    case .whenLost: failure.cause is SocketConnection.Failure
                    case .always: true
                    }
                guard mayRepeat else { throw failure }
                return try await answer(to: request, reusing: false, within: patience).body
            }
        }
    }

    /// Sends a request once.
    ///
    /// `reusing` allows a connection of an earlier request, which the daemon may be closing; a request that must not be
    /// sent twice gets a new connection.
    func answer(
        to request: HTTPRequest, reusing: Bool, within patience: Duration
    ) async throws -> (path: String, body: [UInt8]) {
        try await Blocking.call { interruption in
            let deadline = Deadline(after: patience)
            return try reach(patience) { socket, path, file, identity in
                let former = reusing ? KeptConnections.take(at: path, file) : nil
                let connection = try former ?? socket.connect(to: path, deadline: deadline)
                try interruption.use(connection)
                var response = Response(of: connection, deadline: deadline)
                let head = try response.head(of: request, to: identity)
                var body: [UInt8] = []
                while let piece = try response.next() {
                    body += piece
                    guard body.count <= Self.longestBody else {
                        throw DaemonError(.unavailable, "the daemon's answer is longer than 64 MiB")
                    }
                }
                interruption.release()
                if !head.closes { KeptConnections.keep(connection, at: path, file) }
                guard (200..<300).contains(head.status) else { throw Self.error(head.status, body) }
                return (path, body)
            }
        }
    }

    /// Sends a request and calls `body` with each piece of the answer, until `body` returns `false` or the answer ends.
    ///
    /// Each piece must arrive within `piecePatience`, counted from the end of the previous call of `body`; `nil` means
    /// no limit. `body` is first called with `nil`, when the daemon has begun to answer.
    func stream(
        _ path: String, query: [(String, String)], eachWithin piecePatience: Duration?,
        _ body: ([UInt8]?) async throws -> Bool
    ) async throws {
        let request = HTTPRequest(Method.get.rawValue, path, query: query)
        var response = try await Blocking.call { interruption in
            let deadline = Deadline(after: patience)
            return try reach(patience) { socket, path, _, identity in
                let connection = try socket.connect(to: path, deadline: deadline)
                try interruption.use(connection)
                var response = Response(of: connection, deadline: deadline)
                let head = try response.head(of: request, to: identity)
                if head.status == 200 { return response }
                var body: [UInt8] = []
                while let piece = try response.next() { body += piece }
                throw Self.error(head.status, body)
            }
        }
        guard try await body(nil) else { return }
        while true {
            let (piece, rest) = try await Blocking.call { [response] interruption in
                var response = response
                response.deadline = piecePatience.map { Deadline(after: $0) } ?? .never
                try interruption.use(response.connection)
                return try translating(home.socketPath, patience) { (try response.next(), response) }
            }
            guard let piece else { return }
            response = rest
            guard try await body(piece) else { return }
        }
    }

    private func reach<Answer>(
        _ patience: Duration,
        _ request: (DaemonSocket, _ path: String, DaemonSocket.File, HomeIdentity) throws -> Answer
    ) throws -> Answer {
        let socket = DaemonSocket(home: home)
        return try socket.reach { path, file, identity in
            try translating(path, patience) { try request(socket, path, file, identity) }
        }
    }

    /// Translates failures of the connection into errors that distinguish a missing daemon, a missing answer and a
    /// process that is no daemon.
    private func translating<Answer>(
        _ path: String, _ patience: Duration, _ body: () throws -> Answer
    ) throws -> Answer {
        do { return try body() } catch let failure as SocketConnection.Failure {
            switch failure {
            case .late:
                throw DaemonError(
                    .noAnswer, "the daemon at \(path) did not answer within \(DurationText.format(patience))")
            case .unconnected(ENOENT), .unconnected(ENOTDIR), .unconnected(ECONNREFUSED):
                throw DaemonError(.notRunning, "no daemon listens at \(path)")
            case .unconnected:
                throw DaemonError(.unavailable, "cannot connect to \(path)", cause: failure)
            case .lost:
                throw DaemonError(
                    .noAnswer, "the connection to the daemon at \(path) was lost before it answered", cause: failure)
            }
        } catch let failure as ResponseParser.Failure {
            throw DaemonError(
                .noAnswer, "the program that answers at \(path) is not a daemon: it sent \(failure.reason)")
        }
    }

    private static func error(_ status: Int, _ body: [UInt8]) -> DaemonError {
        guard let error = try? LenientJSON.decode(WireError.self, from: body) else {
            return DaemonError(.unavailable, "the daemon answered with HTTP \(status)")
        }
        return DaemonError(.named(error.error.code), error.error.message)
    }

    /// Returns a name as an escaped segment of a path.
    ///
    /// An empty name is refused, because the path would name all jobs or queues.
    ///
    /// - Throws: ``DaemonError`` with `invalid`.
    static func segment(
        _ name: String,
        _ message: String = "id: must not be empty; give an identifier, the beginning of one, or a name"
    ) throws(DaemonError) -> String {
        guard !name.isEmpty else { throw DaemonError(.invalid, message) }
        return escaped(name)
    }

    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

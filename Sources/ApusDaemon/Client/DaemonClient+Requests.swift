import ApusJobs
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How requests are sent, when they are sent again, and what their failures mean.
extension DaemonClient {
    /// Keeps connections for the next requests, which may find that the daemon has closed them. For what may be sent
    /// again.
    static let pooled = makeClient { _ in }

    /// Opens a connection for each request, so that none meets a connection that the daemon has closed before. For what must
    /// not be sent again, and for second tries.
    static let fresh = makeClient { $0.maximumUsesPerConnection = 1 }

    /// Lives as long as the process. A refused connection means that no daemon listens, so it is not tried again.
    private static func makeClient(_ change: (inout HTTPClient.Configuration) -> Void) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        // A connection to a socket of the same machine is cheap, and submissions that come at once share a commit.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        change(&configuration)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Whether a request that got no answer is sent a second time, over a new connection.
    enum Repetition {
        /// A change: it may have happened.
        case never
        /// A question: asked again when the connection was lost, which is quick to notice.
        case whenLost
        /// A submission with its idempotency key, which the daemon takes once, however often it is sent.
        case always
    }

    func get<T: Decodable>(_ path: String, query: [(String, String)] = []) async throws -> T {
        try decode(try await send(.GET, path, query: query, repeats: .whenLost))
    }

    func decode<T: Decodable>(_ buffer: ByteBuffer) throws -> T {
        try LenientJSON.decode(from: buffer.readableBytesView)
    }

    /// Sends a request and reads its whole answer; head and body have the client's patience together, unless `patience`
    /// says another one.
    func send(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], headers: [(String, String)] = [],
        body: [UInt8]? = nil, patience: Duration? = nil, repeats: Repetition = .never
    ) async throws -> ByteBuffer {
        var isRepeated = false
        let patience = patience ?? self.patience
        while true {
            let socketPath = try socket.path()
            do {
                return try await answer(
                    to: Self.request(
                        method, path, query: query, headers: headers, body: body, socketPath: socketPath),
                    by: repeats == .never || isRepeated ? Self.fresh : Self.pooled, within: patience)
            } catch {
                let failure = try Self.meaning(of: error, socketPath: socketPath, patience: patience)
                let isLate = error is DeadlineExceeded
                let mayRepeat =
                    switch repeats {
                    case .never: false
                    case .whenLost: !isLate
                    case .always: true
                    }
                guard failure.code == .noAnswer, mayRepeat, !isRepeated else { throw failure }
                isRepeated = true
            }
        }
    }

    private func answer(
        to request: HTTPClientRequest, by client: HTTPClient, within patience: Duration
    ) async throws -> ByteBuffer {
        try await within(patience) {
            // The time limit of `execute` would cover the head of the answer only.
            let response = try await client.execute(request, deadline: .distantFuture)
            guard (200..<300).contains(response.status.code) else { throw try await Self.error(response) }
            return try await response.body.collect(upTo: 64 * 1024 * 1024)
        }
    }

    /// Opens a streamed answer, which lasts until the daemon ends it.
    func open(_ path: String, query: [(String, String)]) async throws -> HTTPClientResponse {
        let socketPath = try socket.path()
        let request = Self.request(.GET, path, query: query, body: nil, socketPath: socketPath)
        do {
            let response = try await within(patience) {
                try await Self.fresh.execute(request, deadline: .distantFuture)
            }
            guard response.status == .ok else { throw try await Self.error(response) }
            return response
        } catch {
            throw try Self.meaning(of: error, socketPath: socketPath, patience: patience)
        }
    }

    private static func request(
        _ method: HTTPMethod, _ path: String, query: [(String, String)], headers: [(String, String)] = [],
        body: [UInt8]?, socketPath: String
    ) -> HTTPClientRequest {
        var uri = path
        if !query.isEmpty { uri += "?" + query.map { "\($0)=\(escaped($1))" }.joined(separator: "&") }
        var request = HTTPClientRequest(url: "http+unix://\(escaped(socketPath))\(uri)")
        request.method = method
        request.headers.add(contentsOf: headers)
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(body)
        }
        return request
    }

    /// Distinguishes that no daemon listens, that it does not answer, and that it answered with an error.
    /// - Throws: `CancellationError` if the caller was cancelled.
    static func meaning(of error: any Error, socketPath: String, patience: Duration) throws -> DaemonError {
        switch error {
        case let answered as DaemonError: return answered
        case is CancellationError: throw error
        case is DeadlineExceeded:
            return DaemonError(
                .noAnswer, "the daemon at \(socketPath) did not answer within \(DurationText.format(patience))")
        case is SocketAddressError:
            return DaemonError(.notRunning, "no daemon can listen at \(socketPath)", cause: error)
        case let error as IOError where [ENOENT, ENOTDIR, ECONNREFUSED].contains(error.errnoCode):
            return DaemonError(.notRunning, "no daemon listens at \(socketPath)", cause: error)
        case let error as IOError where [EACCES, EPERM].contains(error.errnoCode):
            return DaemonError(
                .unavailable, "the socket \(socketPath) may not be used by this user", cause: error)
        default:
            if Task.isCancelled { throw CancellationError() }
            return DaemonError(
                .noAnswer, "the connection to the daemon at \(socketPath) was lost before it answered",
                cause: error)
        }
    }

    private static func error(_ response: HTTPClientResponse) async throws -> DaemonError {
        let body = try await response.body.collect(upTo: 1024 * 1024)
        guard let error = try? LenientJSON.decode(WireError.self, from: body.readableBytesView) else {
            return DaemonError(.unavailable, "the daemon answered HTTP \(response.status.code)")
        }
        return DaemonError(.named(error.error.code), error.error.message)
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

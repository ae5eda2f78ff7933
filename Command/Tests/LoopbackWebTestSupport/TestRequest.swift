import Foundation
public import NIOCore
public import NIOHTTP1
import NIOPosix

/// A request to a listener under test, with its own connection and without following redirects.
public struct TestRequest: Sendable {
    /// The address of a listener.
    public enum Listener: Sendable {
        /// A port of 127.0.0.1.
        case port(Int)
        /// The path of a Unix socket.
        case socket(String)
    }

    private let listener: Listener
    private let method: HTTPMethod
    private let uri: String
    private let headers: HTTPHeaders
    private let body: String?

    /// Creates a request for the path and query `uri`.
    public init(
        _ uri: String, to listener: Listener, method: HTTPMethod = .GET, headers: [(String, String)] = [],
        body: String? = nil
    ) {
        self.listener = listener
        self.method = method
        self.uri = uri
        self.headers = HTTPHeaders(headers)
        self.body = body
    }

    /// Creates a request to `http://127.0.0.1:PORT/…`.
    ///
    /// - Throws: `URLError` for another address.
    public init(
        url: String, method: HTTPMethod = .GET, headers: [(String, String)] = [], body: String? = nil
    ) throws {
        guard let parts = URLComponents(string: url), parts.host == "127.0.0.1", let port = parts.port else {
            throw URLError(.badURL)
        }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        let uri = path + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
        self.init(uri, to: .port(port), method: method, headers: headers, body: body)
    }

    /// Sends the request and waits for the head of its answer.
    ///
    /// - Returns: The answer, whose body is not read yet.
    /// - Throws: The error of the connection.
    public func open() async throws -> TestAnswer {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: false)
        let parts =
            switch listener {
            case .port(let port):
                try await bootstrap.connect(host: "127.0.0.1", port: port, channelInitializer: Parts.make)
            case .socket(let path):
                try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: Parts.make)
            }
        do {
            send(over: parts.channel)
            guard case .head(let head) = try await parts.next() else { throw ChannelError.eof }
            return TestAnswer(head, parts)
        } catch {
            parts.channel.close(promise: nil)
            throw error
        }
    }

    /// Sends the request and waits for its whole answer.
    ///
    /// - Returns: The answer, with its body as text.
    /// - Throws: The error of the connection.
    public func answer() async throws -> (status: Int, headers: HTTPHeaders, body: String) {
        let answer = try await open()
        return (answer.status, answer.headers, String(buffer: try await answer.body()))
    }

    // The body is sent without waiting, because a listener may answer and close before it has read a long body.
    private func send(over channel: any Channel) {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers)
        if !headers.contains(name: "host") {
            let host =
                switch listener {
                case .port(let port): "127.0.0.1:\(port)"
                case .socket: "localhost"
                }
            head.headers.add(name: "host", value: host)
        }
        if body != nil || method == .POST {
            head.headers.add(name: "content-length", value: "\(body?.utf8.count ?? 0)")
        }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let body { channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil) }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }
}

/// An answer whose body can be iterated once, and is read only as far as it is iterated.
///
/// The connection ends when the answer is released.
public final class TestAnswer: AsyncSequence, Sendable {
    /// A part of the body, as received.
    public typealias Element = ByteBuffer

    /// The status code, such as 200.
    public let status: Int
    /// All headers, whose names are compared without regard to case.
    public let headers: HTTPHeaders
    private let parts: Parts

    fileprivate init(_ head: HTTPResponseHead, _ parts: Parts) {
        status = Int(head.status.code)
        headers = head.headers
        self.parts = parts
    }

    deinit { parts.channel.close(promise: nil) }

    /// Reads the rest of the body.
    ///
    /// - Returns: The body.
    /// - Throws: The error of the connection, also when it ends within the body.
    public func body() async throws -> ByteBuffer {
        var body = ByteBuffer()
        for try await bytes in self { body.writeImmutableBuffer(bytes) }
        return body
    }

    /// Begins to read the body at the first unread part.
    public func makeAsyncIterator() -> Iterator { Iterator(answer: self) }

    /// Reads the body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let answer: TestAnswer

        /// Waits for the next part of the body.
        ///
        /// - Returns: The part, or `nil` at the body's end.
        /// - Throws: The error of the connection, also when it ends within the body.
        public mutating func next() async throws -> ByteBuffer? {
            guard case .body(let bytes) = try await answer.parts.next() else { return nil }
            return bytes
        }
    }
}

/// The parts of an answer; the connection is read only while a caller waits for one.
private struct Parts: Sendable {
    let channel: any Channel
    private let handler: NIOLoopBound<PartHandler>

    static func make(_ channel: any Channel) -> EventLoopFuture<Parts> {
        channel.eventLoop.makeCompletedFuture {
            let handler = PartHandler()
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(handler)
            return Parts(channel: channel, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop))
        }
    }

    /// Waits for the next part; cancelling the task ends the connection.
    func next() async throws -> HTTPClientResponsePart {
        try await withTaskCancellationHandler {
            try await channel.eventLoop.flatSubmit {
                let part = channel.eventLoop.makePromise(of: HTTPClientResponsePart.self)
                handler.value.give(part, from: channel)
                return part.futureResult
            }.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// Keeps the received parts of an answer until they are requested, and the promise of the waiting caller.
private final class PartHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var parts: CircularBuffer<HTTPClientResponsePart> = []
    private var waiting: EventLoopPromise<HTTPClientResponsePart>?
    private var failure: (any Error)?
    private var isAtEnd = false

    func give(_ promise: EventLoopPromise<HTTPClientResponsePart>, from channel: any Channel) {
        if let part = parts.popFirst() { return hand(part, to: promise) }
        if isAtEnd { return promise.succeed(.end(nil)) }
        if let failure { return promise.fail(failure) }
        precondition(waiting == nil, "an answer has one reader at a time")
        waiting = promise
        channel.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parts.append(unwrapInboundIn(data))
        guard let waiting else { return }
        self.waiting = nil
        hand(parts.removeFirst(), to: waiting)
    }

    private func hand(_ part: HTTPClientResponsePart, to promise: EventLoopPromise<HTTPClientResponsePart>) {
        if case .end = part { isAtEnd = true }
        promise.succeed(part)
    }

    // A read may have been shorter than a part, so another one is needed.
    func channelReadComplete(context: ChannelHandlerContext) {
        if waiting != nil { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { fail(ChannelError.eof) }

    private func fail(_ error: any Error) {
        failure = failure ?? error
        waiting?.fail(error)
        waiting = nil
    }
}

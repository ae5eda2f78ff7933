import ApusClient
import ApusTimers
import Foundation
import NIOCore
import NIOPosix

/// Listens where the daemon of a home would, and treats each request as the test prescribes.
final class FakeDaemon: Sendable {
    enum Behaviour: Sendable {
        /// Reads and does not answer.
        case isSilent
        /// Reads and closes the connection.
        case closes
        /// Sends the beginning of a longer answer, and then nothing.
        case answersHalf
        /// Answers 201 with a body.
        case answers(String)
        /// Answers the first request of a connection 201 with a body, and closes the connection at the next request.
        ///
        /// The next request is not read, as if the daemon had closed the connection just before.
        case answersOnce(String)
        /// Answers 200, sends a text, and leaves the answer open.
        case streams(String)
        /// Answers 200, sends a text that is only the beginning of the answer, and closes the connection.
        case breaksOff(String)
    }

    private let behaviours: [Behaviour]
    private let received = Locked<[String]>([])

    /// The bodies of the requests so far.
    var bodies: [String] { received.withLock { $0 } }

    /// Creates a daemon that applies the n-th behaviour to the n-th request, and the last one to all later requests.
    convenience init(_ behaviours: Behaviour...) { self.init(behaviours) }
    init(_ behaviours: [Behaviour]) { self.behaviours = behaviours }

    /// Serves the home's socket while `body` runs.
    func serve<Result>(_ home: Home, _ body: () async throws -> Result) async throws -> Result {
        try home.prepare()
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(self))
                }
            }
            .bind(unixDomainSocketPath: home.socketPath, cleanupExistingSocketFile: true).get()
        do {
            let result = try await body()
            try await listener.close()
            return result
        } catch {
            try await listener.close()
            throw error
        }
    }

    private func behaviour(for body: String) -> Behaviour {
        let number = received.withLock { bodies in
            bodies.append(body)
            return bodies.count
        }
        return behaviours[min(number, behaviours.count) - 1]
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        let daemon: FakeDaemon
        var text = ""
        var isAnswered = false

        init(_ daemon: FakeDaemon) { self.daemon = daemon }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if isAnswered, case .answersOnce = daemon.behaviours.last { return context.close(promise: nil) }
            text += String(buffer: unwrapInboundIn(data))
            guard let headEnd = text.firstRange(of: "\r\n\r\n") else { return }
            let lengths = text[..<headEnd.lowerBound].lowercased().split(separator: "content-length:")
            let length =
                lengths.count > 1 ? Int(lengths[1].prefix { $0 != "\r\n" }.trimmingCharacters(in: .whitespaces)) : 0
            let body = String(text[headEnd.upperBound...])
            guard body.utf8.count >= length ?? 0 else { return }
            text = ""
            switch daemon.behaviour(for: body) {
            case .isSilent: break
            case .closes: context.close(promise: nil)
            case .answersHalf: write(context, "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"half\":")
            case .answers(let answer), .answersOnce(let answer):
                isAnswered = true
                write(context, "HTTP/1.1 201 Created\r\ncontent-length: \(answer.utf8.count)\r\n\r\n\(answer)")
            case .streams(let beginning): stream(context, beginning)
            case .breaksOff(let beginning):
                stream(context, beginning)
                context.close(promise: nil)
            }
        }

        private func stream(_ context: ChannelHandlerContext, _ beginning: String) {
            write(context, "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n\(beginning)")
        }

        private func write(_ context: ChannelHandlerContext, _ text: String) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }
}

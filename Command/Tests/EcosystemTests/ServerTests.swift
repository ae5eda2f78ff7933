import ApusTestTraits
import ApusTimers
import ApusVirtualTime
import NIOCore
import NIOPosix
import Testing

/// A server without knowledge of Apus that closes connections after five minutes without input.
private struct EchoServer {
    static func start(on group: any EventLoopGroup, closings: Closings) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.closeFuture.whenComplete { _ in
                    closings.instants.withLock { $0.append(SystemTime().continuous()) }
                }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        IdleStateHandler(readTimeout: .minutes(5)), CloseWhenIdle(), Echo())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}

private final class Closings: Sendable {
    let instants = Locked<[ContinuousInstant]>([])
}

private final class CloseWhenIdle: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
    }
}

private final class Echo: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(data, promise: nil)
    }
}

private final class Received: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    let bytes = Locked(0)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes.withLock { $0 += unwrapInboundIn(data).readableBytes }
    }
}

@Suite("A server of SwiftNIO under the process clock")
struct ServerTests {
    @Test("an idle connection is closed after five minutes, and not before", .virtualClock(.stepped))
    func idleConnection() async throws {
        let closings = Closings()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await EchoServer.start(on: group, closings: closings)
        let received = Received()
        let client = try await ClientBootstrap(group: group)
            .channelInitializer { $0.pipeline.addHandler(received) }
            .connect(to: try #require(server.localAddress)).get()

        try await ProcessClock.advance(by: .seconds(240))
        #expect(closings.instants.withLock { $0 } == [])
        try await client.writeAndFlush(ByteBuffer(string: "still here"))
        try await ProcessClock.settle()
        #expect(received.bytes.withLock { $0 } == 10)
        let lastRead = SystemTime().continuous()

        try await ProcessClock.advance(by: .seconds(299))
        #expect(closings.instants.withLock { $0 } == [])
        try await ProcessClock.advance(by: .seconds(1))
        #expect(closings.instants.withLock { $0 } == [lastRead.advanced(by: .seconds(300))])
        try await group.shutdownGracefully()
    }
}

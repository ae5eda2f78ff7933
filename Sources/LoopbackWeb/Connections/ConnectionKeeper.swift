import ApusTimers
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Keeps one connection to its ``ConnectionLimits``, and puts the headers on its answers. On the connection's event
/// loop only, but for the timeouts, which do nothing but close.
final class ConnectionKeeper: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    private let headers: HTTPFields
    private let engine: TimerEngine
    private var machine = ConnectionMachine()
    private var bodyTimeout: ScheduledTimer?
    private var stallTimeout: ScheduledTimer?
    private var lingerTimeout: ScheduledTimer?

    /// How long a client has to notice that it need not send the rest. Closed at once, the kernel would take back the
    /// answer (RFC 9112, 9.6).
    private static let linger: Duration = .seconds(2)

    init(limits: ConnectionLimits, headers: HTTPFields, engine: TimerEngine) {
        self.limits = limits
        self.headers = headers
        self.engine = engine
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            machine.requestBegan()
            bodyTimeout = closing(context.channel, after: limits.body)
        case .body:
            break
        case .end:
            machine.requestEnded()
            bodyTimeout?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            for field in headers where head.headerFields[field.name] == nil { head.headerFields.append(field) }
            if machine.answerBegins(asksToClose: head.headerFields[.connection] == "close") {
                head.headerFields[.connection] = "close"
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            guard machine.answerEnds() else { return }
            context.flush()
            bodyTimeout?.cancel()
            context.close(mode: .output, promise: nil)
            lingerTimeout = closing(context.channel, after: Self.linger)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stallTimeout?.cancel()
        stallTimeout = context.channel.isWritable ? nil : closing(context.channel, after: limits.stall)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelTimeouts()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancelTimeouts() }

    private func cancelTimeouts() {
        for timeout in [bodyTimeout, stallTimeout, lingerTimeout] { timeout?.cancel() }
    }

    private func closing(_ channel: any Channel, after duration: Duration) -> ScheduledTimer {
        engine.schedule(after: duration, tolerance: .seconds(1)) { channel.close(promise: nil) }
    }
}

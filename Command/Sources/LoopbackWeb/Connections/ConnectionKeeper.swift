import ApusTimers
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Keeps one connection to its ``ConnectionLimits``, ends it when it is over, and puts the headers on its answers. On the
/// connection's event loop only, but for the timeouts, which do nothing but close.
final class ConnectionKeeper: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: ConnectionLimits
    private let headers: HTTPFields
    private let register: ConnectionRegister?
    private let engine: TimerEngine
    private var machine = ConnectionMachine()
    private var id: ConnectionTable.ID?
    private var isAdmitted = false
    private var isHeld = false
    private var wantsToRead = false
    private var firstRequestTimeout: ScheduledTimer?
    private var bodyTimeout: ScheduledTimer?
    private var stallTimeout: ScheduledTimer?
    private var lingerTimeout: ScheduledTimer?

    /// How long a client has to notice that it need not send the rest. Closed at once, the kernel would take back the
    /// answer (RFC 9112, 9.6).
    private static let linger: Duration = .seconds(2)

    /// Without a register, there may be any number of connections.
    init(limits: ConnectionLimits, headers: HTTPFields, register: ConnectionRegister?, engine: TimerEngine) {
        self.limits = limits
        self.headers = headers
        self.register = register
        self.engine = engine
    }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        // Before anything is read: a connection that is held must not be.
        if let register {
            let opened = register.opened(context.channel)
            (id, isHeld) = (opened.id, opened.isHeld)
        }
        if !isHeld { awaitRequest(context) }
    }

    func read(context: ChannelHandlerContext) {
        if isHeld { wantsToRead = true } else { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? ConnectionEvent {
        case .admitted?:
            guard !isAdmitted else { return }
            isAdmitted = true
            firstRequestTimeout?.cancel()
            if let id { register?.admitted(id) }
        case .served?:
            isHeld = false
            awaitRequest(context)
            if wantsToRead { context.read() }
        case nil:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let isHTTP10 = head.version.major < 1 || head.version == .http1_0
            machine.requestBegan(.init(isLast: isHTTP10 || Self.closes(head.headers), isHTTP10: isHTTP10))
            firstRequestTimeout?.cancel()
            if !isAdmitted, let id { register?.requestBegan(id) }
            bodyTimeout = closing(context.channel, after: limits.body)
        case .body:
            break
        case .end:
            machine.requestEnded()
            bodyTimeout?.cancel()
        }
        context.fireChannelRead(data)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            for field in headers where !head.headers.contains(name: field.name.rawName) {
                head.headers.add(name: field.name.rawName, value: field.value)
            }
            head.headers.replaceOrAdd(name: "date", value: HTTPDate.text(engine.time.wall()))
            let beginning = machine.answerBegins(asksToClose: Self.closes(head.headers))
            if beginning.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            if beginning.isHTTP10 { head.version = .http1_0 }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            guard machine.answerEnds() else {
                if machine.isIdle { awaitRequest(context) }
                return
            }
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

    // MARK: Timeouts

    private func awaitRequest(_ context: ChannelHandlerContext) {
        guard !isAdmitted else { return }
        if let id { register?.answered(id) }
        firstRequestTimeout = closing(context.channel, after: limits.firstRequest)
    }

    private func end() {
        for timeout in [firstRequestTimeout, bodyTimeout, stallTimeout, lingerTimeout] { timeout?.cancel() }
        if let id { register?.closed(id) }
        id = nil
    }

    private func closing(_ channel: any Channel, after duration: Duration?) -> ScheduledTimer? {
        guard let duration else { return nil }
        return engine.schedule(after: duration, tolerance: .seconds(1)) { channel.close(promise: nil) }
    }

    private static func closes(_ headers: HTTPHeaders) -> Bool {
        headers[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
    }
}

/// When a connection ends with an answer: because the client or the answer says so, or because a request had not
/// arrived when the answer began. The rest of the request would have to be read before the next one.
struct ConnectionMachine {
    /// What the head of a request says about its connection.
    struct Request {
        /// Whether the client takes no further answer (`Connection: close`, HTTP/1.0).
        var isLast: Bool
        /// Whether the client reads HTTP/1.0, which has no chunks.
        var isHTTP10: Bool
    }

    /// How an answer begins.
    struct Beginning: Equatable {
        /// Whether it is the last, and has to say so.
        var isLast: Bool
        /// Whether it is one of HTTP/1.0.
        var isHTTP10: Bool
    }

    private enum Arrival {
        case arriving
        case complete
    }

    private var arrival = Arrival.complete
    /// The requests without an answer yet, oldest first: several if the client does not wait for answers.
    private var unanswered: [Request] = []
    private var isLast = false

    mutating func requestBegan(_ request: Request) {
        arrival = .arriving
        unanswered.append(request)
    }

    mutating func requestEnded() { arrival = .complete }

    mutating func answerBegins(asksToClose: Bool) -> Beginning {
        // An answer without a request is the one to what could not be understood.
        let request = unanswered.isEmpty ? Request(isLast: true, isHTTP10: false) : unanswered.removeFirst()
        switch arrival {
        case .arriving: isLast = true
        case .complete: isLast = isLast || request.isLast || asksToClose
        }
        return Beginning(isLast: isLast, isHTTP10: request.isHTTP10)
    }

    /// - Returns: whether the connection ends now.
    func answerEnds() -> Bool { isLast }

    /// Whether every request is answered, so that nothing follows unless the client sends another.
    var isIdle: Bool { unanswered.isEmpty && arrival == .complete }
}

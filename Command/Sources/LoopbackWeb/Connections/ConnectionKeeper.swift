import ApusTimers
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Applies the ``ConnectionLimits`` to one connection, ends it after its last answer, and adds the headers to its
/// answers.
///
/// It runs on the connection's event loop only, except for the timeouts, which only close the channel.
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

    /// The time in which a client can notice that it need not send the rest of a request.
    ///
    /// If the connection were closed at once, the kernel would discard the answer (RFC 9112, 9.6).
    private static let linger: Duration = .seconds(2)

    /// Creates a keeper; without a register, the number of connections is not limited.
    init(limits: ConnectionLimits, headers: HTTPFields, register: ConnectionRegister?, engine: TimerEngine) {
        self.limits = limits
        self.headers = headers
        self.register = register
        self.engine = engine
    }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        // A held connection must not be read (``ConnectionTable``), so the register is asked before the first read.
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

/// Decides whether a connection ends with an answer.
///
/// It does if the client or the answer asks for it. It also does if the request had not arrived completely when its
/// answer began, because the rest of that request would have to be read before the next one.
struct ConnectionMachine {
    /// The properties of a request that concern its connection.
    struct Request {
        /// Whether the client accepts no further answer (`Connection: close`, HTTP/1.0).
        var isLast: Bool
        /// Whether the client uses HTTP/1.0, which has no chunks.
        var isHTTP10: Bool
    }

    /// The properties of an answer's head.
    struct Beginning: Equatable {
        /// Whether the answer is the last, and must have `Connection: close`.
        var isLast: Bool
        /// Whether the answer must use HTTP/1.0.
        var isHTTP10: Bool
    }

    private enum Arrival {
        case arriving
        case complete
    }

    private var arrival = Arrival.complete
    /// The requests without an answer, oldest first; there are several if the client does not wait for answers.
    private var unanswered: [Request] = []
    private var isLast = false

    mutating func requestBegan(_ request: Request) {
        arrival = .arriving
        unanswered.append(request)
    }

    mutating func requestEnded() { arrival = .complete }

    mutating func answerBegins(asksToClose: Bool) -> Beginning {
        // An answer without a request is the answer to bytes that could not be parsed.
        let request = unanswered.isEmpty ? Request(isLast: true, isHTTP10: false) : unanswered.removeFirst()
        switch arrival {
        case .arriving: isLast = true
        case .complete: isLast = isLast || request.isLast || asksToClose
        }
        return Beginning(isLast: isLast, isHTTP10: request.isHTTP10)
    }

    /// Returns whether the connection ends now.
    func answerEnds() -> Bool { isLast }

    /// Whether every request is answered, so that nothing follows unless the client sends another request.
    var isIdle: Bool { unanswered.isEmpty && arrival == .complete }
}

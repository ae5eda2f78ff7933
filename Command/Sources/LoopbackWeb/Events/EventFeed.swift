import ApusJSON
public import ApusTimers
import HTTPTypes
public import Hummingbird
import NIOCore

/// Sends events to those who listen to one address, as `text/event-stream`.
///
/// A listener that reads slowly delays nothing: it has a buffer, bounded in bytes, that drops bulk events first and keeps
/// the newest, and it gets the event `lost` in the place of what was left out. A comment line goes out at least every
/// 15 seconds, so that both sides notice when the other is gone.
public final class EventFeed: Sendable {
    /// Bounds of a feed.
    public struct Limits: Sendable {
        /// How many listen at once; the next is answered 503 with `Retry-After`.
        public var listeners = 64
        /// How many bytes of bulk events wait in all, in equal shares for the listeners: a few that read get through a
        /// burst, and many that do not read take no more memory than few.
        public var bulkBytes = 16 << 20
        /// How many bytes of other events wait for one listener.
        public var bytes = 1 << 20
        /// How often a comment is sent to those who had nothing else.
        public var keepAlive: Duration = .seconds(15)
        /// The limits as they are by default.
        public init() {}
    }

    private struct Listener {
        var buffer: EventBuffer
        var isWanted: @Sendable (ServerEvent) -> Bool
        /// Wakes the task that writes; a pending wake-up is enough.
        var wake: AsyncStream<Void>.Continuation
    }

    private struct State {
        var nextID = 0
        var listeners: [Int: Listener] = [:]
        var isClosed = false
        var isTicking = false
    }

    private let limits: Limits
    private let engine: TimerEngine
    private let state = Locked(State())

    /// A feed without listeners.
    public init(limits: Limits = Limits(), engine: TimerEngine = .shared) {
        self.limits = limits
        self.engine = engine
    }

    /// Whether there are listeners: without any, no event need be made.
    public var isHeard: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Sends an event to all listeners that want it. From any thread; never waits.
    public func send(_ event: ServerEvent) {
        let wanting = state.withLock { state in state.listeners.map { ($0.key, $0.value.isWanted) } }
            .filter { $0.1(event) }
        let woken = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            let share = limits.bulkBytes / max(1, state.listeners.count)
            return wanting.compactMap { id, _ -> AsyncStream<Void>.Continuation? in
                state.listeners[id]?.buffer.append(event, bulkBytes: share)
                return state.listeners[id]?.wake
            }
        }
        for wake in woken { wake.yield() }
    }

    /// Ends all streams after what waits for them, and answers 503 from now on.
    public func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.wake.finish() }
    }

    /// Answers a request with the events from now on, until the client goes or the feed is closed.
    ///
    /// - Parameters:
    ///   - request: the request; its body is not used elsewhere.
    ///   - isWanted: which events this listener gets; called on the sender's thread.
    ///   - first: events that come before all others, made after this listener gets the others.
    ///   - onEnd: called once, when the stream has ended, also if it never began.
    /// - Returns: the answer, which is sent as the events come.
    /// - Throws: ``WebError`` with 503 if too many listen.
    public func answer(
        _ request: Request, where isWanted: @escaping @Sendable (ServerEvent) -> Bool = { _ in true },
        first: () -> [ServerEvent] = { [] }, onEnd: @escaping @Sendable () -> Void = {}
    ) throws -> Response {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let id = add(Listener(buffer: EventBuffer(limits: limits), isWanted: isWanted, wake: wake)) else {
            throw WebError(
                .serviceUnavailable, code: "busy",
                message: "\(limits.listeners) listen to events already, or the server stops: try again later",
                headers: [.retryAfter: "5"])
        }
        let subscription = Subscription { [self] in
            remove(id)
            onEnd()
        }
        // So that a client knows that it gets everything from here on.
        var beginning = ByteBuffer(string: ": listening\n\n")
        for event in first() { beginning.writeImmutableBuffer(event.bytes) }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { [self, beginning] writer in
                defer { subscription.end() }
                try await request.body.consumeWithInboundCloseHandler { _ in
                    try await writer.write(beginning)
                    for await _ in wakes {
                        while let bytes = take(id) { try await writer.write(bytes) }
                    }
                    while let bytes = take(id) { try await writer.write(bytes) }
                } onInboundClosed: {
                    wake.finish()
                }
                try await writer.finish(nil)
            })
    }

    private func add(_ listener: Listener) -> Int? {
        let (id, ticks) = state.withLock { state -> (Int?, Bool) in
            guard !state.isClosed, state.listeners.count < limits.listeners else { return (nil, false) }
            state.nextID += 1
            state.listeners[state.nextID] = listener
            defer { state.isTicking = true }
            return (state.nextID, !state.isTicking)
        }
        if ticks { scheduleTick() }
        return id
    }

    private func remove(_ id: Int) {
        let listener = state.withLock { $0.listeners.removeValue(forKey: id) }
        listener?.wake.finish()
    }

    private func take(_ id: Int) -> ByteBuffer? { state.withLock { $0.listeners[id]?.buffer.take() } }

    /// One timer for all, and none while there are no listeners.
    private func scheduleTick() {
        engine.schedule(after: limits.keepAlive, tolerance: .seconds(1)) { [weak self] in self?.tick() }
    }

    private func tick() {
        let woken = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            state.isTicking = !state.listeners.isEmpty
            for id in state.listeners.keys { state.listeners[id]?.buffer.keepAlive() }
            return state.listeners.values.map(\.wake)
        }
        for wake in woken { wake.yield() }
        if !woken.isEmpty { scheduleTick() }
    }
}

/// A listener's place in a feed, given back once: at the end of the stream, or when its answer is dropped unsent.
private final class Subscription: Sendable {
    private let release: Locked<(@Sendable () -> Void)?>

    init(_ release: @escaping @Sendable () -> Void) { self.release = Locked(release) }

    deinit { end() }

    func end() {
        let release = release.withLock { release in
            defer { release = nil }
            return release
        }
        release?()
    }
}

/// What one listener has yet to be sent: the newest events, as many as its bounds allow.
struct EventBuffer {
    private var queue: LossyQueue<ByteBuffer>
    private var sendsComment = false

    /// More goes to the connection after that.
    private static let writeBytes = 256 << 10

    init(limits: EventFeed.Limits) {
        queue = LossyQueue(limits: .init(bulkBytes: limits.bulkBytes, bytes: limits.bytes))
    }

    /// Adds an event. `bulkBytes` is how many bytes of bulk events may wait here from now on, if that changes.
    mutating func append(_ event: ServerEvent, bulkBytes: Int? = nil) {
        if let bulkBytes { queue.limits.bulkBytes = bulkBytes }
        queue.append(event.bytes, bytes: event.bytes.readableBytes, isBulk: event.isBulk)
    }

    /// Adds a comment, unless there is something else to send anyway.
    mutating func keepAlive() { sendsComment = queue.isEmpty }

    /// The next bytes that are to be sent now; `nil` for nothing.
    mutating func take() -> ByteBuffer? {
        defer { sendsComment = false }
        guard !queue.isEmpty else { return sendsComment ? ByteBuffer(string: ":\n\n") : nil }
        var next = ByteBuffer()
        while next.readableBytes < Self.writeBytes, let item = queue.takeFirst() {
            switch item {
            case .element(let bytes): next.writeImmutableBuffer(bytes)
            case .dropped(let dropped):
                next.writeImmutableBuffer(
                    ServerEvent.lost(events: dropped.elements, outputBytes: dropped.bulkBytes).bytes)
            }
        }
        return next
    }
}

/// A server-sent event (html.spec.whatwg.org, 9.2): its name, and its data as JSON.
public struct ServerEvent: Sendable {
    /// The event's name.
    public let name: String
    /// What it is about, for listeners that want only the events about one subject.
    public let subject: String?
    /// Whether it is dropped before others when a listener is too slow.
    public let isBulk: Bool
    /// The event as it is sent.
    let bytes: ByteBuffer

    /// An event.
    /// - Parameters:
    ///   - name: its name; without line ends.
    ///   - subject: what it is about.
    ///   - isBulk: whether it is one of many that only accompany others, such as a command's output: dropped first when
    ///     a listener is too slow.
    ///   - value: its data. A value that JSON cannot express (a number that is not finite) is sent as `{}`.
    public init(_ name: String, subject: String? = nil, isBulk: Bool = false, _ value: some Encodable) {
        self.name = name
        self.subject = subject
        self.isBulk = isBulk
        var bytes = ByteBuffer(string: "event: \(name)\ndata: ")
        bytes.writeBytes((try? JSONText.bytes(of: value)) ?? Array("{}".utf8))
        bytes.writeString("\n\n")
        self.bytes = bytes
    }

    private struct Lost: Encodable {
        var events: Int
        var outputBytes: Int
    }

    /// The event `lost`: here, that much was left out, and what the listener shows is to be read again if `events` is
    /// not 0.
    public static func lost(events: Int, outputBytes: Int) -> ServerEvent {
        ServerEvent("lost", Lost(events: events, outputBytes: outputBytes))
    }
}

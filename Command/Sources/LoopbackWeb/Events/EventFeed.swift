import ApusJSON
public import ApusTimers
import HTTPTypes
public import Hummingbird
import NIOCore

/// A feed that sends events to its listeners as `text/event-stream`.
///
/// A slow listener delays nothing, because its buffer is bounded in bytes. Bulk events and other events have separate
/// bounds. If a bound is exceeded, the oldest events of that kind are dropped, and the event `lost` takes their place.
/// A comment line is sent at least every 15 seconds, so that both sides notice when the other is gone.
public final class EventFeed: Sendable {
    /// The bounds of a feed.
    public struct Limits: Sendable {
        /// The maximum number of listeners; a further request is answered with 503 and `Retry-After`.
        public var listeners = 64
        /// The maximum total size in bytes of the bulk events that wait for listeners; all listeners have equal shares
        /// of it.
        ///
        /// With few listeners, each share is large enough for a burst. Many listeners that do not read use no more
        /// memory than a few do.
        public var bulkBytes = 16 << 20
        /// The maximum size in bytes of the events, other than bulk events, that wait for one listener.
        public var bytes = 1 << 20
        /// The interval at which a comment is sent to each listener for which no events are waiting.
        public var keepAlive: Duration = .seconds(15)
        /// Creates the default limits.
        public init() {}
    }

    private struct Listener {
        var buffer: EventBuffer
        var isWanted: @Sendable (ServerEvent) -> Bool
        /// The continuation that wakes the writing task; one pending wake-up is enough.
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

    /// Creates a feed without listeners.
    public init(limits: Limits = Limits(), engine: TimerEngine = .shared) {
        self.limits = limits
        self.engine = engine
    }

    /// Whether there are listeners; without any, callers need not make events.
    public var isHeard: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Sends an event to all listeners that want it.
    ///
    /// It may be called on any thread, and never waits.
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

    /// Ends all streams after their waiting events, and answers further requests with 503.
    public func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.wake.finish() }
    }

    /// Answers a request with the events from now on, until the client disconnects or the feed is closed.
    ///
    /// - Parameters:
    ///   - request: the request, whose body must not be used elsewhere.
    ///   - isWanted: a closure that selects the events of this listener; it is called on the sender's thread.
    ///   - first: a closure that returns the events to send before all others; when it is called, the listener is
    ///     already registered for the others.
    ///   - onEnd: a closure that is called once, when the stream has ended or its answer was dropped before it began.
    ///     It is not called if this method throws an error.
    /// - Returns: the answer, which is sent as the events come.
    /// - Throws: ``WebError`` with 503 if there are too many listeners, or if the feed is closed.
    public func answer(
        _ request: Request, where isWanted: @escaping @Sendable (ServerEvent) -> Bool = { _ in true },
        first: () -> [ServerEvent] = { [] }, onEnd: @escaping @Sendable () -> Void = {}
    ) throws -> Response {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let id = add(Listener(buffer: EventBuffer(limits: limits), isWanted: isWanted, wake: wake)) else {
            throw WebError(
                .serviceUnavailable, code: "busy",
                message:
                    "\(limits.listeners) clients listen to events already, or the server is stopping; try again later",
                headers: [.retryAfter: "5"])
        }
        let subscription = Subscription { [self] in
            remove(id)
            onEnd()
        }
        // After this comment, a client knows that it gets all events from here on.
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

    /// Schedules the timer that all listeners share; without listeners there is none.
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

/// A listener's place in a feed, which is released once: at the end of the stream, or when its answer is dropped
/// unsent.
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

/// The newest events that wait for one listener, as many as its bounds allow.
struct EventBuffer {
    private var queue: LossyQueue<ByteBuffer>
    private var sendsComment = false

    /// The size of a write, in bytes, at which no further event is added to it.
    private static let writeBytes = 256 << 10

    init(limits: EventFeed.Limits) {
        queue = LossyQueue(limits: .init(bulkBytes: limits.bulkBytes, bytes: limits.bytes))
    }

    /// Adds an event.
    ///
    /// `bulkBytes` is the new bound of the waiting bulk events, or `nil` if the bound stays the same.
    mutating func append(_ event: ServerEvent, bulkBytes: Int? = nil) {
        if let bulkBytes { queue.limits.bulkBytes = bulkBytes }
        queue.append(event.bytes, bytes: event.bytes.readableBytes, isBulk: event.isBulk)
    }

    /// Adds a comment, unless there are events to send.
    mutating func keepAlive() { sendsComment = queue.isEmpty }

    /// Returns the next bytes to send; `nil` if there are none.
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
    /// The subject of the event, for listeners that want the events about one subject only.
    public let subject: String?
    /// Whether the event is a bulk event, which displaces only other bulk events if a listener is too slow.
    public let isBulk: Bool
    /// The event in the form in which it is sent.
    let bytes: ByteBuffer

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: the event's name, without line ends.
    ///   - subject: the subject of the event.
    ///   - isBulk: whether the event only accompanies others, as a command's output does, and displaces only other bulk
    ///     events if a listener is too slow.
    ///   - value: the event's data; a value that JSON cannot express (a number that is not finite) is sent as `{}`.
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

    /// Returns the event `lost`, which takes the place of omitted events.
    ///
    /// If `events` is not 0, a listener must read again what it shows.
    public static func lost(events: Int, outputBytes: Int) -> ServerEvent {
        ServerEvent("lost", Lost(events: events, outputBytes: outputBytes))
    }
}

import ApusTimers
import NIOCore

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

import ApusTimers
import NIOCore

/// What one listener has yet to be sent: the newest events, as many as its bounds allow.
struct EventBuffer {
    private var queue: LossyQueue<ByteBuffer>
    private var sendsComment = false

    init(limits: EventFeed.Limits) {
        queue = LossyQueue(limits: .init(bulkBytes: limits.bulkBytes, bytes: limits.bytes))
    }

    mutating func append(_ event: ServerEvent) {
        queue.append(event.bytes, bytes: event.bytes.readableBytes, isBulk: event.isBulk)
    }

    /// Adds a comment, unless there is something else to send anyway.
    mutating func keepAlive() { sendsComment = queue.isEmpty }

    /// Everything that is to be sent now; `nil` for nothing.
    mutating func takeAll() -> ByteBuffer? {
        defer { sendsComment = false }
        guard !queue.isEmpty else { return sendsComment ? ByteBuffer(string: ":\n\n") : nil }
        var all = ByteBuffer()
        while let item = queue.takeFirst() {
            switch item {
            case .element(let bytes): all.writeImmutableBuffer(bytes)
            case .dropped(let dropped):
                all.writeImmutableBuffer(
                    ServerEvent.lost(events: dropped.elements, outputBytes: dropped.bulkBytes).bytes)
            }
        }
        return all
    }
}

import NIOCore

/// What one listener has yet to be sent: the newest events, as many as its bounds allow.
struct EventBuffer {
    private var events: [ByteBuffer] = []
    private var bytes = 0
    private var hasLost = false
    private var isRemark = false
    private let mostEvents: Int
    private let mostBytes: Int

    init(mostEvents: Int, mostBytes: Int) {
        self.mostEvents = mostEvents
        self.mostBytes = mostBytes
    }

    /// Adds an event. The oldest make way.
    mutating func append(_ event: ByteBuffer) {
        events.append(event)
        bytes += event.readableBytes
        guard events.count > mostEvents || bytes > mostBytes else { return }
        // Half of it goes at once: a listener that does not read at all costs little then.
        var gone = 0
        while events.count - gone > mostEvents / 2 || bytes > mostBytes / 2, gone < events.count {
            bytes -= events[gone].readableBytes
            gone += 1
        }
        events.removeFirst(gone)
        hasLost = true
    }

    /// Adds a comment, unless there is something else to send anyway.
    mutating func keepAlive() { isRemark = events.isEmpty }

    /// Everything that is to be sent now; `nil` for nothing.
    mutating func takeAll() -> ByteBuffer? {
        defer {
            (events, bytes) = ([], 0)
            (hasLost, isRemark) = (false, false)
        }
        guard hasLost || !events.isEmpty else { return isRemark ? ByteBuffer(string: ":\n\n") : nil }
        var all = ByteBuffer()
        if hasLost { all.writeImmutableBuffer(ServerEvent.lost.bytes) }
        for event in events { all.writeImmutableBuffer(event) }
        return all
    }
}

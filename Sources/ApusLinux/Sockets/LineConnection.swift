import ApusTimers
import Dispatch

/// A stream socket whose two sides say lines. Nothing here waits: it reads and writes when the socket can.
///
/// Events are delivered on the queue, in order, until `close`; after ``Event/closed(_:)`` nothing comes.
final class LineConnection: Sendable {
    enum Event: Sendable {
        /// A socket that was connecting is connected.
        case connected
        case line(LineSplitter.Line)
        /// The other side is gone: nothing (0), or the errno with which it went.
        case closed(Int32)
    }

    private struct State {
        /// Nothing is sent before.
        var isConnected: Bool
        var isClosed = false
        var splitter: LineSplitter
        /// What could not be written yet.
        var unsent: [UInt8] = []
        var reader: (any DispatchSourceRead)?
        /// Only while something waits for it.
        var writer: (any DispatchSourceWrite)?
    }

    private let socket: StreamSocket
    private let queue: DispatchQueue
    private let state: Locked<State>
    private let onEvent: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - socket: Connected, or connecting.
    ///   - isConnected: Whether it is.
    ///   - limit: How many bytes a line may have; a longer one is reported without its text.
    ///   - queue: A serial queue, where everything happens.
    ///   - onEvent: Called on the queue. Must not keep the connection.
    init(
        _ socket: StreamSocket, isConnected: Bool, limit: Int, queue: DispatchQueue,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.socket = socket
        self.queue = queue
        self.onEvent = onEvent
        state = Locked(State(isConnected: isConnected, splitter: LineSplitter(limit: limit)))
        socket.setNonBlocking()
        if isConnected { beginReading() } else { waitForWriting() }
    }

    deinit { close() }

    /// Sends a line, now or when the other side takes it. From the queue only, so that lines keep their order.
    func send(_ line: String) {
        state.withLock { $0.unsent += Array(line.utf8) + [UInt8(ascii: "\n")] }
        write()
    }

    /// Ends the connection; no event comes after this returns, when it is called on the queue.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.unsent = []
            // The socket is closed when both have released it. Cancelling calls no handler here.
            state.reader.take()?.cancel()
            state.writer.take()?.cancel()
        }
    }

    private func beginReading() {
        state.withLock { [socket, queue] state in
            guard !state.isClosed else { return }
            let reader = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
            reader.setEventHandler { [weak self] in self?.read() }
            // Keeps the descriptor open for as long as the source may look at it.
            reader.setCancelHandler { withExtendedLifetime(socket) {} }
            reader.resume()
            state.reader = reader
        }
    }

    /// On a descriptor of its own: libdispatch watches a descriptor for reading and writing as one, and a hang-up that it
    /// reports to the one is not always reported to the other.
    private func waitForWriting() {
        state.withLock { [socket, queue] state in
            guard !state.isClosed, state.writer == nil else { return }
            let own = socket.duplicate() ?? socket
            let writer = DispatchSource.makeWriteSource(fileDescriptor: own.descriptor, queue: queue)
            writer.setEventHandler { [weak self] in self?.becameWritable() }
            writer.setCancelHandler { withExtendedLifetime(own) {} }
            writer.resume()
            state.writer = writer
        }
    }

    private func stopWaitingForWriting() { state.withLock { $0.writer.take()?.cancel() } }

    private func becameWritable() {
        let connects = state.withLock { state in
            defer { state.isConnected = true }
            return !state.isConnected && !state.isClosed
        }
        if connects {
            let error = socket.error
            guard error == 0 else { return end(error) }
            stopWaitingForWriting()
            beginReading()
            onEvent(.connected)
        }
        write()
    }

    /// Reads all that is there: when the other side has closed the socket already, libdispatch reports it only once.
    private func read() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !state.withLock({ $0.isClosed }) {
            switch socket.receive(into: &buffer) {
            case .bytes(let count):
                let lines = state.withLock { $0.splitter.add(buffer[..<count]) }
                for line in lines where !state.withLock({ $0.isClosed }) { onEvent(.line(line)) }
            case .wouldBlock: return
            case .ended(let error): return end(error)
            }
        }
    }

    private func write() {
        while true {
            guard let unsent = state.withLock({ $0.isConnected && !$0.isClosed ? $0.unsent : nil }) else { return }
            guard !unsent.isEmpty else { return stopWaitingForWriting() }
            switch socket.send(unsent[...]) {
            case .bytes(let count): state.withLock { $0.unsent.removeFirst(min(count, $0.unsent.count)) }
            case .wouldBlock: return waitForWriting()
            case .ended:
                // What the other side said before it went is read first.
                state.withLock { $0.unsent = [] }
                queue.async { [weak self] in self?.read() }
                return
            }
        }
    }

    private func end(_ error: Int32) {
        let wasClosed = state.withLock { $0.isClosed }
        close()
        if !wasClosed { onEvent(.closed(error)) }
    }
}

import ApusTimers

/// Hands events to subscribers. A subscriber that does not keep up loses the oldest of its buffer, and delays nobody.
final class EventHub: Sendable {
    private struct State {
        var next = 0
        var subscribers: [Int: AsyncStream<JobEvent>.Continuation] = [:]
        var finished = false
    }

    private let state = Locked(State())
    private let bufferSize: Int

    init(bufferSize: Int) { self.bufferSize = bufferSize }

    func subscribe() -> AsyncStream<JobEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: JobEvent.self, bufferingPolicy: .bufferingNewest(bufferSize))
        let number = state.withLock { state -> Int? in
            if state.finished { return nil }
            state.next += 1
            state.subscribers[state.next] = continuation
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    /// The continuations are copied out: resuming a subscriber is not done under the lock.
    func emit(_ event: @autoclosure () -> JobEvent) {
        let subscribers = state.withLock { $0.subscribers.isEmpty ? [] : Array($0.subscribers.values) }
        guard !subscribers.isEmpty else { return }
        let event = event()
        for subscriber in subscribers { subscriber.yield(event) }
    }

    func finish(_ last: JobEvent) {
        let subscribers = state.withLock { state in
            state.finished = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers {
            subscriber.yield(last)
            subscriber.finish()
        }
    }
}

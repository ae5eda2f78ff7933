import ApusTimers

/// The phases that a host enters, in order, from the moment this sequence was asked for until ``Phase/terminated``.
///
/// A sequence has one consumer; ask the host for another one for the next. Changes wait for a slow consumer.
public struct PhaseChanges: AsyncSequence, Sendable {
    /// The phase that was entered.
    public typealias Element = Phase
    /// Phase changes never fail.
    public typealias Failure = Never

    private let stream: AsyncStream<Phase>

    fileprivate init(_ stream: AsyncStream<Phase>) { self.stream = stream }

    /// The iterator of the one consumer.
    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

    /// Hands out one phase at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Phase>.Iterator

        /// The next phase that was entered; `nil` after ``Phase/terminated`` or when the consumer is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Phase? {
            await base.next(isolation: actor)
        }

        /// The next phase that was entered; `nil` after ``Phase/terminated`` or when the consumer is cancelled.
        public mutating func next() async -> Phase? { await base.next() }
    }
}

/// Keeps a host's phase and tells everyone who asked. For those who implement a ``BackgroundHost``.
public final class PhaseState: Sendable {
    private struct State {
        var phase: Phase
        var nextListener = 0
        var listeners: [Int: AsyncStream<Phase>.Continuation] = [:]
    }

    private let state: Locked<State>

    /// A state that begins in `phase`.
    public init(_ phase: Phase) {
        state = Locked(State(phase: phase))
    }

    /// The present phase. May be read from any thread.
    public var phase: Phase { state.withLock { $0.phase } }

    /// Enters `phase` and tells every listener. Entering the present phase, or any phase after the end, does nothing.
    public func enter(_ phase: Phase) {
        let finished = state.withLock { state -> [AsyncStream<Phase>.Continuation] in
            guard state.phase != phase, state.phase != .terminated else { return [] }
            state.phase = phase
            // Under the lock, so that every listener sees the same order. A yield only schedules the consumer.
            for listener in state.listeners.values { listener.yield(phase) }
            guard phase == .terminated else { return [] }
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        // Outside the lock: this calls `onTermination`, which takes it.
        for listener in finished { listener.finish() }
    }

    /// A new sequence of the changes from now on.
    public func changes() -> PhaseChanges {
        let (stream, continuation) = AsyncStream.makeStream(of: Phase.self)
        let listener = state.withLock { state -> Int? in
            guard state.phase != .terminated else { return nil }
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        guard let listener else {
            continuation.finish()
            return PhaseChanges(stream)
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: listener) }
        }
        return PhaseChanges(stream)
    }
}

public import ApusTimers

/// A value that changes, and its observers. For implementations of a ``BackgroundHost``.
///
/// Sequences and observers get every change, in one order. Setting an equal value changes nothing.
public final class Broadcast<Value: Sendable & Equatable>: Sendable {
    private typealias Observer = @MainActor @Sendable (Value) -> Void

    private struct State {
        var value: Value
        var isFinished = false
        var nextListener = 0
        var sequences: [Int: AsyncStream<Value>.Continuation] = [:]
        /// In the order of their registration.
        var observers: [(id: Int, observer: Observer)] = []

        /// Dictionaries have another order in each process, and simulations have to be the same in all.
        var sequencesInOrder: [(key: Int, value: AsyncStream<Value>.Continuation)] {
            sequences.sorted { $0.key < $1.key }
        }
    }

    private let state: Locked<State>
    private let mainLoop: any MainLoop

    /// Begins with `value`, and calls observers on `mainLoop`.
    public init(_ value: Value, mainLoop: any MainLoop = SystemMainLoop()) {
        state = Locked(State(value: value))
        self.mainLoop = mainLoop
    }

    /// The present value. May be read from any thread.
    public var value: Value { state.withLock { $0.value } }

    /// Whether a change would be delivered: there is a sequence that was not dropped, or an observer. It may be over
    /// when this returns.
    public var hasListeners: Bool { state.withLock { !$0.sequences.isEmpty || !$0.observers.isEmpty } }

    /// Sets the value and notifies all observers. After ``finish(_:)`` it does nothing.
    public func set(_ value: Value) { change(to: value, andFinish: false) }

    /// Sets the value and notifies all observers, also when it is the same again. After ``finish(_:)`` it does nothing.
    package func announce(_ value: Value) { change(to: value, andFinish: false, notifiesEqual: true) }

    /// Sets the last value, notifies all observers, and ends all sequences.
    public func finish(_ value: Value) { change(to: value, andFinish: true) }

    private func change(to value: Value, andFinish: Bool, notifiesEqual: Bool = false) {
        let finished = state.withLock { state -> [AsyncStream<Value>.Continuation] in
            guard !state.isFinished else { return [] }
            state.isFinished = andFinish
            if notifiesEqual || state.value != value {
                state.value = value
                // Under the lock, so that all see the same order; both only put the consumer's work in a queue.
                for (_, sequence) in state.sequencesInOrder { sequence.yield(value) }
                for id in state.observers.map(\.id) {
                    mainLoop.run { [self] in
                        // Looked up when it runs: what was cancelled meanwhile is not called.
                        self.state.withLock { $0.observers.first { $0.id == id }?.observer }?(value)
                    }
                }
            }
            guard andFinish else { return [] }
            defer { state.sequences = [:] }
            return state.sequencesInOrder.map(\.value)
        }
        // Outside the lock: this calls `onTermination`, which takes it.
        for sequence in finished { sequence.finish() }
    }

    /// A new sequence of the changes from now on.
    public func changes() -> Changes<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let listener = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextListener += 1
            state.sequences[state.nextListener] = continuation
            return state.nextListener
        }
        guard let listener else {
            continuation.finish()
            return Changes(stream)
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.sequences.removeValue(forKey: listener) }
        }
        return Changes(stream)
    }

    /// Calls `observer` on the main loop after every change from now on, in `common` mode.
    public func observe(_ observer: @escaping @MainActor @Sendable (Value) -> Void) -> ObservationToken {
        let id = state.withLock { state in
            state.nextListener += 1
            state.observers.append((state.nextListener, observer))
            return state.nextListener
        }
        return ObservationToken { [weak self] in
            // The closure goes outside the lock: what it captured may do anything then.
            let removed = self?.state.withLock { state in
                state.observers.firstIndex { $0.id == id }.map { state.observers.remove(at: $0) }
            }
            withExtendedLifetime(removed) {}
        }
    }
}

/// The values that a host's property takes, in order, from the moment this sequence was asked for.
///
/// A sequence has one consumer; ask the host for another one for the next. Changes wait for a slow consumer.
public struct Changes<Value: Sendable>: AsyncSequence, Sendable {
    /// The value that was taken.
    public typealias Element = Value
    /// Changes never fail.
    public typealias Failure = Never

    private let stream: AsyncStream<Value>

    fileprivate init(_ stream: AsyncStream<Value>) { self.stream = stream }

    /// The iterator of the one consumer.
    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

    /// Hands out one change at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Value>.Iterator

        /// The next value; `nil` after the last one, or when the consumer is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            await base.next(isolation: actor)
        }

        /// The next value; `nil` after the last one, or when the consumer is cancelled.
        public mutating func next() async -> Value? { await base.next() }
    }
}

/// The phases that a host enters, until ``Phase/terminated``.
public typealias PhaseChanges = Changes<Phase>

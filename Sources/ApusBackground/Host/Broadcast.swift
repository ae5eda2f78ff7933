public import ApusTimers

/// A value that changes, with its observers, for implementations of a ``BackgroundHost``.
///
/// Sequences and observers receive all changes in the same order. Setting an equal value is not a change.
public final class Broadcast<Value: Sendable & Equatable>: Sendable {
    private typealias Observer = @MainActor @Sendable (Value) -> Void

    private struct State {
        var value: Value
        var isFinished = false
        var nextListener = 0
        var sequences: [Int: AsyncStream<Value>.Continuation] = [:]
        /// The observers in the order of their registration.
        var observers: [(id: Int, observer: Observer)] = []

        /// The sequences in the order of their creation.
        ///
        /// The order of a dictionary differs from process to process, but simulations must be repeatable.
        var sequencesInOrder: [(key: Int, value: AsyncStream<Value>.Continuation)] {
            sequences.sorted { $0.key < $1.key }
        }
    }

    private let state: Locked<State>
    private let mainLoop: any MainLoop

    /// Creates a broadcast with an initial value; its observers are called on `mainLoop`.
    public init(_ value: Value, mainLoop: any MainLoop = SystemMainLoop()) {
        state = Locked(State(value: value))
        self.mainLoop = mainLoop
    }

    /// The current value, which may be read from any thread.
    public var value: Value { state.withLock { $0.value } }

    /// Whether there is an observer, or a sequence that was not released.
    ///
    /// The answer may be outdated when it is returned.
    public var hasListeners: Bool { state.withLock { !$0.sequences.isEmpty || !$0.observers.isEmpty } }

    /// Sets the value and notifies all observers.
    ///
    /// After ``finish(_:)``, it has no effect.
    public func set(_ value: Value) { change(to: value, andFinish: false) }

    /// Sets the value and notifies all observers, even if the value has not changed.
    ///
    /// After ``finish(_:)``, it has no effect.
    package func announce(_ value: Value) { change(to: value, andFinish: false, notifiesEqual: true) }

    /// Sets the last value, notifies all observers, and ends all sequences.
    public func finish(_ value: Value) { change(to: value, andFinish: true) }

    private func change(to value: Value, andFinish: Bool, notifiesEqual: Bool = false) {
        let finished = state.withLock { state -> [AsyncStream<Value>.Continuation] in
            guard !state.isFinished else { return [] }
            state.isFinished = andFinish
            if notifiesEqual || state.value != value {
                state.value = value
                // Both calls are made under the lock, so that all sequences and observers receive the changes in the
                // same order. They only enqueue the consumer's work.
                for (_, sequence) in state.sequencesInOrder { sequence.yield(value) }
                for id in state.observers.map(\.id) {
                    mainLoop.run { [self] in
                        // The observer is looked up only when the main loop runs this closure, so that an observer that
                        // was cancelled in the meantime is not called.
                        self.state.withLock { $0.observers.first { $0.id == id }?.observer }?(value)
                    }
                }
            }
            guard andFinish else { return [] }
            defer { state.sequences = [:] }
            return state.sequencesInOrder.map(\.value)
        }
        // The sequences are finished outside the lock, because `finish` calls `onTermination`, which takes the lock.
        for sequence in finished { sequence.finish() }
    }

    /// Returns a new sequence of the changes from now on.
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
            // The closure is released outside the lock, because releasing its captures may run any code.
            let removed = self?.state.withLock { state in
                state.observers.firstIndex { $0.id == id }.map { state.observers.remove(at: $0) }
            }
            withExtendedLifetime(removed) {}
        }
    }
}

/// The values that a property of a host takes after the creation of the sequence, in order.
///
/// A sequence has one consumer, so create a sequence for each consumer. Changes are buffered for a slow consumer.
public struct Changes<Value: Sendable>: AsyncSequence, Sendable {
    /// A value of the property.
    public typealias Element = Value
    /// The sequence never fails.
    public typealias Failure = Never

    private let stream: AsyncStream<Value>

    fileprivate init(_ stream: AsyncStream<Value>) { self.stream = stream }

    /// Returns the iterator for the only consumer.
    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

    /// The iterator of a sequence of changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Value>.Iterator

        /// Returns the next value; `nil` after the last one, or when the consumer is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            await base.next(isolation: actor)
        }

        /// Returns the next value; `nil` after the last one, or when the consumer is cancelled.
        public mutating func next() async -> Value? { await base.next() }
    }
}

/// The phases that a host enters, until ``Phase/terminated``.
public typealias PhaseChanges = Changes<Phase>

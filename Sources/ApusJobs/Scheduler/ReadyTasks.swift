import ApusTimers

/// Lets the tasks that are ready when a commit is done come to their next request, before the loop decides again: so
/// handlers that return at once, and callers with more to ask, are in the next turn together.
///
/// Tasks whose threads are blocked are not waited for.
final class ReadyTasks: Sendable {
    /// How long a pool with more to do is waited for.
    private static let patience: Duration = .milliseconds(1)

    private struct State {
        /// A mark waits after the tasks that were ready before it.
        var isMarked = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    private let executor: (any TaskExecutor)?
    private let isOwn: Bool
    private let engine: TimerEngine

    /// - Parameters:
    ///   - executor: where the tasks run; the global executor if it is `nil`.
    ///   - isOwn: whether the loop runs there too.
    ///   - engine: measures the patience.
    init(of executor: (any TaskExecutor)?, isOwn: Bool, engine: TimerEngine) {
        (self.executor, self.isOwn, self.engine) = (executor, isOwn, engine)
    }

    func pass() async {
        if isOwn { return await Task.yield() }
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                if state.isMarked { return false }
                state = State(isMarked: true, waiter: continuation)
                return true
            }
            // The pool has not come to the last mark yet, and gets no second one.
            guard isFirst else { return continuation.resume() }
            let timer = engine.schedule(after: Self.patience) { [self] in proceed() }
            _ = Task(executorPreference: executor) { [self] in
                timer.cancel()
                state.withLock { $0.isMarked = false }
                proceed()
            }
        }
    }

    private func proceed() { state.withLock { $0.waiter.take() }?.resume() }
}

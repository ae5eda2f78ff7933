import ApusTimers

/// Makes the loop wait after a commit, until the tasks that are then ready have run up to their next request.
///
/// The next turn can then handle together the ends of handlers that returned immediately, and the further requests of
/// callers. The loop does not wait for tasks whose threads are blocked.
final class ReadyTasks: Sendable {
    /// The longest time for which the loop waits for a busy pool.
    private static let patience: Duration = .milliseconds(1)

    private struct State {
        /// Whether a marker task is queued, which runs after the tasks that were ready before it.
        var isMarked = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    private let executor: (any TaskExecutor)?
    private let isOwn: Bool
    private let engine: TimerEngine

    /// Creates an instance for the tasks on an executor.
    ///
    /// - Parameters:
    ///   - executor: The executor of the tasks; the global executor if it is `nil`.
    ///   - isOwn: Whether the loop runs on that executor too.
    ///   - engine: The engine with which the loop limits its wait.
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
            // The last marker task has not run yet, so another one is pointless.
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

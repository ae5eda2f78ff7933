import ApusTimers

/// Threads on which handlers' tasks are cancelled, for all schedulers of the process.
///
/// Cancelling a task runs its cancellation handlers, which are code of an application and may block. A cancellation
/// that blocks occupies one thread. There are at most ``most`` threads, because the number of threads of a process is
/// limited. A thread ends when no task waits to be cancelled.
enum CancellationThreads {
    private struct State {
        var waiting: ArraySlice<Task<Void, Never>> = []
        var count = 0
    }

    private static let most = 64
    private static let state = Locked(State())

    /// Cancels the task soon, on another thread.
    static func cancel(_ task: Task<Void, Never>) {
        let needsThread = state.withLock { state in
            state.waiting.append(task)
            if state.count == most { return false }
            state.count += 1
            return true
        }
        if needsThread { SystemThread(named: "apus-cancel") { run() }.detach() }
    }

    private static func run() {
        func next() -> Task<Void, Never>? {
            state.withLock { state in
                if state.waiting.isEmpty { state.count -= 1 }
                return state.waiting.popFirst()
            }
        }
        while let task = next() { task.cancel() }
    }
}

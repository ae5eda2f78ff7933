import Dispatch

/// Runs tasks on a thread of its own, in the order of arrival, even while all threads of the global executor are
/// blocked.
///
/// The thread starts with the first job, blocks while it has no work, and ends when the executor is released; a task
/// with this executor retains it. Each piece of work delays the following ones.
package final class ThreadExecutor: TaskExecutor {
    private let queue: WorkQueue

    /// Creates the executor, whose thread will have that name.
    package init(named name: StaticString) { queue = WorkQueue(name) }

    deinit { queue.end() }

    /// Appends a job; Swift's runtime calls it, from any thread.
    package func enqueue(_ job: consuming ExecutorJob) { queue.append(UnownedJob(job), of: self) }
}

/// The jobs of a ``ThreadExecutor`` that its thread has not taken.
private final class WorkQueue: Sendable {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Retained while there are jobs, because a job may release the executor on which it runs.
        var executor: ThreadExecutor?
        var hasThread = false
        var isEnded = false
    }

    private let name: StaticString
    private let state = Locked(State())
    private let signal = DispatchSemaphore(value: 0)

    init(_ name: StaticString) { self.name = name }

    func append(_ job: UnownedJob, of executor: ThreadExecutor) {
        let (isFirst, hasThread) = state.withLock { state in
            defer { state.hasThread = true }
            state.jobs.append(job)
            state.executor = executor
            return (state.jobs.count == 1, state.hasThread)
        }
        if !hasThread {
            SystemThread(named: name) { self.run() }.detach()
        } else if isFirst {
            signal.signal()
        }
    }

    func end() {
        state.withLock { $0.isEnded = true }
        signal.signal()
    }

    private func run() {
        while true {
            let (jobs, executor, isEnded) = state.withLock { state in
                defer { (state.jobs, state.executor) = ([], nil) }
                return (state.jobs, state.executor, state.isEnded)
            }
            if let executor {
                for job in jobs { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
            } else if isEnded {
                return
            } else {
                // The signal may have been for work that is already done; then the thread waits again.
                signal.wait()
            }
        }
    }
}

/// An executor that runs all work of one virtual time in a fixed order, including the scheduler's own tasks.
package protocol SteppedExecutor: TaskExecutor {}

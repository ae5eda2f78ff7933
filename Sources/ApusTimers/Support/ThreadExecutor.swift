import Dispatch

/// Runs tasks on one thread, in the order of arrival, even while all threads of the global executor are blocked.
///
/// The thread lives as long as the process, and blocks while it has no work. Each piece of work delays the following
/// ones.
package final class ThreadExecutor: TaskExecutor {
    /// The thread that all schedulers of the process share.
    ///
    /// Stores, metrics backends, log handlers and hosts run on it, and must not block. Handlers of jobs do not run on
    /// it.
    package static let shared = ThreadExecutor(named: "apus-scheduler")

    private let jobs = Locked<[UnownedJob]>([])
    private let signal = DispatchSemaphore(value: 0)

    /// Starts a thread with that name.
    package init(named name: StaticString) {
        SystemThread(named: name) { [self] in run() }.detach()
    }

    /// Appends a job; Swift's runtime calls it, from any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if isFirst { signal.signal() }
    }

    private func run() -> Never {
        while true {
            let work = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            // The signal may have been for work that is already done; then the thread waits again.
            if work.isEmpty { signal.wait() }
            for job in work { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

/// An executor that runs all work of one virtual time in a fixed order, including the scheduler's own tasks.
package protocol SteppedExecutor: TaskExecutor {}

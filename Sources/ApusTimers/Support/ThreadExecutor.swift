import Dispatch

/// One thread on which tasks run, first in, first out. They continue while all threads of the global executor are
/// blocked. It lives as long as the process, and waits while there is nothing to do.
///
/// Each piece of work holds up those that follow it.
package final class ThreadExecutor: TaskExecutor {
    /// The thread of all schedulers of the process. Handlers do not run on it; stores, metrics backends, log handlers and
    /// hosts do, and must not block.
    package static let shared = ThreadExecutor(named: "apus-scheduler")

    private let jobs = Locked<[UnownedJob]>([])
    private let signal = DispatchSemaphore(value: 0)

    /// Starts a thread of that name.
    package init(named name: StaticString) {
        SystemThread(named: name) { [self] in run() }.detach()
    }

    /// Appends a job. Swift's runtime calls it, from any thread.
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
            // A signal may have been for work that was taken already: then it waits again.
            if work.isEmpty { signal.wait() }
            for job in work { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

/// An executor on which everything of one virtual time runs, in one order: the scheduler's own tasks are no exception
/// there.
package protocol SteppedExecutor: TaskExecutor {}

import ApusTimers
import Dispatch
import Foundation

/// Runs asynchronous work to its end on a separate thread, and then ends the process.
///
/// The exit status is 0, or 1 after an error, whose text is written to standard error.
///
/// It is for tests in a child process in which all threads of Swift's pool are blocked. Neither the work nor the end of
/// the process needs a thread of the pool.
package func endProcess(after work: @escaping @Sendable () async throws -> Void) -> Never {
    let done = DispatchSemaphore(value: 0)
    let failure = Locked<(any Error)?>(nil)
    _ = Task(executorPreference: ThreadExecutor(named: "apus-test")) {
        do { try await work() } catch { failure.withLock { $0 = error } }
        done.signal()
    }
    done.wait()
    guard let error = failure.withLock({ $0 }) else { exit(0) }
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}

/// A barrier that blocks each calling thread until ``open()``, or for ever.
package final class Barrier: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let blocked = Locked(0)

    package init() {}

    /// The number of threads that have reached the barrier.
    package var count: Int { blocked.withLock { $0 } }

    package func block() {
        blocked.withLock { $0 += 1 }
        semaphore.wait()
    }

    package func open() { for _ in 0..<count { semaphore.signal() } }
}

/// A number greater than that of the threads that Swift's pool and Dispatch's queues create.
package let moreThanThreads = 16 * ProcessInfo.processInfo.activeProcessorCount + 200

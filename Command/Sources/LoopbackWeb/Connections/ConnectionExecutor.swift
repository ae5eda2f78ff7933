import NIOCore

/// Runs the tasks of a connection on its event loop.
///
/// Without it they run on SwiftNIO's executor of event loops, which calls every job as one of a serial executor. Swift
/// leaves such an executor at each call of an asynchronous function and at each return: the rest of the task becomes
/// another job at the end of the loop's queue, some twenty times in a request. It stays on a task executor. And an answer
/// that a thread of the store resumes comes back to the loop that writes it, not to any.
final class ConnectionExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

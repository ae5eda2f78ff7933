import ApusClient
import ApusTimers
import Hummingbird
import LoopbackWeb
import NIOCore
import NIOPosix

/// Runs requests that read or compute much, at most a few at the same time.
///
/// They do not run on the threads of the event loops, because the event loops also run the scheduler.
struct LongRequests: Sendable {
    private let places: Turnstile
    private let executor = ThreadPoolExecutor()

    /// Creates a runner.
    ///
    /// - Parameter atOnce: the maximum number of concurrent requests; further requests wait in their order.
    init(atOnce: Int = 4) { places = Turnstile(limit: atOnce) }

    /// Runs `body`, whose argument is a check that throws when the client has disconnected.
    ///
    /// `body` must call the check between parts of its work.
    func answer<Value: Sendable>(
        _ context: APIContext, _ body: @Sendable (_ check: @Sendable () throws -> Void) async throws -> Value
    ) async throws -> Value {
        let channel = context.channel
        let check: @Sendable () throws -> Void = {
            try Task.checkCancellation()
            guard channel.isActive else { throw WebError.clientLeft }
        }
        return try await places.pass {
            try check()
            return try await withTaskExecutorPreference(executor) { try await body(check) }
        }
    }
}

extension WebError {
    /// The error of a request whose client has disconnected; no client reads this answer.
    fileprivate static let clientLeft = WebError(
        .init(code: 499, reasonPhrase: "Client Closed Request"), code: "clientLeft",
        message: "the client has closed the connection")
}

/// Runs tasks on SwiftNIO's threads for blocking work, of which there are as many as processors.
private final class ThreadPoolExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        NIOThreadPool.singleton.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

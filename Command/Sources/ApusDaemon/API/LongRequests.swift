import ApusClient
import ApusTimers
import Hummingbird
import LoopbackWeb
import NIOCore
import NIOPosix

/// Carries out requests that read or compute much: apart from the event loops, which also run the scheduler, and a few at
/// once.
struct LongRequests: Sendable {
    private let places: Turnstile
    private let executor = ThreadPoolExecutor()

    /// - Parameter atOnce: how many requests are carried out at once; the others wait in their order.
    init(atOnce: Int = 4) { places = Turnstile(limit: atOnce) }

    /// Carries out `body`, which is given a check that throws when the client has left, to be called between parts of the
    /// work.
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
    /// No client is there to read it.
    fileprivate static let clientLeft = WebError(
        .init(code: 499, reasonPhrase: "Client Closed Request"), code: "clientLeft",
        message: "the client has closed the connection")
}

/// Runs tasks on SwiftNIO's threads for work that blocks, of which there are as many as processors.
private final class ThreadPoolExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        NIOThreadPool.singleton.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

import ApusTimers
import Dispatch

/// Calls that block, made on a thread that is not one of the few of Swift's tasks.
enum Blocking {
    /// Calls `body` on a thread of its own, with what a cancellation of the calling task ends. Throws `CancellationError` if
    /// the task was cancelled and `body` has not succeeded.
    static func call<Result: Sendable>(
        _ body: @escaping @Sendable (Interruption) throws -> Result
    ) async throws -> Result {
        let interruption = Interruption()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // A queue that is not shared gets a thread at once, however many others block.
                    DispatchQueue(label: "apus.client").async {
                        continuation.resume(with: Swift.Result { try body(interruption) })
                    }
                }
            } onCancel: {
                interruption.interrupt()
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw error
        }
    }
}

/// The connection that a call waits for, so that it can be ended from another thread.
final class Interruption: Sendable {
    private enum State {
        case waiting
        case using(SocketConnection)
        case interrupted
    }

    private let state = Locked<State>(.waiting)

    /// - Throws: `CancellationError` after ``interrupt()``.
    func use(_ connection: SocketConnection) throws {
        try state.withLock { state in
            if case .interrupted = state { throw CancellationError() }
            state = .using(connection)
        }
    }

    /// Leaves the connection to the next request, which an interruption of this one must not end.
    func release() {
        state.withLock { state in
            if case .using = state { state = .waiting }
        }
    }

    func interrupt() {
        state.withLock { state in
            if case .using(let connection) = state { connection.interrupt() }
            state = .interrupted
        }
    }
}

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

/// The limit of ``within(_:_:)`` has passed.
package struct DeadlineExceeded: Error {}

/// Runs `body` for at most `limit`, measured by the continuous clock.
///
/// - Throws: ``DeadlineExceeded`` once the limit has passed: `body` is cancelled then, and has ended when this throws.
package func within<Result: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await TimerEngine.shared.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else { throw DeadlineExceeded() }
        return result
    }
}

/// Until when a request may take, by the continuous clock, which passes in suspension too.
struct Deadline: Sendable {
    private let instant: ContinuousInstant?

    /// Without a limit.
    static let never = Deadline(instant: nil)

    private init(instant: ContinuousInstant?) { self.instant = instant }

    init(after duration: Duration) { instant = SystemTime().continuous().advanced(by: duration) }

    /// How long to wait in one call of poll(2), whose clock stops in suspension: 0 once the limit has passed, -1 for any
    /// time.
    var milliseconds: Int32 {
        guard let instant else { return -1 }
        let left = SystemTime().continuous().duration(to: instant)
        return left <= .zero ? 0 : Int32(clamping: max(1, min(60_000, left.wholeNanoseconds / 1_000_000)))
    }
}

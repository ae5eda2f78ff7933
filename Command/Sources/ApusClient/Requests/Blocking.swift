import ApusTimers
import Dispatch

/// Makes blocking calls on threads that are not Swift's cooperative threads.
enum Blocking {
    /// Calls `body` on a separate thread, with an ``Interruption`` that a cancellation of the calling task triggers.
    ///
    /// - Throws: the error of `body`, or `CancellationError` in place of that error if the task was cancelled.
    static func call<Result: Sendable>(
        _ body: @escaping @Sendable (Interruption) throws -> Result
    ) async throws -> Result {
        let interruption = Interruption()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // A queue that is not shared gets a thread at once, however many other calls block.
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

/// Lets another thread end the connection that a blocking call uses.
final class Interruption: Sendable {
    private enum State {
        case waiting
        case using(SocketConnection)
        case interrupted
    }

    private let state = Locked<State>(.waiting)

    /// Sets the connection that ``interrupt()`` ends.
    ///
    /// - Throws: `CancellationError` after ``interrupt()``.
    func use(_ connection: SocketConnection) throws {
        try state.withLock { state in
            if case .interrupted = state { throw CancellationError() }
            state = .using(connection)
        }
    }

    /// Forgets the connection, so that an interruption of this request does not end the next request, which may use the
    /// same connection.
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

/// An error that says that the limit of ``within(_:_:)`` has passed.
package struct DeadlineExceeded: Error {}

/// Runs `body` for at most `limit`, measured by the continuous clock.
///
/// - Throws: ``DeadlineExceeded`` if the limit passes first; `body` is then cancelled, and has ended when the error is
///   thrown.
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

/// The instant at which a request times out, by the continuous clock, which includes suspensions of the machine.
struct Deadline: Sendable {
    private let instant: ContinuousInstant?

    /// A deadline that never passes.
    static let never = Deadline(instant: nil)

    private init(instant: ContinuousInstant?) { self.instant = instant }

    init(after duration: Duration) { instant = SystemTime().continuous().advanced(by: duration) }

    /// The time-out for one call of poll(2), in milliseconds: 0 once the deadline has passed, -1 if it never does.
    ///
    /// It is at most a minute, because the clock of poll(2) stops while the machine is suspended.
    var milliseconds: Int32 {
        guard let instant else { return -1 }
        let left = SystemTime().continuous().duration(to: instant)
        return left <= .zero ? 0 : Int32(clamping: max(1, min(60_000, left.wholeNanoseconds / 1_000_000)))
    }
}

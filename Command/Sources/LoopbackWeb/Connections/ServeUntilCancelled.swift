import ApusTimers
import ServiceLifecycle

extension WebServer {
    /// Serves until the calling task is cancelled, and then ends in order: no more connections are taken, requests that
    /// have begun are answered, and connections without one are closed.
    ///
    /// Cancelling `run()` instead ends the process now and then: a connection that was accepted and not yet looked at
    /// is dropped by SwiftNIO, which traps (swift-nio issue 2637). For the same reason what takes too long is not
    /// cancelled either, but abandoned.
    /// - Parameter limit: how long the end is waited for, in real time. A connection that takes longer is served on,
    ///   until it or the process ends.
    /// - Throws: what `run()` throws.
    public func serveUntilCancelled(endingWithin limit: Duration = .seconds(2)) async throws {
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [self], logger: logger))
        let end = End()
        // A task of its own, which the cancellation does not reach.
        Task {
            do {
                try await group.run()
                end.come(.success(()))
            } catch {
                end.come(.failure(error))
            }
        }
        try await withTaskCancellationHandler {
            try await end.wait()
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
            TimerEngine.shared.schedule(after: limit, tolerance: .milliseconds(100)) { end.come(.success(())) }
        }
    }
}

/// Comes once, and is waited for once, whether that is cancelled or not.
private final class End: Sendable {
    private struct State {
        var result: Result<Void, any Error>?
        var waiter: CheckedContinuation<Void, any Error>?
    }

    private let state = Locked(State())

    func come(_ result: Result<Void, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.waiter.take()
        }
        waiter?.resume(with: result)
    }

    func wait() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(with: result) }
        }
    }
}

/// Limits how many pieces of asynchronous work run at once, and starts them in the order of arrival.
///
/// Waiting blocks no thread, and does not end when the task is cancelled.
package final class Turnstile: Sendable {
    private struct State: ~Copyable {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state: Locked<State>

    package init(limit: Int = 1) { state = Locked(State(free: limit)) }

    /// Runs `body` as soon as fewer than `limit` of the earlier callers are waiting or running.
    package func pass<Value: Sendable, Failure: Error>(
        _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let mayPass = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if mayPass { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}

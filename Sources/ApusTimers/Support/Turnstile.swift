/// Lets asynchronous work pass one at a time, in the order of its arrival, without holding a thread.
package final class Turnstile: Sendable {
    private struct State: ~Copyable {
        var isOccupied = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Locked(State())

    package init() {}

    /// Runs `body` when everybody who came before has left.
    package func pass<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let mayPass = state.withLock { state in
                if state.isOccupied {
                    state.waiting.append(continuation)
                    return false
                }
                state.isOccupied = true
                return true
            }
            if mayPass { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.isOccupied = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

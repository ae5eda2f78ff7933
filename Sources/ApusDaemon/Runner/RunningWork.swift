import ApusJobs
import ApusTimers

/// The actions that run now.
final class RunningWork: Sendable {
    private struct State {
        var count = 0
        var wasCut = false
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }
    /// Whether an action was told to end because the daemon stopped, or goes on although it was told.
    var wasCut: Bool { state.withLock { $0.wasCut || $0.count > 0 } }

    func during(_ context: RunContext, _ body: () async throws -> Void) async throws {
        state.withLock { $0.count += 1 }
        defer {
            let isCut = context.cancellationReason == .shutdown
            state.withLock { state in
                state.count -= 1
                if isCut { state.wasCut = true }
            }
        }
        try await body()
    }
}

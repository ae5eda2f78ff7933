import ApusBackground
import ApusJobs
import ApusLinux
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

    /// Runs `body` under a background task of `host` with the job's name, so that the name is in the report when the
    /// process has to end before it.
    func during(_ context: RunContext, on host: LinuxHost, _ body: () async throws -> Void) async throws {
        var request = BackgroundTaskRequest(name: context.job.request.name ?? context.job.id.rawValue)
        // The scheduler tells the handler to end, before the host would.
        request.endsOnExpiration = false
        // Refused when the process is about to end: then the scheduler is about to cancel this run too.
        let claim = try? host.beginBackgroundTask(request)
        defer { claim?.end() }
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

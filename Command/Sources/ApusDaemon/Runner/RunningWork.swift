import ApusBackground
import ApusClient
import ApusJobs
import ApusLinux
import ApusTimers

/// The actions that run now.
final class RunningWork: Sendable {
    private struct State {
        var count = 0
        /// The names of the actions that were cancelled because the daemon stopped.
        var cut: [String] = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }
    /// Whether an action was cancelled because the daemon stopped, or is still running.
    var wasCut: Bool { state.withLock { !$0.cut.isEmpty || $0.count > 0 } }
    /// The names of the actions that ended because they were cancelled.
    var cutNames: [String] { state.withLock { $0.cut } }

    /// Runs `body` under a background task of `host` with the job's name, so that the name is in the report when the
    /// process has to end before it.
    func during(_ context: RunContext, on host: LinuxHost, _ body: () async throws -> Void) async throws {
        let name = PrintableText.escaped(context.job.request.name ?? context.job.id.rawValue)
        var request = BackgroundTaskRequest(name: name)
        // The scheduler cancels the handler, before the host would.
        request.endsOnExpiration = false
        // Refused when the process is about to end: then the scheduler is about to cancel this run too.
        let claim = try? host.beginBackgroundTask(request)
        defer { claim?.end() }
        state.withLock { $0.count += 1 }
        defer {
            let isCut = context.cancellationReason == .shutdown
            state.withLock { state in
                state.count -= 1
                if isCut { state.cut.append(name) }
            }
        }
        try await body()
    }
}

import ApusClient
import ApusJobs
import ApusTimers

/// Follows the events of a job, also across restarts of the daemon.
struct JobFollower {
    let session: Session
    /// The job's identifier.
    let job: String
    /// Whether the follower starts a daemon again that has died, and ends when a daemon is stopped.
    ///
    /// If it is `false`, no daemon is started, and following continues with the next daemon that another program
    /// starts.
    var restartsDaemon = true
    /// Whether the output that runs in progress have already written is sent first.
    var replaysOutput = false

    /// An error that says that the daemon was stopped or its home was removed, and that no other daemon of the home has
    /// taken over.
    struct Stopped: Error {}

    /// The number of attempts to find the successor of a stopped daemon.
    ///
    /// The attempts take 5 s, in which a service manager restarts the daemon.
    private static let looksForSuccessor = 20

    /// Follows until a closure returns `false`, and shows notifications in the meantime.
    ///
    /// - Parameters:
    ///   - look: a closure that reads the state, which includes all earlier events; it is called when the daemon
    ///     listens, and after events were omitted.
    ///   - note: a closure that prints the text of a notification.
    ///   - event: a closure that is called with each `job`, `run`, `output` and `lost` event.
    ///   - interrupted: a closure that is called when the events end too early, and at each later attempt that fails.
    /// - Throws: `DaemonError` if the daemon answers that the job cannot be followed, ``Stopped``, `CancellationError`,
    ///   and the errors of the closures. While no daemon answers, the attempts continue.
    func follow(
        look: (DaemonClient) async throws -> Bool, note: (String) -> Void,
        event: (DaemonClient.Event) async throws -> Bool, interrupted: () -> Void = {}
    ) async throws {
        let clock = TimerClock.continuous()
        let client = session.client
        var continues = true
        var isFirst = true
        var looksLeft: Int?
        while continues {
            if restartsDaemon {
                if looksLeft == 0 || !isFirst && !session.home.exists { throw Stopped() }
                looksLeft = looksLeft.map { $0 - 1 }
            }
            isFirst = false
            do {
                if restartsDaemon, looksLeft == nil { _ = try await session.call { try await $0.health() } }
                try await client.listen(job: job, terminal: true, running: replaysOutput) { news in
                    switch news?.name {
                    case nil:
                        looksLeft = nil
                        continues = try await look(client)
                    case "lost":
                        continues = try await event(news!)
                        let isMissing = try news!.decoded(as: WireLost.self).events > 0
                        if continues, isMissing { continues = try await look(client) }
                    case "notification": note(try news!.decoded(as: WireNotification.self).text)
                    case "job", "run", "output": continues = try await event(news!)
                    default: break
                    }
                    return continues
                }
                // The answer ends without an error only if the daemon was stopped; if a daemon dies, the connection
                // breaks. A stopped daemon is not started again, so only its successor is looked for.
                looksLeft = Self.looksForSuccessor
            } catch let error as DaemonError where !Self.isRefusal(error.code) {
                // The attempt is repeated below.
            }
            guard continues else { return }
            interrupted()
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(250)), tolerance: nil)
        }
    }

    /// Returns whether the error is final, so that repeating the request is of no use.
    private static func isRefusal(_ code: DaemonError.Code) -> Bool {
        [.invalid, .forbidden, .jobs(.notFound), .jobs(.ambiguous)].contains(code)
    }
}

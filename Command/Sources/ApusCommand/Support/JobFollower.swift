import ApusClient
import ApusJobs
import ApusTimers

/// Follows the events of a job, also over restarts of the daemon.
struct JobFollower {
    let session: Session
    /// The job's identifier.
    let job: String
    /// If true, a daemon that has died is started again, and following ends when one is stopped. Otherwise following
    /// waits for the next daemon.
    var restartsDaemon = true
    /// Whether the events begin with what runs in progress have printed so far.
    var replaysOutput = false

    /// The daemon was stopped, or its home removed, and no other daemon of the home has taken over.
    struct Stopped: Error {}

    /// How often the successor of a stopped daemon is looked for: for 5 s, in which a service manager has restarted it.
    private static let looksForSuccessor = 20

    /// Follows until a closure answers `false`, and shows notifications meanwhile.
    ///
    /// - Parameters:
    ///   - look: asks for the state, in which the events before it are: called when the daemon listens, and where it left
    ///     events out.
    ///   - note: prints the text of a notification.
    ///   - event: called with each `job`, `run`, `output` and `lost`.
    ///   - interrupted: called when it listens no more although it should, and at each try that fails from then on.
    /// - Throws: `DaemonError` if the daemon answers that the job cannot be followed, ``Stopped``, `CancellationError`, and
    ///   what the closures throw. While no daemon answers, it is tried again.
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
                // Only a daemon that stops ends its events; those of one that dies are cut off.
                looksLeft = Self.looksForSuccessor
            } catch let error as DaemonError where !Self.isRefusal(error.code) {
                // It is asked again below.
            }
            guard continues else { return }
            interrupted()
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(250)), tolerance: nil)
        }
    }

    /// Whether the daemon has said that it will never do what it was asked for.
    private static func isRefusal(_ code: DaemonError.Code) -> Bool {
        [.invalid, .forbidden, .jobs(.notFound), .jobs(.ambiguous)].contains(code)
    }
}

import ApusTimers
import Logging

/// Brings a notification center to what was wished last, identifier by identifier, one request at a time.
///
/// Wishes may be said from any thread; only the latest one for an identifier is carried out. The work is started where
/// the host runs the app's work, under a claim of its own, because the app may be on its way out.
final class NotificationWishes: Sendable {
    private struct State {
        /// What waits to be carried out, the oldest first; `nil` is a removal.
        var wishes: [(identifier: String, request: NotificationRequest?)] = []
        var isAtWork = false
    }

    private let host: any BackgroundHost
    private let scheduler: any NotificationScheduler
    private let logger: Logger
    private let state = Locked(State())

    init(host: any BackgroundHost, scheduler: any NotificationScheduler, logger: Logger) {
        self.host = host
        self.scheduler = scheduler
        self.logger = logger
    }

    /// The request is to be pending, in place of the one with the same identifier.
    func want(_ request: NotificationRequest) { wish(request.identifier, request) }

    /// No request with this identifier is to be pending.
    func remove(_ identifier: String) { wish(identifier, nil) }

    private func wish(_ identifier: String, _ request: NotificationRequest?) {
        let isFirst = state.withLock { state in
            state.wishes.removeAll { $0.identifier == identifier }
            state.wishes.append((identifier, request))
            defer { state.isAtWork = true }
            return !state.isAtWork
        }
        guard isFirst else { return }
        // Refused, there is still a good chance that it is done in time.
        let claim = try? host.beginBackgroundTask(named: "notifications")
        host.start { [self] in
            await work()
            claim?.end()
        }
    }

    private func work() async {
        while let (identifier, request) = next() {
            guard let request else {
                await scheduler.removePending([identifier])
                continue
            }
            do {
                try await scheduler.schedule(request)
            } catch {
                logger.error(
                    "a notification could not be scheduled",
                    metadata: ["notification": "\(identifier)", "error": "\(error)"])
            }
        }
    }

    private func next() -> (String, NotificationRequest?)? {
        state.withLock { state in
            guard !state.wishes.isEmpty else {
                state.isAtWork = false
                return nil
            }
            let first = state.wishes.removeFirst()
            return (first.identifier, first.request)
        }
    }
}

import ApusTimers
import Logging

/// Brings a notification center to what was wished last, identifier by identifier, one request at a time.
///
/// Wishes may be said from any thread, also under a lock: no other code is called before ``carryOut()``. Only the
/// latest one for an identifier is carried out. The work is started where the host runs the app's work, under a
/// background task of its own, because the app may be on its way out.
final class NotificationWishes: Sendable {
    private enum Wish {
        case add(NotificationRequest)
        /// As one that was asked for before: it may have been shown since.
        case keep(NotificationRequest)
        case remove
    }

    private struct State {
        /// What waits to be carried out, the oldest first.
        var wishes: [(identifier: String, wish: Wish)] = []
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
    func want(_ request: NotificationRequest) { wish(request.identifier, .add(request)) }

    /// The request that was wanted before is to be pending as it is now, unless it has been shown: the center follows
    /// the wall clock, and when that is set forth, a request is shown before its time, but not a second time.
    func keep(_ request: NotificationRequest) { wish(request.identifier, .keep(request)) }

    /// No request with this identifier is to be pending.
    func remove(_ identifier: String) { wish(identifier, .remove) }

    private func wish(_ identifier: String, _ wish: Wish) {
        state.withLock { state in
            var wish = wish
            if let index = state.wishes.firstIndex(where: { $0.identifier == identifier }) {
                // A wish that was not carried out yet cannot have been shown.
                if case (.add, .keep(let request)) = (state.wishes[index].wish, wish) { wish = .add(request) }
                state.wishes.remove(at: index)
            }
            state.wishes.append((identifier, wish))
        }
    }

    /// Begins to carry out what was wished, unless that is under way.
    func carryOut() {
        let isFirst = state.withLock { state in
            guard !state.isAtWork, !state.wishes.isEmpty else { return false }
            state.isAtWork = true
            return true
        }
        guard isFirst else { return }
        // Refused, there is still a good chance that it is done in time.
        let task = try? host.beginBackgroundTask(named: "notifications")
        host.start { [self] in
            await work()
            task?.end()
        }
    }

    private func work() async {
        while let (identifier, wish) = next() {
            switch wish {
            case .remove: await scheduler.removePending([identifier])
            case .add(let request): await schedule(request)
            case .keep(let request): if await !wasShown(identifier) { await schedule(request) }
            }
        }
    }

    /// The pending ones first: one that is shown between the two questions is found by the second.
    private func wasShown(_ identifier: String) async -> Bool {
        if await scheduler.pending().contains(where: { $0.identifier == identifier }) { return false }
        return await scheduler.delivered().contains(identifier)
    }

    private func schedule(_ request: NotificationRequest) async {
        do {
            try await scheduler.schedule(request)
        } catch {
            logger.error(
                "a notification could not be scheduled",
                metadata: ["notification": "\(request.identifier)", "error": "\(error)"])
        }
    }

    private func next() -> (String, Wish)? {
        state.withLock { state in
            guard !state.wishes.isEmpty else {
                state.isAtWork = false
                return nil
            }
            let first = state.wishes.removeFirst()
            return (first.identifier, first.wish)
        }
    }
}

import ApusTimers
import Logging

/// Schedules and removes notification requests one at a time, so that the center ends in the state that was last wanted
/// for each identifier.
///
/// A request may be wanted or removed from any thread, even under a lock, because no other code is called before
/// ``carryOut()``. Only the latest wish for an identifier is executed. The work runs where the host runs the app's
/// work. It has its own background task, because the app may be leaving the foreground.
final class NotificationWishes: Sendable {
    private enum Wish {
        case add(NotificationRequest)
        /// Schedule the request in place of an earlier one, unless the earlier one has been shown.
        case keep(NotificationRequest)
        case remove
    }

    private struct State {
        /// The wishes that were not executed yet, the oldest first.
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

    /// Makes the request pending, in place of the pending one with the same identifier.
    func want(_ request: NotificationRequest) { wish(request.identifier, .add(request)) }

    /// Replaces an earlier request by its current form, unless the earlier one has been shown.
    ///
    /// A center follows the wall clock: if the clock is set forward, a request is shown before its time, and must not
    /// be shown a second time.
    func keep(_ request: NotificationRequest) { wish(request.identifier, .keep(request)) }

    /// Removes the pending request with this identifier.
    func remove(_ identifier: String) { wish(identifier, .remove) }

    private func wish(_ identifier: String, _ wish: Wish) {
        state.withLock { state in
            var wish = wish
            if let index = state.wishes.firstIndex(where: { $0.identifier == identifier }) {
                // If the request was not added yet, it cannot have been shown, so its new form is simply added.
                if case (.add, .keep(let request)) = (state.wishes[index].wish, wish) { wish = .add(request) }
                state.wishes.remove(at: index)
            }
            state.wishes.append((identifier, wish))
        }
    }

    /// Starts executing the wishes, unless they are already being executed.
    func carryOut() {
        let isFirst = state.withLock { state in
            guard !state.isAtWork, !state.wishes.isEmpty else { return false }
            state.isAtWork = true
            return true
        }
        guard isFirst else { return }
        // If the background task is refused, the work may still be done in time.
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

    /// Returns whether the request with this identifier was shown.
    ///
    /// The pending requests are read first, so that the second call finds a request that is shown between the two
    /// calls.
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

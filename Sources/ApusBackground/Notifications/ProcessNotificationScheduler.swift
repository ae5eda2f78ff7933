import ApusTimers
public import Logging

/// A notification center in the process, for systems that can show a notification but keep no requests, such as Linux
/// desktops.
///
/// Requests end with the process. A restored ``Countdown`` submits its request again, so its notification survives as
/// the countdown does. The number of requests is unlimited. All members may be used from any thread.
///
/// An interval is measured on the continuous clock: setting the wall clock does not change it, and the time in which
/// the machine sleeps counts.
public final class ProcessNotificationScheduler: NotificationScheduler {
    private struct Entry {
        let request: NotificationRequest
        /// A number that distinguishes this request from an earlier one with the same identifier.
        let number: Int
        let due: Due
        var waiting: ScheduledTimer?
    }

    private enum Due {
        case wall(WallInstant)
        case continuous(ContinuousInstant)
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The identifiers of shown notifications, the latest last.
        var shown: [String] = []
        var lastNumber = 0
    }

    /// The maximum number of identifiers of shown notifications that are retained.
    private static let shownLimit = 1_000

    private let notifier: any Notifier
    private let host: any BackgroundHost
    private let logger: Logger
    private let state = Locked(State())

    /// Creates a center without requests.
    ///
    /// - Parameters:
    ///   - notifier: Shows the due notifications.
    ///   - host: The host whose engine waits for the due instants, and which starts the calls of the notifier.
    ///   - logger: Receives an error for each notification that could not be shown.
    public init(
        showing notifier: any Notifier, on host: any BackgroundHost, logger: Logger = Logger(label: "apus.background")
    ) {
        self.notifier = notifier
        self.host = host
        self.logger = logger
    }

    deinit {
        for entry in state.withLock({ $0.entries.values }) { entry.waiting?.cancel() }
    }

    /// Shows `notification` now, through the notifier.
    ///
    /// - Throws: The error of the notifier.
    public func notify(_ notification: UserNotification) async throws { try await notifier.notify(notification) }

    /// Keeps `request` until it is due, at an instant of the wall clock or after an interval of the continuous clock.
    ///
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` for an interval that is not accepted.
    public func schedule(_ request: NotificationRequest) async throws {
        try request.validate()
        let due: Due =
            switch request.trigger {
            case .at(let instant): .wall(instant)
            case .after(let interval, _): .continuous(host.engine.time.continuous().advanced(by: interval))
            }
        let replaced = state.withLock { arm(request, due: due, &$0) }
        replaced?.waiting?.cancel()
    }

    /// Removes pending requests and ignores unknown identifiers.
    public func removePending(_ identifiers: [String]) async {
        let removed = state.withLock { state in identifiers.compactMap { state.entries.removeValue(forKey: $0) } }
        for entry in removed { entry.waiting?.cancel() }
    }

    /// Returns the pending requests, the earliest first.
    public func pending() async -> [NotificationRequest] {
        let entries = state.withLock { Array($0.entries.values) }
        return entries.map { (left: left(until: $0.due), entry: $0) }
            .sorted { ($0.left, $0.entry.number) < ($1.left, $1.entry.number) }
            .map(\.entry.request)
    }

    /// Returns the identifiers of the last thousand notifications that this object has shown.
    public func delivered() async -> [String] { state.withLock { $0.shown } }

    private func left(until due: Due) -> Duration {
        let time = host.engine.time
        return switch due {
        case .wall(let instant): time.wall().duration(to: instant)
        case .continuous(let instant): time.continuous().duration(to: instant)
        }
    }

    /// Arms the engine for a request under the lock, and returns the replaced request with the same identifier.
    private func arm(_ request: NotificationRequest, due: Due, _ state: inout State) -> Entry? {
        state.lastNumber += 1
        let number = state.lastNumber
        let fire: @Sendable () -> Void = { [weak self] in self?.fire(request.identifier, number) }
        let waiting =
            switch due {
            case .wall(let instant): host.engine.schedule(at: instant, fire)
            case .continuous(let instant): host.engine.schedule(at: instant, fire)
            }
        return state.entries.updateValue(
            Entry(request: request, number: number, due: due, waiting: waiting), forKey: request.identifier)
    }

    /// Shows a due notification; called on the engine's thread.
    private func fire(_ identifier: String, _ number: Int) {
        let entry = state.withLock { state -> Entry? in
            guard let entry = state.entries[identifier], entry.number == number else { return nil }
            state.entries[identifier] = nil
            // A repeating request is armed again under the same lock, so that no caller can remove or replace it in
            // between.
            if case .continuous(let due) = entry.due, case .after(let interval, repeats: true) = entry.request.trigger {
                // The next instant keeps the phase of the repetitions. If several were missed, the notification is
                // shown once.
                let next = due.next(every: UInt64(interval.wholeNanoseconds), after: host.engine.time.continuous())
                _ = arm(entry.request, due: .continuous(next), &state)
            }
            return entry
        }
        guard let entry else { return }
        host.start { [self] in
            do {
                try await notifier.notify(entry.request.notification)
                state.withLock { state in
                    state.shown.removeAll { $0 == identifier }
                    state.shown.append(identifier)
                    if state.shown.count > Self.shownLimit { state.shown.removeFirst() }
                }
            } catch {
                logger.error(
                    "a notification could not be shown",
                    metadata: ["identifier": "\(identifier)", "error": "\(error)"])
            }
        }
    }
}

import ApusBackground
package import ApusDevice
package import ApusTimers
package import Foundation

/// A notification as the system keeps it for the app.
package struct PhoneNotification: Sendable, Hashable, Codable {
    package enum Trigger: Sendable, Hashable, Codable {
        case now
        case after(seconds: Double, repeats: Bool)
        case matching(DateComponents, repeats: Bool)
    }

    package let identifier: String
    package let title: String
    package let body: String
    package let trigger: Trigger
    /// The number on the app's icon.
    package let badge: Int?
    /// The rest of the content, as the framework encoded it.
    package let content: Data

    package init(identifier: String, title: String, body: String, trigger: Trigger, badge: Int?, content: Data) {
        (self.identifier, self.title, self.body) = (identifier, title, body)
        (self.trigger, self.badge, self.content) = (trigger, badge, content)
    }
}

extension PhoneNotification.Trigger {
    /// Returns the instant at which a request that is added at `now` is due; `nil` if it never is.
    ///
    /// Components with a year are a date that the app has computed, so they are translated like every other date.
    /// Components without one, such as "every day at nine", follow the device's own clock.
    package func first(now: WallInstant, dates: PhoneDates = .current) -> WallInstant? {
        switch self {
        case .now: return now
        case .after(let seconds, _): return now.advanced(by: .seconds(seconds))
        case .matching(let components, _):
            var calendar = components.calendar ?? Calendar.current
            if let zone = components.timeZone { calendar.timeZone = zone }
            let isAbsolute = components.year != nil
            let start = isAbsolute ? dates.date(of: now) : PhoneDates.device.date(of: now)
            guard let date = calendar.nextDate(after: start, matching: components, matchingPolicy: .nextTime) else {
                return nil
            }
            return isAbsolute ? dates.instant(ofWholeSecond: date) : PhoneDates.device.instant(ofWholeSecond: date)
        }
    }

    /// Returns the next instant after the one at which the notification was shown; `nil` if the trigger does not
    /// repeat.
    func next(after instant: WallInstant, added: WallInstant, dates: PhoneDates) -> WallInstant? {
        switch self {
        case .after(let seconds, repeats: true):
            // A repeating interval was validated to be at least a minute.
            added.next(every: UInt64(Duration.seconds(seconds).wholeNanoseconds), after: instant)
        case .matching(_, repeats: true): first(now: instant, dates: dates)
        case .now, .after, .matching: nil
        }
    }
}

/// The phone's notification center, as the frameworks use it on any thread.
package protocol PhoneNotifications: AnyObject, Sendable {
    /// Called on the main loop with notifications that arrive while the app is in the foreground.
    ///
    /// While it is `nil`, the system does not show these notifications.
    var onDelivery: (@MainActor @Sendable (DeliveredNotification) -> Void)? { get set }
    /// Called on the main loop when the user has opened a notification.
    var onOpen: (@MainActor @Sendable (DeliveredNotification) -> Void)? { get set }
    var authorization: NotificationAuthorization { get }
    /// The pending notifications, earliest first.
    var pending: [PhoneNotification] { get }
    /// The notifications that were shown and not removed, oldest first.
    var delivered: [DeliveredNotification] { get }

    /// Asks the user for authorization, and calls back once with the result; the app is inactive meanwhile.
    func askForAuthorization(
        provisional: Bool, badge: Bool, _ answered: @escaping @Sendable (NotificationAuthorization) -> Void)
    /// The number on the app's icon.
    var badge: Int { get }
    /// Whether the app may set a number on its icon; `nil` if it has not asked for that.
    var allowsBadge: Bool? { get }
    /// Sets the number on the app's icon; without the permission this only logs a warning.
    func setBadge(_ number: Int)
    func add(_ notification: PhoneNotification)
    func removePending(_ identifiers: [String])
    func removeDelivered(_ identifiers: [String])
    /// Shows a notification that arrived while the app was in the foreground.
    func show(_ notification: PhoneNotification)
}

/// A notification that was shown, or is about to be, with the instant of its arrival.
package struct DeliveredNotification: Sendable, Hashable, Codable {
    package let notification: PhoneNotification
    package let instant: WallInstant
}

/// The parts of the app's notifications that the device's notification center does not store; they outlive the app's
/// processes.
final class NotificationShelf: Sendable {
    private struct State {
        var notifications: [String: PhoneNotification] = [:]
        var cameAt: [String: WallInstant] = [:]
    }

    private let state = Locked(State())

    func keep(_ notification: PhoneNotification) {
        state.withLock { $0.notifications[notification.identifier] = notification }
    }

    func came(_ identifier: String, at instant: WallInstant) { state.withLock { $0.cameAt[identifier] = instant } }

    func notification(_ identifier: String) -> PhoneNotification? { state.withLock { $0.notifications[identifier] } }

    func delivered(_ identifier: String) -> DeliveredNotification? {
        state.withLock { state in
            guard let notification = state.notifications[identifier], let instant = state.cameAt[identifier] else {
                return nil
            }
            return DeliveredNotification(notification: notification, instant: instant)
        }
    }
}

/// The device's notification center, as used by one process of the app.
final class DeviceNotifications: PhoneNotifications {
    private struct Handlers {
        var onDelivery: (@MainActor @Sendable (DeliveredNotification) -> Void)?
        var onOpen: (@MainActor @Sendable (DeliveredNotification) -> Void)?
    }

    private let center: SimulatedNotificationCenter
    private let shelf: NotificationShelf
    private let time: any TimeSource
    private let dates: PhoneDates
    private let handlers = Locked(Handlers())

    /// Creates the notification center for a process.
    ///
    /// - Parameters:
    ///   - host: The host of the process.
    ///   - shelf: The stored parts of the notifications.
    ///   - dates: The translation of the process's dates.
    init(_ host: SimulatedHost, _ shelf: NotificationShelf, dates: PhoneDates) {
        center = host.notifications
        self.shelf = shelf
        time = host.engine.time
        self.dates = dates
        center.advise(inFront: "set the delegate of UNUserNotificationCenter, and answer willPresent")
    }

    var onDelivery: (@MainActor @Sendable (DeliveredNotification) -> Void)? {
        get { handlers.withLock { $0.onDelivery } }
        set {
            handlers.exchange(\.onDelivery, with: newValue)
            guard let newValue else {
                center.onForegroundDelivery = nil
                return
            }
            center.onForegroundDelivery = { [shelf] request in
                if let delivered = shelf.delivered(request.identifier) { newValue(delivered) }
                return .none
            }
        }
    }

    var onOpen: (@MainActor @Sendable (DeliveredNotification) -> Void)? {
        get { handlers.withLock { $0.onOpen } }
        set {
            handlers.exchange(\.onOpen, with: newValue)
            guard let newValue else {
                center.onTap = nil
                return
            }
            center.onTap = { [shelf] request in
                if let delivered = shelf.delivered(request.identifier) { newValue(delivered) }
            }
        }
    }

    var authorization: NotificationAuthorization { center.authorization }
    var pending: [PhoneNotification] { center.waiting.compactMap { shelf.notification($0.identifier) } }
    var delivered: [DeliveredNotification] { center.shown.compactMap { shelf.delivered($0.request.identifier) } }

    var badge: Int { center.badge }
    var allowsBadge: Bool? { center.hasAskedForBadge ? center.allowsBadge : nil }
    func setBadge(_ number: Int) { center.setBadge(number) }

    func askForAuthorization(
        provisional: Bool, badge: Bool, _ answered: @escaping @Sendable (NotificationAuthorization) -> Void
    ) { center.askForAuthorization(provisional: provisional, badge: badge, answered) }

    func add(_ notification: PhoneNotification) {
        let (trigger, identifier, now) = (notification.trigger, notification.identifier, time.wall())
        // A notification that is never due is not kept.
        guard let due = trigger.first(now: now, dates: dates) else { return }
        shelf.keep(notification)
        center.add(request(notification, due: due), badge: notification.badge) { [shelf, dates] delivered in
            shelf.came(identifier, at: delivered)
            return trigger.next(after: delivered, added: now, dates: dates)
        }
    }

    func removePending(_ identifiers: [String]) { center.removeWaiting(identifiers) }
    func removeDelivered(_ identifiers: [String]) { center.removeDelivered(identifiers) }
    func show(_ notification: PhoneNotification) { center.show(request(notification, due: time.wall())) }

    private func request(_ notification: PhoneNotification, due: WallInstant) -> NotificationRequest {
        let trigger: NotificationRequest.Trigger =
            if case .after(let seconds, let repeats) = notification.trigger {
                .after(.seconds(seconds), repeats: repeats)
            } else {
                .at(due)
            }
        return NotificationRequest(
            identifier: notification.identifier,
            notification: UserNotification(title: notification.title, body: notification.body), trigger: trigger)
    }
}

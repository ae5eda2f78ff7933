import ApusTimers
import SimulatedAppleCore

/// A notification, and the trigger that shows it.
public final class UNNotificationRequest: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: all stored properties are immutable, and the content is a copy.

    /// The identifier; a new request replaces a pending one with the same identifier.
    public let identifier: String
    /// The content of the notification.
    public let content: UNNotificationContent
    /// The trigger; `nil` shows the notification at once.
    public let trigger: UNNotificationTrigger?

    /// Creates a request; a mutable content is copied.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content.copy() as? UNNotificationContent ?? content
        self.trigger = trigger
        super.init()
    }

    /// The request in the form that the phone keeps.
    var kept: PhoneNotification {
        PhoneNotification(
            identifier: identifier, title: content.title, body: content.body, trigger: trigger?.kept ?? .now,
            badge: content.badge?.intValue, content: content.archived)
    }

    /// Creates the request that the phone has kept.
    convenience init(_ kept: PhoneNotification) {
        self.init(
            identifier: kept.identifier, content: UNNotificationContent(archived: kept.content),
            trigger: UNNotificationTrigger.make(kept.trigger))
    }
}

/// A notification that was shown, or is about to be.
public final class UNNotification: NSObject, Sendable {
    /// The date of the notification's arrival.
    public let date: Date
    /// The request.
    public let request: UNNotificationRequest

    init(_ delivered: DeliveredNotification) {
        date = SimulatedPhone.date(of: delivered.instant)
        request = UNNotificationRequest(delivered.notification)
        super.init()
    }
}

/// The user's response to a notification, which here is always to open it.
public class UNNotificationResponse: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    /// The notification.
    public let notification: UNNotification
    /// The action, which is always ``UNNotificationDefaultActionIdentifier``.
    public let actionIdentifier = UNNotificationDefaultActionIdentifier

    init(notification: UNNotification) {
        self.notification = notification
        super.init()
    }
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action with which the user opens a notification.
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action with which the user dismisses a notification; the simulation does not use it.
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// The condition under which a notification is shown.
///
/// For `@unchecked Sendable`: all stored properties of this class and its subclasses are immutable.
open class UNNotificationTrigger: NSObject, @unchecked Sendable {
    /// Whether the notification is shown repeatedly.
    public let repeats: Bool

    init(repeats: Bool) {
        self.repeats = repeats
        super.init()
    }

    /// The trigger in the form that the phone keeps.
    var kept: PhoneNotification.Trigger { .now }

    /// The date at which a request that is added now would be shown.
    fileprivate var nextDate: Date? {
        kept.first(now: SimulatedPhone.process.host.engine.time.wall()).map(SimulatedPhone.date)
    }

    /// Creates the trigger that the phone has kept.
    static func make(_ kept: PhoneNotification.Trigger) -> UNNotificationTrigger? {
        switch kept {
        case .now: nil
        case .after(let seconds, let repeats):
            UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: repeats)
        case .matching(let components, let repeats):
            UNCalendarNotificationTrigger(dateMatching: components, repeats: repeats)
        }
    }
}

/// A trigger that shows a notification after an interval.
///
/// The interval must be positive, and at least 60 s if it repeats. Otherwise a phone ends the app, and the simulated
/// one records the fault `NSInternalInconsistencyException.notificationInterval` when the request is added.
public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {  // constants
    /// The interval in seconds.
    public let timeInterval: TimeInterval

    /// Creates a trigger that waits `timeInterval` seconds.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        self.timeInterval = timeInterval
        super.init(repeats: repeats)
    }

    /// Returns the date at which a request that is added now would be shown.
    public func nextTriggerDate() -> Date? { nextDate }

    override var kept: PhoneNotification.Trigger { .after(seconds: timeInterval, repeats: repeats) }
}

/// A trigger that shows a notification when the clock shows the given components.
///
/// Components with a year are a date that the app has computed from its own clock, so they are translated like every
/// other date (see `SimulatedPhone.instant(of:)`). Components without a year, such as "every day at nine", follow the
/// device's own clock.
public final class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {  // constants
    /// The components that the clock must show.
    public let dateComponents: DateComponents

    /// Creates a trigger that waits until the clock shows these components.
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    /// Returns the date at which a request that is added now would be shown; `nil` if there is none.
    public func nextTriggerDate() -> Date? { nextDate }

    override var kept: PhoneNotification.Trigger { .matching(dateComponents, repeats: repeats) }
}

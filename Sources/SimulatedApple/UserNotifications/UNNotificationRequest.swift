import ApusTimers
import SimulatedAppleCore

/// A notification and when it is to be shown.
public final class UNNotificationRequest: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing of it changes, and the content is a copy.

    /// Names the request; another one with the same identifier replaces it.
    public let identifier: String
    /// What it says.
    public let content: UNNotificationContent
    /// When it is shown; `nil` is at once.
    public let trigger: UNNotificationTrigger?

    /// A request. A mutable content is copied.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content.copy() as? UNNotificationContent ?? content
        self.trigger = trigger
        super.init()
    }

    /// What the phone keeps of it.
    var kept: PhoneNotification {
        PhoneNotification(
            identifier: identifier, title: content.title, body: content.body, trigger: trigger?.kept ?? .now,
            content: content.archived)
    }

    /// The request that the phone has kept.
    convenience init(_ kept: PhoneNotification) {
        self.init(
            identifier: kept.identifier, content: UNNotificationContent(archived: kept.content),
            trigger: UNNotificationTrigger.make(kept.trigger))
    }
}

/// A notification that was shown, or that is about to be.
public final class UNNotification: NSObject, Sendable {
    /// When it came.
    public let date: Date
    /// What was asked for.
    public let request: UNNotificationRequest

    init(_ delivered: DeliveredNotification) {
        date = SimulatedPhone.date(of: delivered.instant)
        request = UNNotificationRequest(delivered.notification)
        super.init()
    }
}

/// What the user has done with a notification: here always that it was opened.
public final class UNNotificationResponse: NSObject, Sendable {
    /// The notification.
    public let notification: UNNotification
    /// ``UNNotificationDefaultActionIdentifier``.
    public let actionIdentifier = UNNotificationDefaultActionIdentifier

    init(notification: UNNotification) {
        self.notification = notification
        super.init()
    }
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action of a user who opens a notification.
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action of a user who takes a notification away. The simulation does not give it.
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// When a notification is shown.
///
/// For `@unchecked Sendable`: nothing of it changes, nor of its subclasses.
open class UNNotificationTrigger: NSObject, @unchecked Sendable {
    /// Whether it is shown repeatedly.
    public let repeats: Bool

    init(repeats: Bool) {
        self.repeats = repeats
        super.init()
    }

    /// What the phone keeps of it.
    var kept: PhoneNotification.Trigger { .now }

    /// When a request that is added now would be shown.
    fileprivate var nextDate: Date? {
        kept.first(now: SimulatedPhone.process.host.engine.time.wall()).map(SimulatedPhone.date)
    }

    /// The trigger that the phone has kept.
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

/// After an interval. It has to be positive, and at least 60 s if it repeats; a phone ends the app otherwise, and the
/// simulated one reports the fault `NSInternalInconsistencyException.notificationInterval` when the request is added.
public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {  // constants
    /// The interval in seconds.
    public let timeInterval: TimeInterval

    /// A trigger that waits `timeInterval` seconds.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        self.timeInterval = timeInterval
        super.init(repeats: repeats)
    }

    /// When a request that is added now would be shown.
    public func nextTriggerDate() -> Date? { nextDate }

    override var kept: PhoneNotification.Trigger { .after(seconds: timeInterval, repeats: repeats) }
}

/// When the clock shows something.
///
/// Components with a year are a date that the app has computed from the machine's clock, so it is translated like every
/// other date (see `SimulatedPhone.instant(of:)`). Components without one, "every day at nine", are looked for on the
/// device's own clock.
public final class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {  // constants
    /// What the clock has to show.
    public let dateComponents: DateComponents

    /// A trigger that waits until the clock shows these components.
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    /// When it is shown next; nil when that is over.
    public func nextTriggerDate() -> Date? { nextDate }

    override var kept: PhoneNotification.Trigger { .matching(dateComponents, repeats: repeats) }
}

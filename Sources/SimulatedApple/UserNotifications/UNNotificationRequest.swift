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

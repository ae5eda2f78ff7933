import ApusVirtualTime
import SimulatedAppleCore

// These declarations have been deprecated since iOS 10 or iOS 13. Apps that use them compile, with deprecation
// warnings. The methods do nothing, or only write a warning that names the replacement into the device's log.

/// The outcome of a background fetch.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// There was new data.
    case newData = 0
    /// There was no new data.
    case noData = 1
    /// The fetch failed.
    case failed = 2
}

/// The notification that apps used before `UserNotifications`, which is never shown here.
///
/// Rule: Apple, documentation/uikit/uilocalnotification (deprecated since iOS 10).
@available(*, deprecated, message: "use UNNotificationRequest of UserNotifications")
@preconcurrency @MainActor
open class UILocalNotification: NSObject {
    /// The time at which the notification is shown.
    open var fireDate: Date?
    /// The time zone of the date.
    open var timeZone: TimeZone?
    /// The title.
    open var alertTitle: String?
    /// The text.
    open var alertBody: String?
    /// The text of the button.
    open var alertAction: String?
    /// The name of a sound file.
    open var soundName: String?
    /// The number shown on the app's icon.
    open var applicationIconBadgeNumber = 0
    /// Values that the app receives again with the notification.
    open var userInfo: [AnyHashable: Any]?
    /// The identifier of the category, which determines the actions.
    open var category: String?

    /// Creates a notification without a date.
    override public init() { super.init() }
}

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the system's sound.
@available(*, deprecated, message: "use UNNotificationSound.default of UserNotifications")
public let UILocalNotificationDefaultSoundName = "UILocalNotificationDefaultSoundName"

/// The ways in which apps notified the user before `UserNotifications` existed.
@available(*, deprecated, message: "use UNAuthorizationOptions of UserNotifications")
public struct UIUserNotificationType: OptionSet, Sendable {
    /// The raw value, in which each bit stands for one way of notifying the user.
    public let rawValue: UInt
    /// Creates a set with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A number on the app's icon.
    public static let badge = UIUserNotificationType(rawValue: 1)
    /// A sound.
    public static let sound = UIUserNotificationType(rawValue: 2)
    /// An alert.
    public static let alert = UIUserNotificationType(rawValue: 4)
}

/// The request for permission to notify the user, as apps made it before `UserNotifications` existed.
@available(*, deprecated, message: "use UNUserNotificationCenter.requestAuthorization(options:)")
@preconcurrency @MainActor
open class UIUserNotificationSettings: NSObject {
    /// The ways in which the app wants to notify the user.
    public let types: UIUserNotificationType

    /// Creates a request; the categories have no effect here.
    public init(types: UIUserNotificationType, categories: Set<AnyHashable>?) {
        self.types = types
        super.init()
    }
}

extension UIApplication {
    /// The interval with which ``setMinimumBackgroundFetchInterval(_:)`` turns fetching off.
    nonisolated public class var backgroundFetchIntervalNever: TimeInterval { .greatestFiniteMagnitude }
    /// The interval with which ``setMinimumBackgroundFetchInterval(_:)`` leaves the frequency to the system.
    nonisolated public class var backgroundFetchIntervalMinimum: TimeInterval { 0 }

    /// Writes a warning into the device's log; `application(_:performFetchWithCompletionHandler:)` is never called
    /// here.
    ///
    /// Rule: Apple, documentation/uikit/uiapplication/setminimumbackgroundfetchinterval(_:) (deprecated since iOS 13,
    /// replaced by `BGAppRefreshTask`).
    @available(*, deprecated, message: "submit a BGAppRefreshTaskRequest to BGTaskScheduler")
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
        warn(
            "setMinimumBackgroundFetchInterval has no effect here: submit a BGAppRefreshTaskRequest to BGTaskScheduler")
    }

    /// Writes a warning into the device's log; the user is not asked.
    @available(*, deprecated, message: "use UNUserNotificationCenter.requestAuthorization(options:)")
    public func registerUserNotificationSettings(_ notificationSettings: UIUserNotificationSettings) {
        warn(
            "registerUserNotificationSettings has no effect here: use UNUserNotificationCenter.requestAuthorization")
    }

    /// Writes a warning into the device's log; nothing is shown.
    @available(*, deprecated, message: "use UNUserNotificationCenter.add(_:)")
    public func scheduleLocalNotification(_ notification: UILocalNotification) {
        warn("scheduleLocalNotification has no effect here: use UNUserNotificationCenter.add")
    }

    /// Writes a warning into the device's log; nothing is shown.
    @available(*, deprecated, message: "use UNUserNotificationCenter.add(_:)")
    public func presentLocalNotificationNow(_ notification: UILocalNotification) {
        warn("presentLocalNotificationNow has no effect here: use UNUserNotificationCenter.add")
    }

    /// Does nothing.
    @available(*, deprecated, message: "use UNUserNotificationCenter.removePendingNotificationRequests")
    public func cancelLocalNotification(_ notification: UILocalNotification) {}

    /// Does nothing.
    @available(*, deprecated, message: "use UNUserNotificationCenter.removeAllPendingNotificationRequests")
    public func cancelAllLocalNotifications() {}

    private func warn(_ text: String) { host.warn(text) }
}

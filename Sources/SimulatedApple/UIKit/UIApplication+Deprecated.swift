import ApusVirtualTime
import SimulatedAppleCore

// What apps were written with before iOS 10 and iOS 13. It compiles, with the compiler's warning that it is deprecated,
// and does nothing but write a warning into the device's log, which names what took its place.

/// What a background fetch has brought.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// Something new.
    case newData = 0
    /// Nothing new.
    case noData = 1
    /// An error.
    case failed = 2
}

/// A notification of the time before `UserNotifications`. Nothing shows it here.
///
/// Rule: Apple, documentation/uikit/uilocalnotification: deprecated since iOS 10.
@available(*, deprecated, message: "use UNNotificationRequest of UserNotifications")
@preconcurrency @MainActor
open class UILocalNotification: NSObject {
    /// When it is shown.
    open var fireDate: Date?
    /// The zone in which the date is meant.
    open var timeZone: TimeZone?
    /// What the user reads above the text.
    open var alertTitle: String?
    /// What the user reads.
    open var alertBody: String?
    /// What the button says.
    open var alertAction: String?
    /// The name of a file with a sound.
    open var soundName: String?
    /// The number on the app's icon.
    open var applicationIconBadgeNumber = 0
    /// What the app wants to know again.
    open var userInfo: [AnyHashable: Any]?
    /// Which actions it has.
    open var category: String?

    /// A notification without a date.
    override public init() { super.init() }
}

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the system's sound.
@available(*, deprecated, message: "use UNNotificationSound.default of UserNotifications")
public let UILocalNotificationDefaultSoundName = "UILocalNotificationDefaultSoundName"

/// How the user is notified, before `UserNotifications`.
@available(*, deprecated, message: "use UNAuthorizationOptions of UserNotifications")
public struct UIUserNotificationType: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Types with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A number on the icon.
    public static let badge = UIUserNotificationType(rawValue: 1)
    /// A sound.
    public static let sound = UIUserNotificationType(rawValue: 2)
    /// An alert.
    public static let alert = UIUserNotificationType(rawValue: 4)
}

/// What an app asked for before `UserNotifications`.
@available(*, deprecated, message: "use UNUserNotificationCenter.requestAuthorization(options:)")
@preconcurrency @MainActor
open class UIUserNotificationSettings: NSObject {
    /// How the user is notified.
    public let types: UIUserNotificationType

    /// What an app asks for. Categories have no effect here.
    public init(types: UIUserNotificationType, categories: Set<AnyHashable>?) {
        self.types = types
        super.init()
    }
}

extension UIApplication {
    /// Never, for ``setMinimumBackgroundFetchInterval(_:)``.
    nonisolated public class var backgroundFetchIntervalNever: TimeInterval { .greatestFiniteMagnitude }
    /// As often as the system likes, for ``setMinimumBackgroundFetchInterval(_:)``.
    nonisolated public class var backgroundFetchIntervalMinimum: TimeInterval { 0 }

    /// Fetches nothing: no delegate's `application(_:performFetchWithCompletionHandler:)` is called here.
    ///
    /// Rule: Apple, documentation/uikit/uiapplication/setminimumbackgroundfetchinterval(_:): deprecated since iOS 13,
    /// in favor of `BGAppRefreshTask`.
    @available(*, deprecated, message: "submit a BGAppRefreshTaskRequest to BGTaskScheduler")
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
        warn(
            "setMinimumBackgroundFetchInterval has no effect here: submit a BGAppRefreshTaskRequest to BGTaskScheduler")
    }

    /// Asks the user nothing.
    @available(*, deprecated, message: "use UNUserNotificationCenter.requestAuthorization(options:)")
    public func registerUserNotificationSettings(_ notificationSettings: UIUserNotificationSettings) {
        warn(
            "registerUserNotificationSettings has no effect here: use UNUserNotificationCenter.requestAuthorization")
    }

    /// Shows nothing.
    @available(*, deprecated, message: "use UNUserNotificationCenter.add(_:)")
    public func scheduleLocalNotification(_ notification: UILocalNotification) {
        warn("scheduleLocalNotification has no effect here: use UNUserNotificationCenter.add")
    }

    /// Shows nothing.
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

/// The permissions that an app asks for.
public struct UNAuthorizationOptions: OptionSet, Sendable {
    /// The raw value, in which each bit stands for one permission.
    public let rawValue: UInt
    /// Creates a set with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The number on the app's icon.
    public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)
    /// Sounds.
    public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
    /// Notifications on the screen.
    public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
    /// Notifications in a car.
    public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)
    /// Sounds even when the phone is muted.
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 1 << 4)
    /// A button in the settings that opens the app's own page of settings.
    public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 1 << 5)
    /// Quiet notifications, for which the user is not asked.
    public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)
}

/// The user's permission.
public enum UNAuthorizationStatus: Int, Sendable {
    /// The user has not been asked yet.
    case notDetermined = 0
    /// The user has refused.
    case denied = 1
    /// The user has allowed everything that was asked for.
    case authorized = 2
    /// Quiet notifications are allowed, although the user was not asked.
    case provisional = 3
    /// The app is an app clip; the simulation does not use this case.
    case ephemeral = 4
}

/// The ways in which a notification is presented while the app is in the foreground.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    /// The raw value, in which each bit stands for one way of presenting a notification.
    public let rawValue: UInt
    /// Creates a set with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The number on the app's icon changes.
    public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)
    /// The sound is played.
    public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)
    /// The notification is shown; the older name for `list` and `banner`.
    public static let alert = UNNotificationPresentationOptions(rawValue: 1 << 2)
    /// The notification is added to the list.
    public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)
    /// The notification is shown over the app.
    public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)
}

/// The value of a setting.
public enum UNNotificationSetting: Int, Sendable {
    /// The app has no such setting.
    case notSupported = 0
    /// The setting is off.
    case disabled = 1
    /// The setting is on.
    case enabled = 2
}

/// The user's permission and settings at the time at which they were read.
///
/// The simulated user has one setting for everything that the app has asked for.
public final class UNNotificationSettings: NSObject, Sendable {
    /// The user's permission.
    public let authorizationStatus: UNAuthorizationStatus
    /// Whether notifications are shown.
    public var alertSetting: UNNotificationSetting { setting }
    /// Whether sounds are played.
    public var soundSetting: UNNotificationSetting { setting }
    /// Whether the app's icon may have a number.
    public let badgeSetting: UNNotificationSetting

    private var setting: UNNotificationSetting {
        authorizationStatus == .authorized || authorizationStatus == .provisional ? .enabled : .disabled
    }

    init(_ status: UNAuthorizationStatus, allowsBadge: Bool?) {
        authorizationStatus = status
        badgeSetting = allowsBadge.map { $0 ? .enabled : .disabled } ?? .notSupported
        super.init()
    }
}

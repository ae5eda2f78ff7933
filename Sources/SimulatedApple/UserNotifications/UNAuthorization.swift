/// What an app asks the user for.
public struct UNAuthorizationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Options with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The number on the app's icon.
    public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)
    /// Sounds.
    public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
    /// Showing something.
    public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
    /// Showing something in a car.
    public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)
    /// Sounds although the phone is muted.
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 1 << 4)
    /// A page in the app where the user chooses.
    public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 1 << 5)
    /// Quiet notifications, without asking the user.
    public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)
}

/// What the user allows.
public enum UNAuthorizationStatus: Int, Sendable {
    /// The user was not asked yet.
    case notDetermined = 0
    /// Nothing.
    case denied = 1
    /// Everything that was asked for.
    case authorized = 2
    /// Quiet notifications.
    case provisional = 3
    /// For app clips; the simulation does not give it.
    case ephemeral = 4
}

/// What becomes of a notification that comes while the app is in front.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Options with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The number on the app's icon changes.
    public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)
    /// It plays a sound.
    public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)
    /// It is shown; the older name.
    public static let alert = UNNotificationPresentationOptions(rawValue: 1 << 2)
    /// It is kept in the list.
    public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)
    /// It is shown over the app.
    public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)
}

/// Whether something is switched on.
public enum UNNotificationSetting: Int, Sendable {
    /// There is no such thing.
    case notSupported = 0
    /// It is off.
    case disabled = 1
    /// It is on.
    case enabled = 2
}

/// What the user allows, as it was when it was asked for. The simulated user has one switch for everything.
public final class UNNotificationSettings: NSObject, Sendable {
    /// What the user allows.
    public let authorizationStatus: UNAuthorizationStatus
    /// Whether anything is shown.
    public var alertSetting: UNNotificationSetting { setting }
    /// Whether sounds are played.
    public var soundSetting: UNNotificationSetting { setting }
    /// Whether the icon has a number.
    public var badgeSetting: UNNotificationSetting { setting }

    private var setting: UNNotificationSetting {
        authorizationStatus == .authorized || authorizationStatus == .provisional ? .enabled : .disabled
    }

    init(_ status: UNAuthorizationStatus) {
        authorizationStatus = status
        super.init()
    }
}

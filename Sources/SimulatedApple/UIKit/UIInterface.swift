import ApusBackground
import SimulatedAppleCore

// Properties of the interface, which have no effect, because nothing is drawn. Rules: Apple, the pages of the same
// names.

extension RunLoop.Mode {
    /// The mode of the main run loop while the user scrolls, in an app that runs in a process of its own.
    ///
    /// In an app that runs in the test's process, the main run loop is never in this mode.
    public static let tracking = RunLoop.Mode("UITrackingRunLoopMode")
}

/// The orientation of the interface, always `portrait` here.
public enum UIInterfaceOrientation: Int, Sendable {
    /// No orientation is known.
    case unknown = 0
    /// Upright, or upside down.
    case portrait, portraitUpsideDown
    /// With one of the phone's long sides at the bottom.
    case landscapeRight, landscapeLeft

    /// Whether the interface is upright or upside down.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
    /// Whether one of the phone's long sides is at the bottom.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}

/// Orientations that an app supports, which have no effect here.
public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    /// The raw value, in which each bit stands for one orientation.
    public let rawValue: UInt
    /// Creates a set with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Upright.
    public static let portrait = UIInterfaceOrientationMask(rawValue: 2)
    /// Upside down.
    public static let portraitUpsideDown = UIInterfaceOrientationMask(rawValue: 4)
    /// With one of the phone's long sides at the bottom.
    public static let landscapeLeft = UIInterfaceOrientationMask(rawValue: 16)
    /// On a long side.
    public static let landscapeRight = UIInterfaceOrientationMask(rawValue: 8)
    /// On a long side.
    public static let landscape: UIInterfaceOrientationMask = [.landscapeLeft, .landscapeRight]
    /// All orientations.
    public static let all: UIInterfaceOrientationMask = [.portrait, .landscape, .portraitUpsideDown]
    /// All but upside down.
    public static let allButUpsideDown: UIInterfaceOrientationMask = [.portrait, .landscape]
}

/// The style of the status bar.
public enum UIStatusBarStyle: Int, Sendable {
    /// Dark or light, as the interface requires.
    case `default` = 0
    /// Light.
    case lightContent = 1
    /// Dark.
    case darkContent = 3
}

/// The appearance of the interface, `light` here.
public enum UIUserInterfaceStyle: Int, Sendable {
    /// The appearance that the system's settings have.
    case unspecified = 0
    /// Light, or dark.
    case light, dark
}

/// The kind of device, `phone` here.
public enum UIUserInterfaceIdiom: Int, Sendable {
    /// Not known.
    case unspecified = -1
    /// A phone.
    case phone
    /// A tablet.
    case pad
    /// A television.
    case tv
    /// A car.
    case carPlay
    /// A computer.
    case mac = 5
    /// A headset.
    case vision
}

/// The space that the interface has in one direction.
public enum UIUserInterfaceSizeClass: Int, Sendable {
    /// Not known.
    case unspecified = 0
    /// Small, or large.
    case compact, regular
}

/// The properties of the environment in which a part of the interface is shown.
@preconcurrency @MainActor
open class UITraitCollection: NSObject {
    /// The properties of the phone.
    public class var current: UITraitCollection { UITraitCollection() }
    /// The appearance: `light`.
    open var userInterfaceStyle: UIUserInterfaceStyle { .light }
    /// The kind of device: `phone`.
    open var userInterfaceIdiom: UIUserInterfaceIdiom { .phone }
    /// The width: `compact`.
    open var horizontalSizeClass: UIUserInterfaceSizeClass { .compact }
    /// The height: `regular`.
    open var verticalSizeClass: UIUserInterfaceSizeClass { .regular }
    /// The number of pixels per point.
    open var displayScale: CGFloat { 3 }
}

/// Margins, in points.
public struct UIEdgeInsets: Equatable, Sendable {
    /// The margin at one of the four edges.
    public var top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat
    /// Creates margins.
    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }
    /// Creates margins of zero.
    public init() { self.init(top: 0, left: 0, bottom: 0, right: 0) }
    /// Margins of zero.
    public static let zero = UIEdgeInsets()
}

/// The kind of keyboard, which has the keys for one purpose.
public enum UIKeyboardType: Int, Sendable {
    /// A kind of keyboard, which has no effect here.
    case `default`, asciiCapable, numbersAndPunctuation
    // The name is Apple's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A kind of keyboard, which has no effect here.
    case URL
    /// A kind of keyboard, which has no effect here.
    case numberPad, phonePad, namePhonePad, emailAddress
    /// A kind of keyboard, which has no effect here.
    case decimalPad, twitter, webSearch, asciiCapableNumberPad
}

/// Which letters the keyboard capitalizes.
public enum UITextAutocapitalizationType: Int, Sendable {
    /// A rule for capital letters, without effect.
    case none, words, sentences, allCharacters
}

/// Vibrations of the phone, which are not felt here.
@preconcurrency @MainActor
open class UIFeedbackGenerator: NSObject {
    /// Does nothing.
    open func prepare() {}
}

/// A vibration for the result of an action.
open class UINotificationFeedbackGenerator: UIFeedbackGenerator {
    /// The result of an action.
    public enum FeedbackType: Int, Sendable {
        /// The action has succeeded, has succeeded with a warning, or has failed.
        case success, warning, error
    }
    /// Creates a generator.
    override public init() { super.init() }
    /// Does nothing.
    open func notificationOccurred(_ notificationType: FeedbackType) {}
}

/// A vibration for a collision.
open class UIImpactFeedbackGenerator: UIFeedbackGenerator {
    /// The strength of the collision.
    public enum FeedbackStyle: Int, Sendable {
        /// A strength of the collision, which has no effect here.
        case light, medium, heavy, soft, rigid
    }
    /// Creates a generator.
    override public init() { super.init() }
    /// Creates a generator; the strength has no effect.
    public init(style: FeedbackStyle) { super.init() }
    /// Does nothing.
    open func impactOccurred() {}
    /// Does nothing.
    open func impactOccurred(intensity: CGFloat) {}
}

/// A vibration for a choice.
open class UISelectionFeedbackGenerator: UIFeedbackGenerator {
    /// Creates a generator.
    override public init() { super.init() }
    /// Does nothing.
    open func selectionChanged() {}
}

/// The content that was last copied; here only the app changes it, and in each process it is empty at first.
@preconcurrency @MainActor
open class UIPasteboard: NSObject {
    /// The pasteboard of the process.
    public class var general: UIPasteboard {
        SimulatedPhone.process.shared.object(of: UIPasteboard.self) { UIPasteboard() }
    }
    /// The copied text.
    open var string: String?
    /// The copied URL.
    open var url: URL?
    /// The copied image.
    open var image: UIImage?
    /// Whether a text was copied.
    open var hasStrings: Bool { string != nil }
}

/// An app's activity that can be continued on another device, which never happens here.
open class NSUserActivity: NSObject {
    /// The type of the activity.
    public let activityType: String
    /// The title.
    open var title: String?
    /// The data of the activity.
    open var userInfo: [AnyHashable: Any]?
    /// The URL of a web page with the activity's content.
    open var webpageURL: URL?
    /// Whether the activity may be continued on another device.
    open var isEligibleForHandoff = true
    /// Whether the activity may be found by a search.
    open var isEligibleForSearch = false
    /// Whether the system may suggest the activity.
    open var isEligibleForPrediction = false
    /// The identifier.
    open var persistentIdentifier: String?

    /// Creates an activity.
    public init(activityType: String) {
        self.activityType = activityType
        super.init()
    }

    /// Does nothing.
    open func becomeCurrent() {}
    /// Does nothing.
    open func resignCurrent() {}
    /// Does nothing.
    open func invalidate() {}
}

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The activity type for a user who follows a link to a web page.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

/// An action in the menu of the app's icon, which the user never chooses here.
@preconcurrency @MainActor
open class UIApplicationShortcutItem: NSObject {
    /// The type.
    public let type: String
    /// The title.
    public let localizedTitle: String
    /// The second line.
    public let localizedSubtitle: String?
    /// The image.
    public let icon: UIApplicationShortcutIcon?
    /// The values of the action.
    public let userInfo: [String: any Sendable]?

    /// Creates an action.
    public init(
        type: String, localizedTitle: String, localizedSubtitle: String? = nil, icon: UIApplicationShortcutIcon? = nil,
        userInfo: [String: any Sendable]? = nil
    ) {
        (self.type, self.localizedTitle, self.localizedSubtitle) = (type, localizedTitle, localizedSubtitle)
        (self.icon, self.userInfo) = (icon, userInfo)
        super.init()
    }
}

/// The image of an action in the menu of the app's icon.
@preconcurrency @MainActor
open class UIApplicationShortcutIcon: NSObject {
    /// Creates a symbol of the system.
    public init(systemImageName: String) { super.init() }
    /// Creates an image of the app.
    public init(templateImageName: String) { super.init() }
}

/// A URL that a scene opens, which does not happen here.
@preconcurrency @MainActor
open class UIOpenURLContext: NSObject {
    /// The URL.
    public let url: URL
    fileprivate init(url: URL) { self.url = url }
}

extension UIScene.ConnectionOptions {
    /// The URLs for which the scene is created: none.
    public var urlContexts: Set<UIOpenURLContext> { [] }
    /// The activities for which the scene is created: none.
    public var userActivities: Set<NSUserActivity> { [] }
    /// The action of the icon's menu for which the scene is created: none.
    public var shortcutItem: UIApplicationShortcutItem? { nil }
    /// The response to a notification for which the scene is created: always `nil`, because the delegate of the
    /// notification center gets it.
    public var notificationResponse: UNNotificationResponse? { nil }
}

extension UIApplication {
    /// The keys of the options of ``open(_:options:completionHandler:)``.
    public struct OpenExternalURLOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The text of the key.
        public let rawValue: String
        /// Creates a key with this text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The URL is opened only by an app to which it belongs.
        public static let universalLinksOnly = OpenExternalURLOptionsKey(
            rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
    }

    /// The keys of the options with which an app is opened for a URL.
    public struct OpenURLOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The text of the key.
        public let rawValue: String
        /// Creates a key with this text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The app that has opened the URL.
        public static let sourceApplication = OpenURLOptionsKey(
            rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
        /// Values from the app that has opened the URL.
        public static let annotation = OpenURLOptionsKey(rawValue: "UIApplicationOpenURLOptionsAnnotationKey")
        /// Whether the file may be used where it is; if not, it must be copied first.
        public static let openInPlace = OpenURLOptionsKey(rawValue: "UIApplicationOpenURLOptionsOpenInPlaceKey")
    }

    /// The URL of the app's page in the settings.
    nonisolated public class var openSettingsURLString: String { "app-settings:" }
    /// The URL of the app's notifications in the settings.
    nonisolated public class var openNotificationSettingsURLString: String { "app-settings:notifications" }

    /// Writes a URL into the device's log; no other app is opened, so this app stays in the foreground here.
    ///
    /// The handler is called on the main loop, with the result of ``canOpenURL(_:)``.
    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        let isOpened = noteOpening(of: url)
        if let completion { host.mainLoop.run { completion(isOpened) } }
    }

    /// Writes a URL into the device's log; no other app is opened, so this app stays in the foreground here.
    ///
    /// - Returns: The result of ``canOpenURL(_:)``.
    @discardableResult
    public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool { noteOpening(of: url) }

    private func noteOpening(of url: URL) -> Bool {
        host.note("opens \(url.absoluteString)")
        host.warn("no app is opened for a URL here: the app stays in the foreground")
        return canOpenURL(url)
    }

    /// Returns whether an app can open the URL: true for web addresses, the settings, calls, mail and text messages.
    public func canOpenURL(_ url: URL) -> Bool {
        ["http", "https", "app-settings", "tel", "mailto", "sms"].contains(url.scheme ?? "")
    }

    /// The number on the app's icon, which the simulated phone writes into its log.
    ///
    /// Without the user's permission for badges, the number does not change, and the log has a warning.
    public var applicationIconBadgeNumber: Int {
        get { process.notifications.badge }
        set { process.notifications.setBadge(newValue) }
    }

    /// The actions in the menu of the app's icon: always `nil`, because the icon has no menu here.
    public var shortcutItems: [UIApplicationShortcutItem]? {
        get { nil }
        set {}
    }

    /// The orientation of the status bar: always `portrait`.
    public var statusBarOrientation: UIInterfaceOrientation { .portrait }
}

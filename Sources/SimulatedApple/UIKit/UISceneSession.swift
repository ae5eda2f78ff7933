/// What stays of a scene when it goes.
@preconcurrency @MainActor
open class UISceneSession: NSObject {
    /// What a scene is for.
    public struct Role: Hashable, RawRepresentable, Sendable {
        /// The name.
        public let rawValue: String
        /// A role with that name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The app's windows.
        public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
    }

    /// The scene, while there is one.
    public internal(set) weak var scene: UIScene?
    /// What the scene is for: windows.
    public let role = Role.windowApplication
    /// How the scene was made.
    public internal(set) var configuration = UISceneConfiguration(name: nil, sessionRole: .windowApplication)
    /// Names the session; the same each time here.
    public let persistentIdentifier = "simulated-scene"
}

/// How a scene is made. The simulation uses the delegate of the installation, not a class that is named here.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject {
    /// The name in the app's manifest.
    public let name: String?
    /// What the scene is for.
    public let role: UISceneSession.Role
    /// The delegate's class; without effect here.
    open var delegateClass: AnyClass?
    /// The scene's class; without effect here.
    open var sceneClass: AnyClass?

    /// A configuration.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
    }
}

/// The calls about a scene's life cycle. All methods are optional, as in UIKit.
@preconcurrency @MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    /// The scene is made: build what it shows.
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
    /// The system has taken the scene away, in the background. It is connected again, with another object, when the user
    /// comes back. At the end of the process it is not called here.
    func sceneDidDisconnect(_ scene: UIScene)
    /// The scene has come to the front.
    func sceneDidBecomeActive(_ scene: UIScene)
    /// The scene is about to be covered, or to leave the front.
    func sceneWillResignActive(_ scene: UIScene)
    /// The scene is about to leave the background.
    func sceneWillEnterForeground(_ scene: UIScene)
    /// The scene is in the background.
    func sceneDidEnterBackground(_ scene: UIScene)
}

extension UISceneDelegate {
    /// Does nothing.
    public func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {}
    /// Does nothing.
    public func sceneDidDisconnect(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillResignActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidEnterBackground(_ scene: UIScene) {}
}

/// A scene delegate that has a window.
@preconcurrency @MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
    /// The window.
    var window: UIWindow? { get set }
}

extension UIWindowSceneDelegate {
    /// No window, for a delegate that has none.
    public var window: UIWindow? {
        get { nil }
        set {}
    }
}

/// An instance of an app's interface; the simulated phone has only one instance, a ``UIWindowScene``.
@preconcurrency @MainActor
open class UIScene: UIResponder {
    /// Whether a scene is connected, and whether it is in the foreground or in the background.
    public enum ActivationState: Int, Sendable {
        /// The scene is not connected to the app.
        case unattached = -1
        /// In the foreground, with the user's input.
        case foregroundActive = 0
        /// In the foreground without the user's input.
        case foregroundInactive = 1
        /// In the background.
        case background = 2
    }

    /// The reasons for which a scene is created; the simulation gives no reasons.
    @preconcurrency @MainActor
    open class ConnectionOptions: NSObject {}

    /// The session, which remains when the scene is disconnected.
    public let session: UISceneSession
    /// The delegate, which receives the events of the life cycle.
    open var delegate: (any UISceneDelegate)?
    /// Whether the scene is connected, and whether it is in the foreground or in the background.
    public private(set) var activationState = ActivationState.unattached
    /// The title in the app switcher, which is not shown here.
    open var title: String?

    /// Creates a scene that is not connected yet.
    public required init(session: UISceneSession, connectionOptions: UIScene.ConnectionOptions) {
        self.session = session
        super.init()
    }

    func connect(to delegate: any UISceneDelegate, options: ConnectionOptions) {
        OptionalMethods.check(delegate, of: (any UISceneDelegate).self) { $0 is any UISceneDelegate.Type }
        self.delegate = delegate
        activationState = .background
        delegate.scene(self, willConnectTo: session, options: options)
        post(UIScene.willConnectNotification)
    }

    func disconnect() {
        activationState = .unattached
        session.scene = nil
        delegate?.sceneDidDisconnect(self)
        post(UIScene.didDisconnectNotification)
    }

    /// Changes the activation state, and notifies the delegate first, then the observers.
    func notify(_ call: ApplicationLifeMachine.Call) {
        switch call {
        case .didFinishLaunching, .connectScene, .willTerminate: break
        case .willEnterForeground:
            activationState = .foregroundInactive
            delegate?.sceneWillEnterForeground(self)
            post(UIScene.willEnterForegroundNotification)
        case .didBecomeActive:
            activationState = .foregroundActive
            delegate?.sceneDidBecomeActive(self)
            post(UIScene.didActivateNotification)
        case .willResignActive:
            delegate?.sceneWillResignActive(self)
            post(UIScene.willDeactivateNotification)
            activationState = .foregroundInactive
        case .didEnterBackground:
            activationState = .background
            delegate?.sceneDidEnterBackground(self)
            post(UIScene.didEnterBackgroundNotification)
        }
    }

    private func post(_ name: Notification.Name) {
        CallOut.run("an observer of \(name.rawValue)") { NotificationCenter.default.post(name: name, object: self) }
    }
}

extension UIScene {
    /// Posted when a scene is connected.
    nonisolated public class var willConnectNotification: NSNotification.Name {
        NSNotification.Name("UISceneWillConnectNotification")
    }
    /// Posted when the system has disconnected a scene.
    nonisolated public class var didDisconnectNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidDisconnectNotification")
    }
    /// Posted when a scene has become active.
    nonisolated public class var didActivateNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidActivateNotification")
    }
    /// Posted before a scene is covered, or leaves the foreground.
    nonisolated public class var willDeactivateNotification: NSNotification.Name {
        NSNotification.Name("UISceneWillDeactivateNotification")
    }
    /// Posted before a scene leaves the background.
    nonisolated public class var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("UISceneWillEnterForegroundNotification")
    }
    /// Posted when a scene is in the background.
    nonisolated public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidEnterBackgroundNotification")
    }
}

/// A scene with windows.
@preconcurrency @MainActor
open class UIWindowScene: UIScene {
    /// The windows that are shown: only the application's key window, and only if it belongs to this scene.
    open var windows: [UIWindow] { keyWindow.map { [$0] } ?? [] }
    /// The key window of the application, if it belongs to this scene.
    open var keyWindow: UIWindow? {
        UIApplication.shared.keyWindow.flatMap { $0.windowScene === self ? $0 : nil }
    }
    /// The phone's screen.
    open var screen: UIScreen { .main }
}

/// The part of a scene's state that remains when the scene is disconnected.
@preconcurrency @MainActor
open class UISceneSession: NSObject {
    /// The purpose of a scene.
    public struct Role: Hashable, RawRepresentable, Sendable {
        /// The name.
        public let rawValue: String
        /// Creates a role with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A scene for the app's windows.
        public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
    }

    /// The scene, while it is connected.
    public internal(set) weak var scene: UIScene?
    /// The purpose of the scene.
    public let role = Role.windowApplication
    /// The configuration with which the scene was created.
    public internal(set) var configuration = UISceneConfiguration(name: nil, sessionRole: .windowApplication)
    /// The identifier of the session, always the same here.
    public let persistentIdentifier = "simulated-scene"
}

/// The configuration with which a scene is created.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject {
    /// The name of the configuration in the app's manifest.
    public let name: String?
    /// The purpose of the scene.
    public let role: UISceneSession.Role
    /// The class of the scene delegate, which is used only in an app that ``UIApplicationDelegate/main()`` runs.
    open var delegateClass: AnyClass?
    /// The class of the scene, which has no effect here.
    open var sceneClass: AnyClass?

    /// Creates a configuration.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
    }
}

/// The calls about a scene's life cycle, all of them optional as in UIKit.
@preconcurrency @MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    /// Called when the scene is created, so that the app builds the scene's interface.
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
    /// Called when the system has disconnected the scene in the background.
    ///
    /// When the user returns, a new scene object is connected. On the simulated phone, this method is not called at the
    /// end of the process.
    func sceneDidDisconnect(_ scene: UIScene)
    /// Called when the scene has become active.
    func sceneDidBecomeActive(_ scene: UIScene)
    /// Called before the scene is covered, or leaves the foreground.
    func sceneWillResignActive(_ scene: UIScene)
    /// Called before the scene leaves the background.
    func sceneWillEnterForeground(_ scene: UIScene)
    /// Called when the scene is in the background.
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

/// A scene delegate with a window.
@preconcurrency @MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
    /// The window.
    var window: UIWindow? { get set }
}

extension UIWindowSceneDelegate {
    /// Always `nil`, for a delegate that does not declare the property.
    public var window: UIWindow? {
        get { nil }
        set {}
    }
}

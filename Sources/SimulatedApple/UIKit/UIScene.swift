/// One instance of an app's interface. The simulated phone has one, of class ``UIWindowScene``.
@preconcurrency @MainActor
open class UIScene: UIResponder {
    /// Where a scene is.
    public enum ActivationState: Int, Sendable {
        /// Not connected to the app.
        case unattached = -1
        /// In front of the user.
        case foregroundActive = 0
        /// Visible, but not in charge.
        case foregroundInactive = 1
        /// In the background.
        case background = 2
    }

    /// Why a scene is made. The simulation gives no reasons.
    @preconcurrency @MainActor
    open class ConnectionOptions: NSObject {}

    /// What stays of the scene when it goes.
    public let session: UISceneSession
    /// Gets the events of the scene's life cycle.
    open var delegate: (any UISceneDelegate)?
    /// Where the scene is.
    public private(set) var activationState = ActivationState.unattached
    /// What the switcher shows. Not displayed here.
    open var title: String?

    /// A scene that is not connected yet.
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

    /// The delegate first, then the observers.
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
    /// The scene is connected.
    nonisolated public class var willConnectNotification: NSNotification.Name {
        NSNotification.Name("UISceneWillConnectNotification")
    }
    /// The system has taken the scene away.
    nonisolated public class var didDisconnectNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidDisconnectNotification")
    }
    /// The scene is in front.
    nonisolated public class var didActivateNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidActivateNotification")
    }
    /// The scene is about to be covered, or to leave the front.
    nonisolated public class var willDeactivateNotification: NSNotification.Name {
        NSNotification.Name("UISceneWillDeactivateNotification")
    }
    /// The scene is about to leave the background.
    nonisolated public class var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("UISceneWillEnterForegroundNotification")
    }
    /// The scene is in the background.
    nonisolated public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidEnterBackgroundNotification")
    }
}

/// A scene with windows.
@preconcurrency @MainActor
open class UIWindowScene: UIScene {
    /// The windows that are shown: the key window of the application, if it is of this scene.
    open var windows: [UIWindow] { keyWindow.map { [$0] } ?? [] }
    /// The window that the user types into.
    open var keyWindow: UIWindow? {
        UIApplication.shared.keyWindow.flatMap { $0.windowScene === self ? $0 : nil }
    }
    /// The phone's screen.
    open var screen: UIScreen { .main }
}

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

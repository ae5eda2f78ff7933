import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore
import SimulatedURLSession

/// The app's running process, as UIKit shows it. On a simulated phone, life cycle, background tasks and background
/// refresh are those of the device; nothing is drawn and nothing is opened.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
    /// Whether the app is in front.
    public enum State: Int, Sendable {
        /// In front of the user.
        case active = 0
        /// Visible, but not in charge: on the way, or covered.
        case inactive = 1
        /// In the background.
        case background = 2
    }

    /// Keys of the options of an app's launch. The simulation gives ``location`` only.
    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The key.
        public let rawValue: String
        /// A key.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app was started in the background for a significant change of the location. The value is `true`.
        public static let location = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsLocationKey")
    }

    /// The application of the running process.
    public class var shared: UIApplication {
        let process = SimulatedPhone.process
        return process.shared.object(of: UIApplication.self) {
            UIApplication(process, life: ApplicationLifeMachine(phase: process.host.phase, usesScenes: false))
        }
    }

    /// Gets the events of the life cycle. The application retains it.
    open var delegate: (any UIApplicationDelegate)?

    /// Whether the app is in front; with scenes, that of its only scene.
    public private(set) var applicationState: State

    /// Whether the screen stays on while the app is in front, whatever time the user has set
    /// (`SimulatedDevice.autoLock`).
    open var isIdleTimerDisabled: Bool {
        get { host.keepsScreenOn }
        set { host.keepsScreenOn = newValue }
    }

    /// The window that was made key last, while the app keeps it.
    open internal(set) weak var keyWindow: UIWindow?

    /// The windows that are shown: the key window.
    open var windows: [UIWindow] { keyWindow.map { [$0] } ?? [] }

    /// The scenes that were connected: one, when an app with scenes has come to the front.
    public private(set) var connectedScenes: Set<UIScene> = []

    /// The sessions of the scenes, also of those that were disconnected.
    open var openSessions: Set<UISceneSession> { session.map { [$0] } ?? [] }

    /// Whether the app may refresh in the background: not while the user has switched that off, and not in low-power
    /// mode. Which of its values the property has in low-power mode, Apple does not say; here it is `denied`.
    ///
    /// Apple, documentation/uikit/uiapplication/backgroundrefreshstatus
    open var backgroundRefreshStatus: UIBackgroundRefreshStatus {
        process.settings.isBackgroundRefreshOn && host.conditions.isLowPowerMode != true ? .available : .denied
    }

    /// Whether files of the protection class "complete" can be read: not from about ten seconds after the lock to the
    /// next unlock. The files of a simulated app are not encrypted.
    ///
    /// Apple, documentation/uikit/uiapplication/isprotecteddataavailable
    nonisolated open var isProtectedDataAvailable: Bool { process.settings.isProtectedDataAvailable }

    nonisolated let host: any PhoneHost
    nonisolated let process: PhoneProcess
    private var life: ApplicationLifeMachine
    private var session: UISceneSession?
    private var makeSceneDelegate: (() -> any UISceneDelegate)?
    private var observation: ObservationToken?

    init(_ process: PhoneProcess, life: ApplicationLifeMachine) {
        self.process = process
        self.life = life
        host = process.host
        applicationState = life.state
        super.init()
    }

    // MARK: The process

    /// Launches: from here to the end, the app's delegates and observers get the device's events.
    func launch(delegate: any UIApplicationDelegate, sceneDelegate: (() -> any UISceneDelegate)?) {
        OptionalMethods.check(delegate, of: (any UIApplicationDelegate).self) { $0 is any UIApplicationDelegate.Type }
        self.delegate = delegate
        makeSceneDelegate = sceneDelegate
        observation = host.observePhase { [weak self] phase in
            self?.enter(phase)
        }
        process.observe { [weak self] event in self?.handle(event) }
        process.pushes.onPush = { [weak self] push in self?.receive(push) }
        process.transfers.onNotice = { [weak self] notice in self?.receive(notice) }
        perform([.call(.didFinishLaunching)])
    }

    /// The process is in that phase.
    func enter(_ phase: Phase) { perform(life.enter(phase)) }

    private func perform(_ actions: [ApplicationLifeMachine.Action]) {
        for action in actions {
            switch action {
            case .become(let state): applicationState = state
            case .call(.connectScene): connectScene()
            case .call(let call):
                CallOut.run(call.method(ofScene: !connectedScenes.isEmpty)) { notify(call) }
            }
        }
    }

    /// The delegate first, then the observers.
    private func notify(_ call: ApplicationLifeMachine.Call) {
        let scene = connectedScenes.first
        scene?.notify(call)
        switch call {
        case .connectScene: break
        case .didFinishLaunching:
            let options: [LaunchOptionsKey: Any]? = host.launchCause == .location ? [.location: true] : nil
            _ = delegate?.application(self, willFinishLaunchingWithOptions: options)
            _ = delegate?.application(self, didFinishLaunchingWithOptions: options)
            post(UIApplication.didFinishLaunchingNotification)
        case .willEnterForeground:
            if scene == nil { delegate?.applicationWillEnterForeground(self) }
            post(UIApplication.willEnterForegroundNotification)
        case .didBecomeActive:
            if scene == nil { delegate?.applicationDidBecomeActive(self) }
            post(UIApplication.didBecomeActiveNotification)
        case .willResignActive:
            if scene == nil { delegate?.applicationWillResignActive(self) }
            post(UIApplication.willResignActiveNotification)
        case .didEnterBackground:
            if scene == nil { delegate?.applicationDidEnterBackground(self) }
            post(UIApplication.didEnterBackgroundNotification)
        case .willTerminate:
            delegate?.applicationWillTerminate(self)
            post(UIApplication.willTerminateNotification)
        }
    }

    private func handle(_ event: SystemEvent) {
        switch event {
        case .memoryWarning:
            delegate?.applicationDidReceiveMemoryWarning(self)
            post(UIApplication.didReceiveMemoryWarningNotification)
        case .sceneDisconnected: disconnectScene()
        case .wallClockSet:
            delegate?.applicationSignificantTimeChange(self)
            post(UIApplication.significantTimeChangeNotification)
        case .protectedDataWillBecomeUnavailable:
            delegate?.applicationProtectedDataWillBecomeUnavailable(self)
            post(UIApplication.protectedDataWillBecomeUnavailableNotification)
        case .protectedDataDidBecomeAvailable:
            delegate?.applicationProtectedDataDidBecomeAvailable(self)
            post(UIApplication.protectedDataDidBecomeAvailableNotification)
        case .backgroundRefreshChanged: post(UIApplication.backgroundRefreshStatusDidChangeNotification)
        }
    }

    private func post(_ name: Notification.Name) {
        CallOut.run("an observer of \(name.rawValue)") { NotificationCenter.default.post(name: name, object: self) }
    }

    /// The session of a scene that was disconnected continues with another scene.
    private func connectScene() {
        guard let makeSceneDelegate else { return }
        let options = UIScene.ConnectionOptions()
        let session = session ?? newSession(options)
        let scene = UIWindowScene(session: session, connectionOptions: options)
        session.scene = scene
        connectedScenes = [scene]
        scene.connect(to: makeSceneDelegate(), options: options)
    }

    private func newSession(_ options: UIScene.ConnectionOptions) -> UISceneSession {
        let new = UISceneSession()
        let configuration = delegate?.application(self, configurationForConnecting: new, options: options)
        new.configuration = configuration ?? new.configuration
        session = new
        return new
    }

    private func disconnectScene() {
        guard let scene = connectedScenes.first else { return host.warn("the app has no scene to be disconnected") }
        life.disconnectScene()
        if keyWindow?.windowScene === scene { keyWindow = nil }
        connectedScenes = []
        scene.disconnect()
    }
}

/// Names a background task that was begun with `beginBackgroundTask`. No two background tasks have the same one: so an
/// identifier that outlives its process, in a variable or thread of the test's process, ends no background task of the
/// next one.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int
    /// An identifier with that number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// No background task.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// Whether the user lets an app refresh in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// The user cannot allow it. The simulation does not give this.
    case restricted = 0
    /// The user has switched it off.
    case denied = 1
    /// It is on.
    case available = 2
}

extension UIApplication {
    /// How long the app may still run in the background, in seconds; `greatestFiniteMagnitude` in the foreground, and
    /// while audio or location keeps it running. From any thread.
    nonisolated public var backgroundTimeRemaining: TimeInterval {
        host.backgroundTimeRemaining?.inSeconds ?? .greatestFiniteMagnitude
    }

    /// Asks for time to finish something; see ``beginBackgroundTask(withName:expirationHandler:fileID:function:)``.
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil, fileID: String = #fileID,
        function: String = #function
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler, fileID: fileID, function: function)
    }

    /// Asks for time to finish something, about 30 s for all background tasks together. From any thread.
    ///
    /// On the simulated phone the background task is granted when this returns. The handler is called on the main
    /// thread shortly before the time is over, or soon if it is over; a background task that is not ended in it ends
    /// the app, with a fault.
    ///
    /// Apple, documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)
    ///
    /// - Parameters:
    ///   - taskName: What is being finished; `nil` gives a name with the module and the function of the caller.
    ///   - handler: Called when the time is nearly over; it has to end the background task.
    ///   - fileID: The calling file, for the generated name.
    ///   - function: The calling function, for the generated name.
    /// - Returns: The identifier, which has to be ended; `invalid` when there is no background task.
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil,
        fileID: String = #fileID, function: String = #function
    ) -> UIBackgroundTaskIdentifier {
        let caller = "Called by \(fileID.prefix { $0 != "/" }), from \(function)"
        return UIBackgroundTaskIdentifier(
            rawValue: host.beginBackgroundTask(taskName ?? caller, expirationHandler: handler))
    }

    /// The method with exactly Apple's parameters, for protocols and function values; calls prefer the one above.
    @_disfavoredOverload
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(
            withName: nil, expirationHandler: handler, fileID: "the app", function: "a protocol or a function value")
    }

    /// The method with exactly Apple's parameters, for protocols and function values; calls prefer the one above.
    @_disfavoredOverload
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(
            withName: taskName, expirationHandler: handler, fileID: "the app",
            function: "a protocol or a function value")
    }

    /// Ends a background task. From any thread. An identifier that is unknown, was ended before, or belongs to another
    /// process is a warning in the device's log.
    nonisolated public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        host.endBackgroundTask(identifier.rawValue)
    }
}

extension UIApplication {
    /// The app was launched; posted after its delegate was called.
    nonisolated public class var didFinishLaunchingNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidFinishLaunchingNotification")
    }
    /// The app has come to the front.
    nonisolated public class var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    }
    /// The app is about to be covered, or to leave the front.
    nonisolated public class var willResignActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillResignActiveNotification")
    }
    /// The app is in the background.
    nonisolated public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    }
    /// The app is about to leave the background.
    nonisolated public class var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    }
    /// The app is about to be ended, and runs.
    nonisolated public class var willTerminateNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillTerminateNotification")
    }
    /// The screen was locked: files of the protection class "complete" cannot be read soon.
    nonisolated public class var protectedDataWillBecomeUnavailableNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationProtectedDataWillBecomeUnavailable")
    }
    /// The screen was unlocked: such files can be read again.
    nonisolated public class var protectedDataDidBecomeAvailableNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationProtectedDataDidBecomeAvailable")
    }
    /// `backgroundRefreshStatus` may be another one.
    nonisolated public class var backgroundRefreshStatusDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationBackgroundRefreshStatusDidChangeNotification")
    }
    /// Memory is low.
    nonisolated public class var didReceiveMemoryWarningNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidReceiveMemoryWarningNotification")
    }
    /// The clock was set. The simulation does not post it at midnight.
    nonisolated public class var significantTimeChangeNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationSignificantTimeChangeNotification")
    }
}

extension UIApplication {
    /// Asks for pushes. The delegate gets a token, made up and the same each time, in the next turn of the main loop, unless
    /// the user has switched background refresh off and does not allow notifications. What a server would send comes by
    /// `SimulatedDevice.receivePush`. Pushes that show something are not simulated.
    ///
    /// Apple, UIApplication.h
    public func registerForRemoteNotifications() {
        process.pushes.isRegistered = true
        host.mainLoop.run { [weak self] in
            guard let self, process.settings.isBackgroundRefreshOn || allowsNotifications else { return }
            let token = Data((0..<32).map { UInt8($0) })
            delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: token)
        }
    }

    private var allowsNotifications: Bool {
        switch process.notifications.authorization {
        case .authorized, .provisional: true
        case .notDetermined, .denied: false
        }
    }

    /// Asks for no more pushes.
    public func unregisterForRemoteNotifications() { process.pushes.isRegistered = false }

    /// Whether the app has asked for pushes, in this process or an earlier one.
    public var isRegisteredForRemoteNotifications: Bool { process.pushes.isRegistered }

    /// Hands a push to the delegate, which says when it has handled it.
    func receive(_ push: SilentPush) {
        guard let delegate else { return process.pushes.complete(push.number) }
        var userInfo: [AnyHashable: Any] = ["aps": ["content-available": 1]]
        for (key, value) in push.fields { userInfo[key] = value }
        delegate.application(self, didReceiveRemoteNotification: userInfo) { [process] _ in
            process.pushes.complete(push.number)
        }
    }
}

extension UIApplication {
    /// Hands the events of a background session to a background task of SwiftUI, or to the delegate.
    func receive(_ notice: TransferNotice) {
        let handlers = process.shared.existing(NoticeHandlers.self)
        guard handlers?.handle(notice) != true else { return }
        guard let delegate else { return process.transfers.complete(notice.number) }
        delegate.application(self, handleEventsForBackgroundURLSession: notice.session) { [process] in
            process.transfers.complete(notice.number)
        }
    }
}

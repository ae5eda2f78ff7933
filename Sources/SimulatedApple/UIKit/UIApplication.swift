import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore
import SimulatedURLSession

/// The app's running process, as UIKit presents it.
///
/// On a simulated phone, its life cycle, background tasks and background refresh are those of the device. Nothing is
/// drawn, and no URL is opened.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
    /// The state of the app, which is in the foreground with or without the user's input, or in the background.
    public enum State: Int, Sendable {
        /// In the foreground, with the user's input.
        case active = 0
        /// In the foreground without the user's input: during a transition, or covered.
        case inactive = 1
        /// In the background.
        case background = 2
    }

    /// The keys of the launch options; the simulation uses only ``location``.
    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        /// The text of the key.
        public let rawValue: String
        /// Creates a key with this text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app was launched in the background because of a significant change of the location; the value is `true`.
        public static let location = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsLocationKey")
        /// The app was launched to open a URL; this never happens here.
        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
        /// The app was launched by a push; this key is not used here, because only the delegate receives the push.
        public static let remoteNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
        /// The app was launched by an action of its icon's menu; this never happens here.
        public static let shortcutItem = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsShortcutItemKey")
        /// The app was launched to continue an activity; this never happens here.
        public static let userActivityDictionary = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsUserActivityDictionaryKey")
    }

    /// The application of the running process.
    public class var shared: UIApplication {
        let process = SimulatedPhone.process
        return process.shared.object(of: UIApplication.self) {
            UIApplication(process, life: ApplicationLifeMachine(phase: process.host.phase, usesScenes: false))
        }
    }

    /// The delegate, which receives the events of the life cycle.
    ///
    /// The application retains it, as on a phone.
    open var delegate: (any UIApplicationDelegate)?

    /// The state of the app; with scenes, it is the state of the only scene.
    public private(set) var applicationState: State

    /// Whether the screen stays on while the app is in the foreground, regardless of the auto-lock time
    /// (`SimulatedDevice.autoLock`).
    open var isIdleTimerDisabled: Bool {
        get { host.keepsScreenOn }
        set { host.keepsScreenOn = newValue }
    }

    /// The window that was last made key, if the app still retains it.
    open internal(set) weak var keyWindow: UIWindow?

    /// The key window, the only one that is shown.
    open var windows: [UIWindow] { keyWindow.map { [$0] } ?? [] }

    /// The connected scene of an app with scenes, once the app has come to the foreground.
    public private(set) var connectedScenes: Set<UIScene> = []

    /// The scene's session, even while the scene is disconnected.
    open var openSessions: Set<UISceneSession> { session.map { [$0] } ?? [] }

    /// Whether the app may refresh in the background.
    ///
    /// It is `denied` if the user has turned background refresh off, or if the phone is in low-power mode. Apple does
    /// not say which value the property has in low-power mode; `denied` is a choice of the simulation.
    ///
    /// Source: Apple, documentation/uikit/uiapplication/backgroundrefreshstatus
    open var backgroundRefreshStatus: UIBackgroundRefreshStatus {
        process.settings.isBackgroundRefreshOn && host.conditions.isLowPowerMode != true ? .available : .denied
    }

    /// Whether files of the protection class "complete" can be opened.
    ///
    /// They cannot be opened from about ten seconds after the phone is locked until it is unlocked. In a process of the
    /// app's own, opening such a file then fails with `EPERM`. In the test's process, files are not protected, and can
    /// always be opened.
    ///
    /// Source: Apple, documentation/uikit/uiapplication/isprotecteddataavailable
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

    /// Launches the app: from now on its delegates and observers receive the device's events.
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

    /// Notifies the app that its process has entered a phase.
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

    /// Notifies the scene and its observers first, then the app delegate, and then the application's observers.
    ///
    /// The app delegate is not notified of changes of phase while a scene is connected.
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

    /// Connects a new scene; the session of an earlier, disconnected scene is reused.
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
        guard let scene = connectedScenes.first else { return host.warn("the app has no scene to disconnect") }
        life.disconnectScene()
        if keyWindow?.windowScene === scene { keyWindow = nil }
        connectedScenes = []
        scene.disconnect()
    }
}

/// The identifier of a background task that was begun with `beginBackgroundTask`.
///
/// Identifiers are never reused, not even by another process of the app. An identifier that a variable or thread of the
/// test keeps after the app's process has ended therefore ends no task of a later process.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number of the background task.
    public let rawValue: Int
    /// Creates an identifier with this number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The identifier that belongs to no background task.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// Whether the app may refresh in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// The user is not allowed to turn background refresh on; the simulation never reports this.
    case restricted = 0
    /// The user has turned background refresh off, or the phone is in low-power mode.
    case denied = 1
    /// The app may refresh.
    case available = 2
}

extension UIApplication {
    /// The time for which the app may still run in the background, in seconds.
    ///
    /// It is `greatestFiniteMagnitude` in the foreground, and while audio or location keeps the app running. It can be
    /// read on any thread.
    nonisolated public var backgroundTimeRemaining: TimeInterval {
        host.backgroundTimeRemaining?.inSeconds ?? .greatestFiniteMagnitude
    }

    /// Begins a background task with a generated name; see
    /// ``beginBackgroundTask(withName:expirationHandler:fileID:function:)``.
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil, fileID: String = #fileID,
        function: String = #function
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler, fileID: fileID, function: function)
    }

    /// Begins a background task, which gives the app time to finish its work: about 30 s for all tasks together.
    ///
    /// Call it on any thread.
    ///
    /// The simulated phone grants or refuses the task before this method returns. The handler is called on the main
    /// thread shortly before the time is over, or soon if the time is over already. If the handler does not end the
    /// task, the device ends the app with a fault.
    ///
    /// Source: Apple, documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)
    ///
    /// - Parameters:
    ///   - taskName: The name of the work; `nil` for a name made of the module and function of the caller.
    ///   - handler: Called on the main thread when the time is nearly over; it must end the background task.
    ///   - fileID: The calling file, for the generated name.
    ///   - function: The calling function, for the generated name.
    /// - Returns: The identifier with which to end the task, or `invalid` if the task was not granted.
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil,
        fileID: String = #fileID, function: String = #function
    ) -> UIBackgroundTaskIdentifier {
        let caller = "Called by \(fileID.prefix { $0 != "/" }), from \(function)"
        return UIBackgroundTaskIdentifier(
            rawValue: host.beginBackgroundTask(taskName ?? caller, expirationHandler: handler))
    }

    /// Begins a background task, with exactly Apple's parameters.
    ///
    /// This form fulfills the requirements of protocols, and can be used as a function value. Ordinary calls use the
    /// method with the parameter `fileID`.
    @_disfavoredOverload
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(
            withName: nil, expirationHandler: handler, fileID: "the app", function: "a protocol or a function value")
    }

    /// Begins a background task with a name, with exactly Apple's parameters.
    ///
    /// This form fulfills the requirements of protocols, and can be used as a function value. Ordinary calls use the
    /// method with the parameter `fileID`.
    @_disfavoredOverload
    @discardableResult
    @preconcurrency nonisolated public func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(
            withName: taskName, expirationHandler: handler, fileID: "the app",
            function: "a protocol or a function value")
    }

    /// Ends a background task.
    ///
    /// Call it on any thread. If the identifier is unknown or belongs to another process, or if its task has already
    /// ended, the device's log gets a warning.
    nonisolated public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        host.endBackgroundTask(identifier.rawValue)
    }
}

extension UIApplication {
    /// Posted after the app was launched and its delegate was called.
    nonisolated public class var didFinishLaunchingNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidFinishLaunchingNotification")
    }
    /// Posted when the app has become active.
    nonisolated public class var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    }
    /// Posted before the app is covered, or leaves the foreground.
    nonisolated public class var willResignActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillResignActiveNotification")
    }
    /// Posted when the app is in the background.
    nonisolated public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    }
    /// Posted before the app leaves the background.
    nonisolated public class var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    }
    /// Posted before the app's process ends, unless the app is suspended.
    nonisolated public class var willTerminateNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillTerminateNotification")
    }
    /// Posted when the phone was locked, shortly before files of the protection class "complete" become unreadable.
    nonisolated public class var protectedDataWillBecomeUnavailableNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationProtectedDataWillBecomeUnavailable")
    }
    /// Posted when the phone was unlocked and files of the protection class "complete" can be read again.
    nonisolated public class var protectedDataDidBecomeAvailableNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationProtectedDataDidBecomeAvailable")
    }
    /// Posted when `backgroundRefreshStatus` may have changed.
    nonisolated public class var backgroundRefreshStatusDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationBackgroundRefreshStatusDidChangeNotification")
    }
    /// Posted when memory is low.
    nonisolated public class var didReceiveMemoryWarningNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidReceiveMemoryWarningNotification")
    }
    /// Posted when the wall clock was set; the simulation does not post it at midnight.
    nonisolated public class var significantTimeChangeNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationSignificantTimeChangeNotification")
    }
}

extension UIApplication {
    /// Registers for remote notifications.
    ///
    /// The delegate receives a token, always the same invented one, in the next turn of the main loop. It receives no
    /// token if the user has turned background refresh off and does not allow notifications either.
    /// `SimulatedDevice.receivePush` delivers silent pushes; pushes that show something are not simulated.
    ///
    /// Source: Apple, UIApplication.h
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

    /// Unregisters, so that the app receives no more pushes.
    public func unregisterForRemoteNotifications() { process.pushes.isRegistered = false }

    /// Whether the app is registered for pushes, by this process or an earlier one.
    public var isRegisteredForRemoteNotifications: Bool { process.pushes.isRegistered }

    /// Passes a push to the delegate, which calls a closure when the push has been handled.
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
    /// Passes the events of a background session to a background task of SwiftUI if there is one for them, or else to
    /// the delegate.
    func receive(_ notice: TransferNotice) {
        let handlers = process.shared.existing(NoticeHandlers.self)
        guard handlers?.handle(notice) != true else { return }
        guard let delegate else { return process.transfers.complete(notice.number) }
        delegate.application(self, handleEventsForBackgroundURLSession: notice.session) { [process] in
            process.transfers.complete(notice.number)
        }
    }
}

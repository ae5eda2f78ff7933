import ApusBackground
import ApusDevice
import ApusTimers
import SimulatedAppleCore

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
    private var observation: Observation?

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
        self.delegate = delegate
        makeSceneDelegate = sceneDelegate
        observation = host.observePhase { [weak self] phase in
            self?.enter(phase)
        }
        process.observe { [weak self] event in self?.handle(event) }
        process.pushes.onPush = { [weak self] push in self?.receive(push) }
        process.transfers.onNotice = { [weak self] notice in self?.receive(notice) }
        notify(.didFinishLaunching)
    }

    /// The process is in that phase.
    func enter(_ phase: Phase) { perform(life.enter(phase)) }

    private func perform(_ actions: [ApplicationLifeMachine.Action]) {
        for action in actions {
            switch action {
            case .become(let state): applicationState = state
            case .call(.connectScene): connectScene()
            case .call(let call): notify(call)
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

    private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }

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

import ApusBackground
import SimulatedAppleCore

/// The calls about an app's life cycle. All methods are optional, as in UIKit.
///
/// With scenes, the scene delegate is called instead of the four methods about the foreground.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The window of an app without scenes.
    var window: UIWindow? { get set }

    /// The process was started; nothing is there yet.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The last call of the launch; afterwards, handlers of background tasks are registered too late.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The app has come to the front.
    func applicationDidBecomeActive(_ application: UIApplication)
    /// The app is about to be covered, or to leave the front.
    func applicationWillResignActive(_ application: UIApplication)
    /// The app is in the background, and has about five seconds for what it does here.
    func applicationDidEnterBackground(_ application: UIApplication)
    /// The app is about to leave the background.
    func applicationWillEnterForeground(_ application: UIApplication)
    /// The app is about to be ended, and runs. A suspended app is not notified.
    func applicationWillTerminate(_ application: UIApplication)
    /// Memory is low.
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)
    /// The clock was set.
    func applicationSignificantTimeChange(_ application: UIApplication)

    /// The screen was locked: files of the protection class "complete" cannot be read soon. A suspended app is not
    /// notified.
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)
    /// The screen was unlocked: such files can be read again.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)

    /// The app gets pushes at the device with that token.
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    /// The app gets no pushes. The simulation does not call it.
    func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)

    /// A silent push came. The app has 30 seconds until it calls the handler; of this form and the asynchronous one,
    /// the implemented one is called.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
    /// The same, asynchronously.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult

    /// All tasks of a background session have ended: the app makes the session, if it has none, whose delegate is then
    /// called. The app has 30 seconds until it calls the handler, from `urlSessionDidFinishEvents`.
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)

    /// The way to fetch in the background before iOS 13. It is not called here: register a launch handler with
    /// `BGTaskScheduler`.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)

    /// A scene is about to be made. The simulation takes its delegate from the installation, not from here.
    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
    /// The user has removed scenes from the switcher. The simulation ends the app then, and does not call this.
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
}

extension UIApplicationDelegate {
    /// No window, for a delegate that has none.
    public var window: UIWindow? {
        get { nil }
        set {}
    }

    /// Agrees.
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Agrees.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Does nothing.
    public func applicationDidBecomeActive(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationWillResignActive(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationDidEnterBackground(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationWillEnterForeground(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationWillTerminate(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationSignificantTimeChange(_ application: UIApplication) {}

    /// Does nothing.
    public func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}
    /// Does nothing.
    public func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}
    /// Does nothing.
    public func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}

    /// Asks the asynchronous form.
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        let (delegate, userInfo, handler) = (Handover(self), Handover(userInfo), Handover(completionHandler))
        let host = application.host
        host.start {
            let result = await delegate.value.handlePush(userInfo, for: application)
            host.mainLoop.run { handler.value(result) }
        }
    }

    private func handlePush(
        _ userInfo: Handover<[AnyHashable: Any]>, for application: UIApplication
    ) async -> UIBackgroundFetchResult {
        await self.application(application, didReceiveRemoteNotification: userInfo.value)
    }

    /// Brings nothing.
    nonisolated(nonsending) public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult { .noData }

    /// Has nothing to handle. That is a warning in the device's log.
    public func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        application.host.warn("the app's delegate does not handle the events of the background session \(identifier)")
        completionHandler()
    }

    /// Brings nothing.
    public func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) { completionHandler(.noData) }

    /// The configuration of the session.
    public func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration { connectingSceneSession.configuration }
    /// Does nothing.
    public func application(
        _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    ) {}

    /// Runs the app in a process of the simulated phone; what `@main` calls. Without a phone it stops with a message that says
    /// what to write.
    ///
    /// ```swift
    /// SimulatedPhone.install(on: device, program: { AppDelegate.main() })
    /// ```
    ///
    /// The delegate is made with its `init()`. The delegate of a scene is of the class that
    /// ``application(_:configurationForConnecting:options:)`` names, or else the `Info.plist`.
    nonisolated public static func main() {
        guard SimulatedPhone.isAppProcess else { SimulatedPhone.stopWithoutPhone("\(Self.self)") }
        MainActor.assumeIsolated { SimulatedPhone.runMain(Self.self) }
    }
}

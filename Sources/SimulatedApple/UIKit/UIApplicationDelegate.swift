import ApusBackground
import SimulatedAppleCore

/// The calls about an app's life cycle, all of them optional as in UIKit.
///
/// In an app with scenes, the scene delegate is called instead of the four methods about foreground and background.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The window of an app without scenes.
    var window: UIWindow? { get set }

    /// Called first at a launch.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// Called last at a launch; after it, `BGTaskScheduler` accepts no launch handlers.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// Called when the app has become active.
    func applicationDidBecomeActive(_ application: UIApplication)
    /// Called before the app is covered, or leaves the foreground.
    func applicationWillResignActive(_ application: UIApplication)
    /// Called when the app is in the background; it has about five seconds for its work in this call.
    func applicationDidEnterBackground(_ application: UIApplication)
    /// Called before the app leaves the background.
    func applicationWillEnterForeground(_ application: UIApplication)
    /// Called before the app's process ends, unless the app is suspended.
    func applicationWillTerminate(_ application: UIApplication)
    /// Called when memory is low.
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)
    /// Called when the wall clock was set; the simulation does not call it at midnight.
    func applicationSignificantTimeChange(_ application: UIApplication)

    /// Called when the phone was locked, shortly before files of the protection class "complete" become unreadable.
    ///
    /// A suspended app is not notified.
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)
    /// Called when the phone was unlocked and files of the protection class "complete" can be read again.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)

    /// Called with the token of this device and app when the app can receive pushes.
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    /// Called when the app cannot receive pushes; the simulation never calls it.
    func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)

    /// Called when a silent push has arrived; the app must call the handler within 30 seconds.
    ///
    /// Implement either this method or its asynchronous form.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
    /// Handles a silent push; the asynchronous form of the method above.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult

    /// Called when all tasks of a background session have ended.
    ///
    /// The app creates the session again if it does not exist, and the session's delegate is called. The app must call
    /// the handler within 30 seconds, from `urlSessionDidFinishEvents`.
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)

    /// Called for a background fetch before iOS 13, but never here.
    ///
    /// Register a launch handler with `BGTaskScheduler` instead.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)

    /// Returns the configuration of a new scene.
    ///
    /// Its `delegateClass` is used only in an app that is run by ``main()``; otherwise the scene delegate is the one
    /// given to `SimulatedPhone.install` or `run`.
    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
    /// Called when the user has removed scenes from the app switcher; never called here.
    ///
    /// The simulated phone has only one scene, and removing it ends the app.
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
}

extension UIApplicationDelegate {
    /// Always `nil`, for a delegate that does not declare the property.
    public var window: UIWindow? {
        get { nil }
        set {}
    }

    /// Returns `true`.
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Returns `true`.
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

    /// Calls the asynchronous form.
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

    /// Returns `noData`.
    nonisolated(nonsending) public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult { .noData }

    /// Writes a warning into the device's log, and calls the handler.
    public func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        application.host.warn("the app's delegate does not handle the events of the background session \(identifier)")
        completionHandler()
    }

    /// Calls the handler with `noData`.
    public func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) { completionHandler(.noData) }

    /// Returns the session's present configuration.
    public func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration { connectingSceneSession.configuration }
    /// Does nothing.
    public func application(
        _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    ) {}

    /// Runs the app in a process of the simulated phone, as `@main` does on a phone.
    ///
    /// Outside of such a process, the program stops with a message that says what to write instead.
    ///
    /// ```swift
    /// SimulatedPhone.install(on: device, program: { AppDelegate.main() })
    /// ```
    ///
    /// The app delegate is created with its `init()`. The class of the scene delegate is the one in the configuration
    /// that ``application(_:configurationForConnecting:options:)`` returns, or else the one in the `Info.plist`.
    nonisolated public static func main() {
        guard SimulatedPhone.isAppProcess else { SimulatedPhone.stopWithoutPhone("\(Self.self)") }
        MainActor.assumeIsolated { SimulatedPhone.runMain(Self.self) }
    }
}

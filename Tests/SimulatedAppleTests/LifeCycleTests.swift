import ApusBackground
import ApusDevice
import ApusTimers
import SimulatedAppleCore
import Testing
import UIKit

private final class JournalDelegate: UIResponder, UIApplicationDelegate {
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
        super.init()
        for name in [
            UIApplication.didFinishLaunchingNotification, UIApplication.didBecomeActiveNotification,
            UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
            UIApplication.willEnterForegroundNotification, UIApplication.willTerminateNotification,
            UIScene.willConnectNotification, UIScene.didActivateNotification,
        ] {
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
                MainActor.assumeIsolated { journal.lines.append(name.rawValue) }
            }
        }
    }

    private func note(_ text: String) {
        journal.lines.append("\(text) \(UIApplication.shared.applicationState)")
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        note("launch")
        return true
    }
    func applicationDidBecomeActive(_ application: UIApplication) { note("active") }
    func applicationWillResignActive(_ application: UIApplication) { note("resign") }
    func applicationDidEnterBackground(_ application: UIApplication) { note("background") }
    func applicationWillEnterForeground(_ application: UIApplication) { note("foreground") }
    func applicationWillTerminate(_ application: UIApplication) { note("terminate") }
    func applicationDidReceiveMemoryWarning(_ application: UIApplication) { note("memory") }
    func applicationSignificantTimeChange(_ application: UIApplication) { note("time") }
}

private final class JournalSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
        super.init()
    }

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        window = (scene as? UIWindowScene).map { UIWindow(windowScene: $0) }
        window?.makeKeyAndVisible()
        journal.lines.append("connect")
    }
    func sceneDidBecomeActive(_ scene: UIScene) { journal.lines.append("scene active") }
    func sceneWillResignActive(_ scene: UIScene) { journal.lines.append("scene resign") }
    func sceneWillEnterForeground(_ scene: UIScene) { journal.lines.append("scene foreground") }
    func sceneDidEnterBackground(_ scene: UIScene) { journal.lines.append("scene background") }
}

extension SimulatedAppleTests {
    @MainActor
    @Suite("UIApplication's life cycle")
    struct LifeCycle {
        @Test("the delegate is called in UIKit's order, with UIKit's states, and the observers after it")
        func order() throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: JournalDelegate(journal))
                device.launch()
                #expect(
                    journal.take() == [
                        "launch inactive", "UIApplicationDidFinishLaunchingNotification",
                        "active active", "UIApplicationDidBecomeActiveNotification",
                    ])
                device.pressHome()
                #expect(
                    journal.take() == [
                        "resign active", "UIApplicationWillResignActiveNotification",
                        "background background", "UIApplicationDidEnterBackgroundNotification",
                    ])
                device.advance(by: .seconds(10))
                device.open()
                #expect(
                    journal.take() == [
                        "foreground background", "UIApplicationWillEnterForegroundNotification",
                        "active active", "UIApplicationDidBecomeActiveNotification",
                    ])
                device.receiveCall()
                device.endCall()
                #expect(
                    journal.take() == [
                        "resign active", "UIApplicationWillResignActiveNotification",
                        "active active", "UIApplicationDidBecomeActiveNotification",
                    ])
                device.openAppSwitcher()
                device.swipeAway()
                #expect(
                    journal.take() == [
                        "resign active", "UIApplicationWillResignActiveNotification",
                        "background background", "UIApplicationDidEnterBackgroundNotification",
                        "terminate background", "UIApplicationWillTerminateNotification",
                    ])
            }
        }

        @Test("with scenes, the scene delegate is called instead of the app delegate, and a scene is connected once")
        func scenes() throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(
                    on: device, delegate: JournalDelegate(journal), sceneDelegate: { JournalSceneDelegate(journal) })
                device.launch()
                #expect(
                    journal.take() == [
                        "launch background", "UIApplicationDidFinishLaunchingNotification", "connect",
                        "UISceneWillConnectNotification", "scene foreground",
                        "UIApplicationWillEnterForegroundNotification", "scene active",
                        "UISceneDidActivateNotification", "UIApplicationDidBecomeActiveNotification",
                    ])
                device.pressHome()
                device.open()
                #expect(
                    journal.take() == [
                        "scene resign", "UIApplicationWillResignActiveNotification", "scene background",
                        "UIApplicationDidEnterBackgroundNotification", "scene foreground",
                        "UIApplicationWillEnterForegroundNotification", "scene active",
                        "UISceneDidActivateNotification", "UIApplicationDidBecomeActiveNotification",
                    ])
                #expect(UIApplication.shared.connectedScenes.first?.activationState == .foregroundActive)
            }
        }

        @Test("a new process has a new application and none of the old process's observers")
        func processes() throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: JournalDelegate(journal))
                device.launch()
                let first = ObjectIdentifier(UIApplication.shared)
                #expect(ObjectIdentifier(UIApplication.shared) == first)
                device.pressHome()
                device.advance(by: .seconds(10))
                device.applyMemoryPressure()
                #expect(device.app == nil)
                _ = journal.take()
                device.launch()
                #expect(
                    journal.take() == [
                        "launch inactive", "UIApplicationDidFinishLaunchingNotification",
                        "active active", "UIApplicationDidBecomeActiveNotification",
                    ])
            }
        }

        @Test("memory warnings and settings of the clock reach the delegate while the app runs")
        func events() throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: JournalDelegate(journal))
                device.launch()
                _ = journal.take()
                device.applyMemoryPressure()
                device.moveWallClock(by: .seconds(3_600))
                #expect(journal.take() == ["memory active", "time active"])
            }
        }

        @Test("an app delegate that outlives its process is a leak")
        func leak() throws {
            try SimulatedDevice.run { device in
                device.expect(.leakedApp)
                let journal = Journal()
                var delegates: [UIResponder] = []
                SimulatedPhone.install(on: device) {
                    let delegate = JournalDelegate(journal)
                    delegates.append(delegate)
                    return delegate
                }
                device.launch()
                device.kill()
                try? device.verify()
                #expect(delegates.count == 1)
            }
        }

        @Test("the battery is unknown without monitoring; with it, changes are posted")
        func battery() throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: JournalDelegate(journal))
                device.launch()
                #expect(UIDevice.current.batteryLevel == -1)
                #expect(UIDevice.current.batteryState == .unknown)
                UIDevice.current.isBatteryMonitoringEnabled = true
                let posted = Journal()
                _ = NotificationCenter.default.addObserver(
                    forName: UIDevice.batteryLevelDidChangeNotification, object: nil, queue: nil
                ) { _ in MainActor.assumeIsolated { posted.lines.append("\(UIDevice.current.batteryLevel)") } }
                device.setBattery(0.5)
                #expect(posted.take() == ["0.5"])
                #expect(UIDevice.current.batteryState == .unplugged)
                device.plugIn()
                #expect(UIDevice.current.batteryState == .charging)
            }
        }

        @Test("ProcessInfo knows the low-power mode and the heat")
        func processInfo() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: JournalDelegate(Journal()))
                device.launch()
                #expect(!ProcessInfo.processInfo.isLowPowerModeEnabled)
                #expect(ProcessInfo.processInfo.thermalState == .nominal)
                device.setLowPowerMode(true)
                device.setThermalState(.serious)
                #expect(ProcessInfo.processInfo.isLowPowerModeEnabled)
                #expect(ProcessInfo.processInfo.thermalState == .serious)
            }
        }

        /// Apple, documentation/uikit/uiapplication/backgroundrefreshstatus: the low-power mode switches background
        /// refresh off.
        @Test("the status of background refresh is denied in low-power mode, and what it was before afterwards")
        func backgroundRefreshInLowPowerMode() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: JournalDelegate(Journal()))
                device.launch()
                device.setLowPowerMode(true)
                #expect(UIApplication.shared.backgroundRefreshStatus == .denied)
                device.setLowPowerMode(false)
                #expect(UIApplication.shared.backgroundRefreshStatus == .available)
                device.setBackgroundRefresh(false)
                device.setLowPowerMode(true)
                device.setLowPowerMode(false)
                #expect(UIApplication.shared.backgroundRefreshStatus == .denied)
            }
        }

        @Test("the status of background refresh is the user's switch")
        func backgroundRefresh() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: JournalDelegate(Journal()))
                device.launch()
                #expect(UIApplication.shared.backgroundRefreshStatus == .available)
                device.setBackgroundRefresh(false)
                #expect(UIApplication.shared.backgroundRefreshStatus == .denied)
            }
        }

        @Test("a change of that status is posted once, by the switch and by the low-power mode")
        func backgroundRefreshChanges() throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: JournalDelegate(journal))
                device.launch()
                let name = UIApplication.backgroundRefreshStatusDidChangeNotification
                let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
                    MainActor.assumeIsolated {
                        journal.lines.append("now \(UIApplication.shared.backgroundRefreshStatus.rawValue)")
                    }
                }
                _ = journal.take()
                device.setBackgroundRefresh(false)
                device.setBackgroundRefresh(false)
                device.setBackgroundRefresh(true)
                device.setLowPowerMode(true)
                device.setLowPowerMode(true)
                device.setLowPowerMode(false)
                #expect(journal.take() == ["now 1", "now 2", "now 1", "now 2"])
                NotificationCenter.default.removeObserver(observer)
            }
        }
    }
}

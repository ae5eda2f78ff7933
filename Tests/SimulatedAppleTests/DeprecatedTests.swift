import ApusDevice
import SimulatedAppleCore
import Testing
import UIKit

/// An app of the time before iOS 10.
///
/// It is deprecated itself, so that the compiler does not warn about the declarations that it uses.
@available(*, deprecated)
private final class OldDelegate: UIResponder, UIApplicationDelegate {
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
        application.registerUserNotificationSettings(
            UIUserNotificationSettings(types: [.alert, .badge, .sound], categories: nil))
        let notification = UILocalNotification()
        notification.fireDate = Date(timeIntervalSinceNow: 60)
        notification.alertBody = "The time is over"
        notification.soundName = UILocalNotificationDefaultSoundName
        application.scheduleLocalNotification(notification)
        return true
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        journal.lines.append("fetch")
        completionHandler(.newData)
    }
}

private protocol Launching {
    @MainActor static func run(_ device: SimulatedDevice, _ journal: Journal)
}

/// Launches the app through a protocol, so that the test itself is not deprecated.
private enum OldApp: Launching {
    @available(*, deprecated)
    static func run(_ device: SimulatedDevice, _ journal: Journal) {
        SimulatedPhone.install(on: device, delegate: OldDelegate(journal))
        device.launch()
    }
}

extension SimulatedAppleTests {
    @MainActor
    @Suite("Deprecated names")
    struct DeprecatedNames {
        @Test("an app of the time before iOS 10 compiles, and the device's log names what took the place of its calls")
        func names() throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                let app: any Launching.Type = OldApp.self
                app.run(device, journal)
                device.pressHome()
                device.advance(by: .seconds(172_800))
                #expect(journal.lines.isEmpty)
                #expect(
                    device.warnings == [
                        "setMinimumBackgroundFetchInterval has no effect here: "
                            + "submit a BGAppRefreshTaskRequest to BGTaskScheduler",
                        "registerUserNotificationSettings has no effect here: "
                            + "use UNUserNotificationCenter.requestAuthorization",
                        "scheduleLocalNotification has no effect here: use UNUserNotificationCenter.add",
                    ])
            }
        }
    }
}

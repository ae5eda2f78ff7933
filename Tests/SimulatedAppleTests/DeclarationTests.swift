import ApusDevice
import BackgroundTasks
import CoreLocation
import Foundation
import SimulatedAppleCore
import Testing
import UIKit
import UserNotifications

/// Uses the declarations that Apple's headers mark `NS_SWIFT_NONISOLATED` or leave without an actor.
///
/// The test is that this compiles outside of the main actor. `docs/simulated-apple-reference.md` has the list.
private func useOffTheMainActor(
    _ application: UIApplication, _ center: UNUserNotificationCenter, _ manager: CLLocationManager
) -> [String] {
    let task = application.beginBackgroundTask(withName: "off the main actor", expirationHandler: nil)
    defer { application.endBackgroundTask(task) }
    manager.distanceFilter = 10
    manager.stopUpdatingLocation()
    manager.stopMonitoringSignificantLocationChanges()
    center.removeAllPendingNotificationRequests()
    BGTaskScheduler.shared.cancelAllTaskRequests()
    let names = [
        UIApplication.didEnterBackgroundNotification, UIApplication.protectedDataDidBecomeAvailableNotification,
        UIDevice.batteryStateDidChangeNotification, UIScene.didActivateNotification,
    ]
    return [
        "task \(task != .invalid)", "time \(application.backgroundTimeRemaining == .greatestFiniteMagnitude)",
        "protected data \(application.isProtectedDataAvailable)", "status \(manager.authorizationStatus.rawValue)",
        "available \(CLLocationManager.significantLocationChangeMonitoringAvailable())", "names \(Set(names).count)",
    ]
}

/// Implements no method, because every method of the protocols is optional.
private final class EmptyDelegate: UIResponder, UIApplicationDelegate {}
private final class EmptySceneDelegate: UIResponder, UIWindowSceneDelegate { var window: UIWindow? }
private final class EmptyLocationDelegate: NSObject, CLLocationManagerDelegate {}
private final class EmptyNotificationDelegate: NSObject, UNUserNotificationCenterDelegate {}

extension SimulatedAppleTests {
    @MainActor
    @Suite("Declarations, compared with Apple's")
    struct Declarations {
        @Test("declarations without an actor in Apple's headers are used off the main actor")
        func nonisolated() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: EmptyDelegate())
                device.launch()
                let lines = useOffTheMainActor(UIApplication.shared, .current(), CLLocationManager())
                #expect(
                    lines == [
                        "task true", "time true", "protected data true", "status 0", "available true", "names 4",
                    ])
            }
        }

        @Test("every method of the delegates is optional")
        func optional() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device, delegate: EmptyDelegate(), sceneDelegate: { EmptySceneDelegate() })
                device.launch()
                let (manager, locationDelegate) = (CLLocationManager(), EmptyLocationDelegate())
                manager.delegate = locationDelegate
                let notificationDelegate = EmptyNotificationDelegate()
                UNUserNotificationCenter.current().delegate = notificationDelegate
                manager.requestWhenInUseAuthorization()
                device.advance(by: .seconds(1))
                device.lock()
                device.applyMemoryPressure()
                device.advance(by: .seconds(60))
                device.unlock()
                device.swipeAway()
                #expect(manager.delegate === locationDelegate)
            }
        }
    }
}

#if os(Linux)
    import ApusBackground
    import ApusDevice
    import CoreLocation
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit
    import UserNotifications

    /// Asks for both permissions, and then makes a third request.
    private final class Asking: Recorder, @preconcurrency CLLocationManagerDelegate {
        private let manager = CLLocationManager()

        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            manager.delegate = self
            manager.requestWhenInUseAuthorization()
            UNUserNotificationCenter.current().requestAuthorization(options: [.alert]) { isGranted, _ in
                Self.note("granted \(isGranted)")
            }
            return true
        }

        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
            guard manager.authorizationStatus != .notDetermined else { return }
            Self.note("authorization \(manager.authorizationStatus.rawValue)")
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/uikit/uiapplicationdelegate/applicationwillresignactive(_:).
        @MainActor
        @Suite("The system's questions for permission")
        struct Permissions {
            private func notes(_ install: (SimulatedDevice) -> Void) throws -> [String] {
                try SimulatedDevice.run { device in
                    install(device)
                    device.launch()
                    device.advance(by: .seconds(1))
                    return device.notes
                }
            }

            @Test("an app that asks when it is launched becomes active, resigns for the questions, and is active again")
            func order() throws {
                let shared = try notes { SimulatedPhone.install(on: $0, delegate: Asking()) }
                let own = try notes { SimulatedPhone.install(on: $0, program: { SimulatedPhone.run(Asking()) }) }
                for notes in [shared, own] {
                    #expect(notes.prefix(2) == ["active", "resigns"])
                    #expect(Set(notes.dropFirst(2)) == ["granted true", "authorization 4", "active"])
                    #expect(notes.count == 5)
                }
            }

            /// The source is Apple, documentation/corelocation/cllocationmanager/requestalwaysauthorization().
            @Test("the app's text of a question is in the log")
            func text() throws {
                try SimulatedDevice.run { device in
                    let manifest = AppManifest(usesScenes: false, locationWhenInUseUsage: "to show the next stop")
                    SimulatedPhone.install(on: device, manifest: manifest, delegate: Asking())
                    device.launch()
                    let question = "system location: asks the user to allow whenInUse: “to show the next stop”"
                    #expect(device.logText.contains(question))
                    device.kill()
                    device.launch()
                    #expect(device.logText.ranges(of: question).count == 1)
                }
            }
        }
    }
#endif

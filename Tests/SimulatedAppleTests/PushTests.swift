#if os(Linux)
    import ApusBackground
    import ApusDevice
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// Registers for pushes, and handles each push at once.
    ///
    /// The delegates here have no common base class. If they had one, it would have the protocol's default
    /// implementations, and the methods that a subclass adds would not be called.
    private final class PushDelegate: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            application.registerForRemoteNotifications()
            return true
        }

        func application(
            _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
        ) {
            SimulatedPhone.note("token \(deviceToken.count) bytes")
        }

        func application(
            _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
            fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
        ) {
            let aps = userInfo["aps"] as? [String: Any]
            SimulatedPhone.note("push \(userInfo["id"] ?? "without id"), content \(aps?["content-available"] ?? 0)")
            completionHandler(.newData)
        }
    }

    /// Handles pushes asynchronously.
    private final class AsynchronousPushDelegate: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            application.registerForRemoteNotifications()
            return true
        }

        func application(
            _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
        ) async -> UIBackgroundFetchResult {
            SimulatedPhone.note("push begins")
            try? await Task.sleep(for: .seconds(5))
            SimulatedPhone.note("push ends")
            return .newData
        }
    }

    /// Does not call the handler of a push.
    private final class ForgetfulPushDelegate: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            application.registerForRemoteNotifications()
            return true
        }

        func application(
            _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
            fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
        ) { SimulatedPhone.note("push \(userInfo["id"] ?? "")") }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/usernotifications/pushing-background-updates-to-your-app.
        @MainActor
        @Suite("Silent pushes")
        struct Pushes {
            private static let manifest = AppManifest(backgroundModes: [.remoteNotification], usesScenes: false)

            /// Runs the body twice: with the app in the test's process, and with the app in one of its own.
            private func run(
                _ manifest: AppManifest = Self.manifest, _ body: (SimulatedDevice) throws -> Void
            ) throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, manifest: manifest, delegate: PushDelegate())
                    try body(device)
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: manifest, program: { SimulatedPhone.run(PushDelegate()) })
                    try body(device)
                }
            }

            private func pushes(_ device: SimulatedDevice) -> [String] {
                device.log.compactMap { event in
                    switch event.what {
                    case .push(let text): text
                    case .note(let text) where text.hasPrefix("push"): text
                    default: nil
                    }
                }
            }

            @Test(
                "a push resumes a suspended app and starts one that has ended, and the app is suspended when it is handled"
            )
            func wakes() throws {
                try run { device in
                    device.launch()
                    #expect(device.logText.contains("note: token 32 bytes"))
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    #expect(device.host?.phase == .suspended)
                    device.receivePush(["id": "1"])
                    device.advance(by: .seconds(10))
                    let handled = ["handed over", "push 1, content 1", "completed"]
                    #expect(pushes(device) == handled)
                    #expect(device.host?.phase == .suspended)
                    device.kill(nil)
                    device.receivePush(["id": "2"])
                    device.advance(by: .seconds(10))
                    #expect(pushes(device).suffix(3) == ["handed over", "push 2, content 1", "completed"])
                    #expect(device.logText.contains("launched: silent push"))
                    #expect(device.host?.phase == .suspended)
                }
            }

            @Test("without background refresh and notifications an app gets no token")
            func withoutToken() throws {
                try run { device in
                    device.setBackgroundRefresh(false)
                    device.launch()
                    #expect(!device.logText.contains("note: token"))
                    device.notifications.setAuthorization(.authorized)
                    device.kill(nil)
                    device.open()
                    #expect(device.logText.contains("note: token"))
                }
            }

            @Test("an app in the foreground gets a push at once, whatever the limits are")
            func inFront() throws {
                try run(AppManifest(usesScenes: false)) { device in
                    device.launch()
                    device.setLowPowerMode(true)
                    for number in 1...5 { device.receivePush(["id": "\(number)"]) }
                    #expect(pushes(device).filter { $0.hasPrefix("push") }.count == 5)
                }
            }

            @Test("an app without the background mode, without registration, or after a force quit gets no push")
            func discarded() throws {
                try run(AppManifest(usesScenes: false)) { device in
                    device.receivePush()
                    device.launch()
                    device.pressHome()
                    device.receivePush()
                    #expect(
                        pushes(device) == [
                            "discarded: the app has not registered for remote notifications",
                            "discarded: the app does not declare the mode remote-notification",
                        ])
                }
                try run { device in
                    device.launch()
                    device.swipeAway()
                    device.receivePush()
                    device.advance(by: .seconds(60))
                    #expect(device.host == nil)
                    #expect(pushes(device) == ["discarded: the user has removed the app from the switcher"])
                    device.open()
                    device.receivePush(["id": "1"])
                    #expect(pushes(device).last == "completed")
                }
            }

            @Test("while a push cannot be delivered, the newest is held, and is delivered when it can be")
            func held() throws {
                try run { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.setLowPowerMode(true)
                    device.setBattery(0.2)
                    device.setBackgroundRefresh(false)
                    device.receivePush(["id": "1"])
                    device.receivePush(["id": "2"])
                    device.advance(by: .seconds(60))
                    let reasons = "held: background refresh is off, the battery is low, low-power mode"
                    #expect(pushes(device) == [reasons, "discarded: a newer push came", reasons])
                    device.setLowPowerMode(false)
                    device.setBattery(0.5)
                    device.setBackgroundRefresh(true)
                    device.advance(by: .seconds(60))
                    #expect(pushes(device).suffix(3) == ["handed over", "push 2, content 1", "completed"])
                }
            }

            @Test("a held push is delivered when the user opens the app, and is lost when the app is ended")
            func openedOrEnded() throws {
                try run { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.setLowPowerMode(true)
                    device.receivePush(["id": "1"])
                    device.open()
                    #expect(pushes(device).suffix(3) == ["handed over", "push 1, content 1", "completed"])
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.receivePush(["id": "2"])
                    device.kill(nil)
                    device.setLowPowerMode(false)
                    device.advance(by: .seconds(60))
                    #expect(pushes(device).last == "discarded: the app was ended")
                }
            }

            @Test("three pushes within an hour start or resume the app, and a fourth one waits until the hour is over")
            func throttled() throws {
                try run { device in
                    device.launch()
                    device.pressHome()
                    for number in 1...4 {
                        device.advance(by: .seconds(600))
                        device.receivePush(["id": "\(number)"])
                    }
                    #expect(pushes(device).last == "held: too many pushes within an hour")
                    device.advance(by: .seconds(1_799))
                    #expect(pushes(device).last == "held: too many pushes within an hour")
                    device.advance(by: .seconds(2))
                    #expect(pushes(device).suffix(3) == ["handed over", "push 4, content 1", "completed"])
                }
            }

            @Test("an asynchronous delegate keeps the app running until it returns")
            func asynchronous() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: Self.manifest,
                        program: { SimulatedPhone.run(AsynchronousPushDelegate()) })
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.receivePush()
                    device.advance(by: .seconds(4))
                    #expect(device.host?.phase == .background)
                    #expect(pushes(device) == ["handed over", "push begins"])
                    device.advance(by: .seconds(4))
                    #expect(pushes(device) == ["handed over", "push begins", "push ends", "completed"])
                    #expect(device.host?.phase == .suspended)
                }
            }

            @Test(
                "a push that is not completed within 30 s ends the app in the background, and is a warning in the foreground"
            )
            func forgotten() throws {
                try SimulatedDevice.run { device in
                    device.expect(.pushNotCompleted)
                    SimulatedPhone.install(
                        on: device, manifest: Self.manifest,
                        program: { SimulatedPhone.run(ForgetfulPushDelegate()) })
                    device.launch()
                    device.receivePush(["id": "1"])
                    device.advance(by: .seconds(31))
                    #expect(device.logText.contains("warning: a silent push was not completed in time"))
                    device.pressHome()
                    device.receivePush(["id": "2"])
                    device.advance(by: .seconds(29))
                    #expect(device.host?.phase == .background)
                    device.advance(by: .seconds(2))
                    #expect(device.host == nil)
                    #expect(device.logText.contains("terminated: 0x2182bad4 fetch timeout"))
                }
            }
        }
    }
#endif

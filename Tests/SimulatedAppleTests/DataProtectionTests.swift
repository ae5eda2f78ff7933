#if os(Linux)
    import ApusBackground
    import ApusDevice
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// Notes UIKit's notifications of data protection, and whether data is available when its background task expires.
    private final class Guarded: UIResponder, UIApplicationDelegate {
        private var claim = UIBackgroundTaskIdentifier.invalid

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            SimulatedPhone.note("launched, available \(application.isProtectedDataAvailable)")
            _ = NotificationCenter.default.addObserver(
                forName: UIApplication.protectedDataDidBecomeAvailableNotification, object: nil, queue: .main
            ) { _ in MainActor.assumeIsolated { SimulatedPhone.note("posted") } }
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            claim = application.beginBackgroundTask { [self] in
                SimulatedPhone.note("expires, available \(application.isProtectedDataAvailable)")
                application.endBackgroundTask(claim)
            }
        }

        func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {
            SimulatedPhone.note("will be unavailable, available \(application.isProtectedDataAvailable)")
        }

        func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
            SimulatedPhone.note("is available, available \(application.isProtectedDataAvailable)")
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/uikit/encrypting-your-app-s-files; Apple Platform Security, "Data
        /// Protection classes".
        @MainActor
        @Suite("Data protection")
        struct DataProtectionTests {
            private func run(_ body: (SimulatedDevice) throws -> Void) throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, delegate: Guarded())
                    try body(device)
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Guarded()) })
                    try body(device)
                }
            }

            private func notes(_ device: SimulatedDevice) -> [String] {
                device.notes.filter { $0.contains("available") || $0 == "posted" }
            }

            @Test("protected files are closed ten seconds after the lock, and open again with the screen")
            func lock() throws {
                try run { device in
                    device.launch()
                    device.lock()
                    #expect(device.isProtectedDataAvailable)
                    device.advance(by: .seconds(9))
                    #expect(device.isProtectedDataAvailable)
                    device.advance(by: .seconds(2))
                    #expect(!device.isProtectedDataAvailable)
                    device.advance(by: .seconds(10))
                    device.unlock()
                    #expect(device.isProtectedDataAvailable)
                    #expect(
                        notes(device) == [
                            "launched, available true", "will be unavailable, available true",
                            "is available, available true", "posted",
                        ])
                }
            }

            @Test(
                "an app that continues in the background finds protected files closed, and a suspended app is not notified"
            )
            func background() throws {
                try run { device in
                    device.launch()
                    device.lock()
                    device.advance(by: .seconds(60))
                    #expect(device.host?.phase == .suspended)
                    device.unlock()
                    device.advance(by: .seconds(1))
                    #expect(
                        notes(device) == [
                            "launched, available true", "will be unavailable, available true",
                            "expires, available false",
                        ])
                }
            }

            @Test("protected files stay open if the screen is unlocked before they are closed")
            func shortLock() throws {
                try run { device in
                    device.launch()
                    for _ in 1...3 {
                        device.lock()
                        device.advance(by: .seconds(8))
                        device.unlock()
                        device.advance(by: .seconds(8))
                        #expect(device.isProtectedDataAvailable)
                    }
                }
            }

            @Test("after a restart protected files are closed until the screen is unlocked")
            func restart() throws {
                try run { device in
                    device.reboot()
                    device.advance(by: .seconds(60))
                    #expect(!device.isProtectedDataAvailable)
                    device.open()
                    #expect(device.isProtectedDataAvailable)
                    #expect(notes(device) == ["launched, available true"])
                }
            }
        }
    }
#endif

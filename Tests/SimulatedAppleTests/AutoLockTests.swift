#if os(Linux)
    import ApusBackground
    import ApusDevice
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// Keeps the screen on for the app's first five minutes.
    private final class Navigator: UIResponder, UIApplicationDelegate {
        private var timer: Timer?

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            application.isIdleTimerDisabled = true
            timer = Timer.scheduledTimer(withTimeInterval: 300, repeats: false) { _ in
                MainActor.assumeIsolated { UIApplication.shared.isIdleTimerDisabled = false }
            }
            return true
        }
    }

    private final class Reader: UIResponder, UIApplicationDelegate {}

    extension SimulatedAppleTests {
        /// Checks the rules in Apple, documentation/uikit/uiapplication/isidletimerdisabled.
        @MainActor
        @Suite("A screen that locks itself")
        struct AutoLockTests {
            @Test("the screen locks itself without a touch, but not while an app keeps it on")
            func lock() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Navigator()) })
                    device.autoLock = .seconds(60)
                    device.launch()
                    device.advance(by: .seconds(299))
                    #expect(!device.isLocked)
                    device.advance(by: .seconds(62))
                    #expect(device.isLocked)
                    #expect(device.logText.contains("system auto-lock"))
                    device.advance(by: .seconds(10))
                    #expect(device.host?.phase == .suspended)
                }
            }

            @Test("an auto-lock time of zero is set to a second, and an app can still keep the screen on")
            func atLeastASecond() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Navigator()) })
                    device.autoLock = .zero
                    #expect(device.autoLock == .seconds(1))
                    device.launch()
                    device.advance(by: .seconds(60))
                    #expect(!device.isLocked)
                }
            }

            @Test("a touch, scrolling and a call postpone the lock, and a device without auto-lock never locks itself")
            func touches() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, delegate: Reader())
                    device.launch()
                    device.advance(by: .seconds(3_600))
                    #expect(!device.isLocked)
                    device.autoLock = .seconds(60)
                    device.advance(by: .seconds(50))
                    device.touch()
                    device.advance(by: .seconds(50))
                    device.scroll(for: .seconds(100))
                    device.advance(by: .seconds(59))
                    device.receiveCall()
                    device.advance(by: .seconds(600))
                    device.endCall()
                    device.advance(by: .seconds(59))
                    #expect(!device.isLocked)
                    device.advance(by: .seconds(2))
                    #expect(device.isLocked)
                    device.unlock()
                    device.autoLock = nil
                    device.advance(by: .seconds(600))
                    #expect(!device.isLocked)
                }
            }
        }
    }
#endif

#if os(Linux)
    import ApusBackground
    import ApusDevice
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// Measures the time from the start of the process to the launch, as many apps do.
    private final class MeasuringDelegate: UIResponder, UIApplicationDelegate {
        nonisolated(unsafe) static var start: Date?

        static func main() {
            start = Date(timeIntervalSinceNow: 0)
            let mark = ProcessInfo.processInfo.environment["ActivePrewarm"] ?? "none"
            SimulatedPhone.note(
                "main, prewarm \(mark), files \(SimulatedPhone.process.settings.isProtectedDataAvailable)")
            SimulatedPhone.run(MeasuringDelegate())
        }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let duration = Self.start.map { Int(Date(timeIntervalSinceNow: 0).timeIntervalSince($0).rounded()) } ?? 0
            let state = application.applicationState.rawValue
            SimulatedPhone.note(
                "launched after \(duration) s, state \(state), files \(application.isProtectedDataAvailable)")
            application.registerForRemoteNotifications()
            return true
        }

        func applicationDidBecomeActive(_ application: UIApplication) { SimulatedPhone.note("active") }

        func application(
            _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
            fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
        ) {
            SimulatedPhone.note("push")
            completionHandler(.noData)
        }
    }

    private final class PrewarmedSceneDelegate: UIResponder, UIWindowSceneDelegate {
        var window: UIWindow?
        func sceneDidBecomeActive(_ scene: UIScene) { SimulatedPhone.note("scene active") }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/uikit/about-the-app-launch-sequence.
        @MainActor
        @Suite("Prewarming")
        struct Prewarming {
            private func run(_ body: (SimulatedDevice) throws -> Void) throws {
                try SimulatedDevice.run { device in
                    let manifest = AppManifest(backgroundModes: [.remoteNotification], usesScenes: false)
                    SimulatedPhone.install(on: device, manifest: manifest, program: { MeasuringDelegate.main() })
                    try body(device)
                }
            }

            @Test("a prewarmed process runs up to its launch and waits there; the user's opening continues the launch")
            func opened() throws {
                try run { device in
                    device.prewarm()
                    device.advance(by: .seconds(3_600))
                    #expect(device.notes == ["main, prewarm 1, files true"])
                    #expect(device.host?.phase == .suspended)
                    device.open()
                    #expect(
                        device.notes == [
                            "main, prewarm 1, files true", "launched after 3600 s, state 1, files true", "active",
                        ])
                    #expect(device.host?.phase == .active)
                    #expect(device.launchCount == 1)
                    device.kill(nil)
                    device.launch()
                    #expect(device.notes.suffix(3).first == "main, prewarm none, files true")
                    #expect(device.launchCount == 2)
                }
            }

            @Test(
                "a prewarmed process is launched in the background for what the system has for it, and then suspended")
            func inBackground() throws {
                try run { device in
                    device.launch()
                    device.kill(nil)
                    device.prewarm()
                    device.receivePush()
                    device.advance(by: .seconds(10))
                    #expect(device.logText.contains("launched: silent push, prewarmed"))
                    #expect(device.notes.suffix(2) == ["launched after 0 s, state 2, files true", "push"])
                    #expect(device.host?.phase == .suspended)
                    #expect(device.launchCount == 2)
                    device.open()
                    #expect(device.notes.last == "active")
                }
            }

            @Test("before the first unlock protected files are closed for a prewarmed process")
            func beforeFirstUnlock() throws {
                try run { device in
                    device.reboot()
                    device.prewarm()
                    #expect(device.notes == ["main, prewarm 1, files false"])
                    device.open()
                    #expect(device.notes[1] == "launched after 0 s, state 1, files true")
                }
            }

            @Test(
                "memory pressure ends a prewarmed process without notice, and an app that has a process is not prewarmed"
            )
            func ended() throws {
                try run { device in
                    device.prewarm()
                    device.prewarm()
                    #expect(device.logText.contains("warning: the app already has a process, so it is not prewarmed"))
                    device.applyMemoryPressure()
                    #expect(device.host == nil)
                    device.launch()
                    #expect(device.notes.count { $0 == "active" } == 1)
                    #expect(device.launchCount == 2)
                }
            }

            @Test("an app with scenes is prewarmed without them")
            func scenes() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: AppManifest(usesScenes: true),
                        program: {
                            SimulatedPhone.run(MeasuringDelegate(), sceneDelegate: { PrewarmedSceneDelegate() })
                        })
                    device.prewarm()
                    device.advance(by: .seconds(60))
                    #expect(device.notes.isEmpty)
                    device.open()
                    #expect(device.notes == ["launched after 0 s, state 2, files true", "scene active"])
                }
            }

            @Test("an app in the test's process runs nothing before its launch")
            func inTestProcess() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: AppManifest(usesScenes: false), delegate: MeasuringDelegate())
                    device.prewarm()
                    device.advance(by: .seconds(60))
                    #expect(device.notes.isEmpty)
                    device.open()
                    #expect(device.notes == ["launched after 0 s, state 1, files true", "active"])
                    #expect(device.launchCount == 1)
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    #expect(device.host?.phase == .suspended)
                }
            }
        }
    }
#endif

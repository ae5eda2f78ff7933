#if os(Linux)
    import ApusVirtualTime
    import ApusBackground
    import ApusDevice
    import ApusTestTraits
    import ApusTimers
    import BackgroundTasks
    import Foundation
    import PlatformC
    import SimulatedAppleCore
    import Testing
    import UIKit
    import UserNotifications

    /// Tests the cases in which a phone ends an app, with the app in the test's process and in one of its own.
    @MainActor
    @Suite("The end of an app for what it does", .serialized, .simulatedPhone())
    struct ProcessEndTests {
        private struct Mistake: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let rule: Fault.Rule
            let app: @MainActor @Sendable () -> any UIApplicationDelegate
            let program: @convention(c) () -> Void

            static let all = [
                Mistake(
                    testDescription: "a second handler", rule: .duplicateLaunchHandler, app: { Mistaken(.twice) },
                    program: { SimulatedPhone.run(Mistaken(.twice)) }),
                Mistake(
                    testDescription: "a late handler", rule: .lateLaunchHandler, app: { Mistaken(.late) },
                    program: { SimulatedPhone.run(Mistaken(.late)) }),
                Mistake(
                    testDescription: "a request without a handler", rule: .noLaunchHandler,
                    app: { Mistaken(.unhandled) },
                    program: { SimulatedPhone.run(Mistaken(.unhandled)) }),
                Mistake(
                    testDescription: "an interval of zero", rule: .notificationInterval, app: { Mistaken(.interval) },
                    program: { SimulatedPhone.run(Mistaken(.interval)) }),
            ]
        }

        private static let manifest = AppManifest(
            backgroundModes: [.fetch, .processing], permittedTaskIdentifiers: ["refresh", "process"],
            usesScenes: false)

        /// Returns the logs of the same events with the app in the test's process, and in one of its own.
        private func both(
            policy: SystemPolicy = SystemPolicy(), fault: Fault.Rule?,
            app: @escaping @MainActor @Sendable () -> any UIApplicationDelegate,
            program: @escaping @convention(c) () -> Void, events: (SimulatedDevice) throws -> Void
        ) throws -> [String] {
            try [true, false].map { isOwn in
                try SimulatedDevice.run(policy: policy) { device in
                    if let fault { device.expect(fault) }
                    if isOwn {
                        SimulatedPhone.install(on: device, manifest: Self.manifest, program: program)
                    } else {
                        SimulatedPhone.install(on: device, manifest: Self.manifest, delegate: app())
                    }
                    try events(device)
                    return device.logText
                }
            }
        }

        /// The exceptions of BGTaskScheduler.h and of `UNTimeIntervalNotificationTrigger`: an app that does not catch
        /// one is ended.
        @Test(
            "a call that raises an exception on a phone ends the app, unless the policy says otherwise",
            arguments: Mistake.all)
        private func exceptions(_ mistake: Mistake) throws {
            for log in try both(
                fault: mistake.rule, app: mistake.app, program: mistake.program,
                events: { device in
                    device.launch()
                    device.advance(by: .seconds(1))
                    #expect(device.host == nil)
                    device.open()
                    device.advance(by: .seconds(1))
                    #expect(device.launchCount == 2, "it may be started again")
                })
            {
                #expect(log.contains("app note: before"))
                // The center handles a request a moment after `add` has returned, so its fault is recorded later.
                if mistake.rule != .notificationInterval { #expect(!log.contains("app note: after")) }
                #expect(log.contains("system terminated: SIGABRT, uncaught exception: "))
            }
            var policy = SystemPolicy()
            policy.endsAppAtExceptions = false
            for log in try both(
                policy: policy, fault: mistake.rule, app: mistake.app, program: mistake.program,
                events: { device in
                    device.launch()
                    device.advance(by: .seconds(1))
                    #expect(device.host != nil)
                })
            {
                #expect(log.contains("app note: after"))
            }
        }

        private struct Block: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let rule: Fault.Rule
            let tooLong: @convention(c) () -> Void
            let inTime: @convention(c) () -> Void

            /// The rows, with a block that is longer than the limit and one that is shorter.
            ///
            /// Apple's "Addressing watchdog terminations" names the limits: 19.97 s for a launch, 10 s for the update
            /// of a scene, and 5 s at the end. The limit on the way to the background is 5 s.
            static let all = [
                Block(
                    testDescription: "launch", rule: .slowLaunch,
                    tooLong: { SimulatedPhone.run(Blocker(.launch, seconds: 25)) },
                    inTime: { SimulatedPhone.run(Blocker(.launch, seconds: 19)) }),
                Block(
                    testDescription: "coming to the front", rule: .slowSceneUpdate,
                    tooLong: { SimulatedPhone.run(Blocker(.foreground, seconds: 11)) },
                    inTime: { SimulatedPhone.run(Blocker(.foreground, seconds: 9)) }),
                Block(
                    testDescription: "background", rule: .slowBackgroundEntry,
                    tooLong: { SimulatedPhone.run(Blocker(.background, seconds: 6)) },
                    inTime: { SimulatedPhone.run(Blocker(.background, seconds: 4)) }),
                Block(
                    testDescription: "end", rule: .slowTermination,
                    tooLong: { SimulatedPhone.run(Blocker(.end, seconds: 6)) },
                    inTime: { SimulatedPhone.run(Blocker(.end, seconds: 4)) }),
            ]
        }

        @Test("an app whose main thread waits for longer than the watchdog allows is ended", arguments: Block.all)
        private func blocked(_ block: Block) throws {
            for isTooLong in [true, false] {
                try SimulatedDevice.run { device in
                    if isTooLong { device.expect(block.rule) }
                    SimulatedPhone.install(
                        on: device, manifest: Self.manifest, program: isTooLong ? block.tooLong : block.inTime)
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.open()
                    device.openAppSwitcher()
                    device.swipeAway()
                    let isWatchdog = device.logText.contains("terminated: 0x8badf00d watchdog")
                    #expect(isWatchdog == isTooLong)
                    #expect(device.logText.contains("app note: waited") == !isTooLong)
                }
            }
        }

        @Test("the watchdog also ends an app whose main thread is blocked in the foreground when the user leaves it")
        func blockedInFront() throws {
            try SimulatedDevice.run { device in
                device.expect(.slowSceneUpdate)
                SimulatedPhone.install(
                    on: device, program: { SimulatedPhone.run(Blocker(.timer, seconds: 60)) })
                device.launch()
                device.advance(by: .seconds(5))
                #expect(device.host != nil)
                let start = device.time.uptime()
                device.pressHome()
                #expect(device.host == nil)
                #expect(start.duration(to: device.time.uptime()) == .seconds(10))
            }
        }

        /// The sources are github.com/transistorsoft/react-native-background-fetch/issues/323 and BGTaskRequest.h.
        ///
        /// The CPU monitor ends an app that uses 80 % over 60 s, but not while a task runs that requires external
        /// power.
        @Test(
            "an app that computes for most of a minute in the background is ended, unless its task requires external power"
        )
        func computes() throws {
            for isPowered in [false, true] {
                let logs = try both(
                    fault: isPowered ? nil : .tooMuchCPU, app: { isPowered ? Computer(true) : Computer(false) },
                    program: isPowered
                        ? { SimulatedPhone.run(Computer(true)) } : { SimulatedPhone.run(Computer(false)) },
                    events: { device in
                        device.launch()
                        device.pressHome()
                        device.advance(by: .seconds(60))
                        device.launchJob("process")
                        let start = device.time.uptime()
                        device.advance(by: .seconds(100))
                        #expect(start.duration(to: device.time.uptime()) == .seconds(100))
                        #expect((device.host == nil) == !isPowered)
                    })
                for log in logs {
                    #expect(log.contains("terminated: CPU: ") == !isPowered)
                    #expect(log.contains("app note: computed") == isPowered)
                }
                if isPowered { #expect(logs[0].contains("app note: computed for 50 s")) }
            }
        }

        /// The source is Apple, "Managing your app's life cycle": UIKit disconnects only background or suspended
        /// scenes.
        @Test("a scene that was taken away in the background or suspended is connected anew when the user comes back")
        func disconnection() throws {
            for isOwn in [true, false] {
                try SimulatedDevice.run { device in
                    let manifest = AppManifest(usesScenes: true)
                    if isOwn {
                        SimulatedPhone.install(
                            on: device, manifest: manifest,
                            program: { SimulatedPhone.run(Recorder(), sceneDelegate: { SceneRecorder() }) })
                    } else {
                        SimulatedPhone.install(
                            on: device, manifest: manifest, delegate: Recorder(), sceneDelegate: { SceneRecorder() })
                    }
                    device.launch()
                    device.disconnectScene()
                    device.pressHome()
                    device.disconnectScene()
                    device.open()
                    let returned = [
                        "disconnected unattached 0 1 background", "connects", "scene foreground", "scene active",
                    ]
                    #expect(
                        device.notes == ["launched background", "connects", "scene foreground", "scene active"]
                            + ["scene background"] + returned)
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    #expect(device.appPhase == .suspended)
                    device.disconnectScene()
                    #expect(device.notes.last == "scene background", "a suspended app runs nothing")
                    device.open()
                    #expect(device.notes.suffix(4) == returned[...])
                    #expect(device.launchCount == 1)
                }
            }
        }
    }

    /// Makes a call that raises an exception on a phone.
    private final class Mistaken: Recorder {
        enum Kind { case twice, late, unhandled, interval }

        private let kind: Kind

        init(_ kind: Kind) { self.kind = kind }

        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            Self.note("before")
            if kind == .twice {
                for _ in 0..<2 {
                    BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: nil) { _ in }
                }
                Self.note("after")
            }
            return true
        }

        override func applicationDidBecomeActive(_ application: UIApplication) {
            switch kind {
            case .twice: return
            case .late: BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: nil) { _ in }
            case .unhandled: try? BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
            case .interval:
                let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 0, repeats: false)
                let content = UNMutableNotificationContent()
                UNUserNotificationCenter.current().add(
                    UNNotificationRequest(identifier: "x", content: content, trigger: trigger))
            }
            Self.note("after")
        }
    }

    /// Blocks the main thread.
    private final class Blocker: Recorder {
        enum Place { case launch, foreground, background, end, timer }

        private let place: Place
        private let seconds: TimeInterval

        init(_ place: Place, seconds: TimeInterval) { (self.place, self.seconds) = (place, seconds) }

        private func wait(_ place: Place) {
            guard place == self.place else { return }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + seconds)
            Self.note("waited")
        }

        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            wait(.launch)
            if place == .timer {
                _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { [seconds] _ in
                    Thread.sleep(forTimeInterval: seconds)
                }
            }
            return true
        }

        override func applicationWillEnterForeground(_ application: UIApplication) { wait(.foreground) }
        override func applicationDidEnterBackground(_ application: UIApplication) { wait(.background) }
        override func applicationWillTerminate(_ application: UIApplication) { wait(.end) }
    }

    /// Computes for a long time in a processing job.
    private final class Computer: Recorder {
        private let isPowered: Bool

        init(_ isPowered: Bool) { self.isPowered = isPowered }

        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: "process", using: .main) { task in
                let start = Date()
                SimulatedPhone.work(for: .seconds(50))
                Self.note("computed for \(Int(Date().timeIntervalSince(start))) s")
                task.setTaskCompleted(success: true)
            }
            return true
        }

        override func applicationDidEnterBackground(_ application: UIApplication) {
            let request = BGProcessingTaskRequest(identifier: "process")
            request.requiresExternalPower = isPowered
            try? BGTaskScheduler.shared.submit(request)
        }
    }
#endif

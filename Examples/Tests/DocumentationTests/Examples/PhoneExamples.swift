#if os(Linux)
    import ApusBackground
    import ApusTestTraits
    import ApusTesting
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    // Shown: phone-app
    /// Saves a photo each second, and asks for more time when the user leaves.
    final class BackupAppDelegate: UIResponder, UIApplicationDelegate {
        private var claim = UIBackgroundTaskIdentifier.invalid

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            Task {
                for photo in 1...100 {
                    try await Task.sleep(for: .seconds(1))
                    SimulatedPhone.note("photo \(photo)")
                }
            }
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            claim = application.beginBackgroundTask(withName: "backup") {
                application.endBackgroundTask(self.claim)
            }
        }
    }
    // Shown: end

    // Shown: phone-test
    @MainActor
    @Test("after Home, a backup continues as long as the system allows, and later from there", .simulatedPhone(seed: 7))
    func backupAfterHome() throws {
        let device = try #require(SimulatedDevice.current)
        SimulatedPhone.install(on: device, program: { SimulatedPhone.run(BackupAppDelegate()) })
        device.launch()
        device.pressHome()
        device.advance(by: .seconds(3_600))
        #expect(device.logText.contains("note: photo 25"))
        #expect(!device.logText.contains("note: photo 30"))
        device.open()
        device.advance(by: .seconds(80))
        #expect(device.logText.contains("note: photo 100"))
    }
    // Shown: end

    // Shown: phone-screen-app
    /// Counts seconds on the screen, from when the user taps “Start”.
    final class SecondsController: UIViewController {
        private let label = UILabel()
        private var seconds = 0

        override func viewDidLoad() {
            super.viewDidLoad()
            label.text = "0 s"
            view.addSubview(label)
            view.addSubview(UIButton(primaryAction: UIAction(title: "Start") { [weak self] _ in self?.start() }))
        }

        private func start() {
            _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
                MainActor.assumeIsolated { self?.tick() }
            }
        }

        private func tick() {
            seconds += 1
            label.text = "\(seconds) s"
        }
    }
    // Shown: end

    private final class SecondsAppDelegate: UIResponder, UIApplicationDelegate {
        var window: UIWindow?

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            window = UIWindow(frame: UIScreen.main.bounds)
            window?.rootViewController = SecondsController()
            window?.makeKeyAndVisible()
            return true
        }
    }

    @MainActor
    @Suite("Examples of apps in processes of their own")
    struct PhoneExamples {
        /// A delegate of the backup app that does not end its background task.
        private final class ForgetfulAppDelegate: UIResponder, UIApplicationDelegate {
            func applicationDidEnterBackground(_ application: UIApplication) {
                application.beginBackgroundTask(withName: "backup") {}
            }
        }

        @Test("without the end of the background task, the test fails with the text that the documents show")
        func forgetful() throws {
            let error = #expect(throws: DeviceError.self) {
                try SimulatedDevice.run(seed: 7) { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(ForgetfulAppDelegate()) })
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(3_600))
                }
            }
            let text = try #require(error?.description)
            let blocks = try Documents.blocks(in: Documents.read("docs/simulated-apple.md"))
            #expect(blocks.contains { $0.text == text + "\n" })
        }

        private final class MailAppDelegate: UIResponder, UIApplicationDelegate {}

        private final class MailSceneDelegate: UIResponder, UIWindowSceneDelegate {
            func sceneDidBecomeActive(_ scene: UIScene) { SimulatedPhone.note("scene") }
        }

        @Test("an app with scenes and background tasks", .simulatedPhone())
        func scenes() throws {
            let device = try #require(SimulatedDevice.current)
            // Shown: phone-scenes
            let manifest = AppManifest(
                backgroundModes: [.fetch], permittedTaskIdentifiers: ["com.example.mail.refresh"], usesScenes: true)
            SimulatedPhone.install(
                on: device, manifest: manifest,
                program: { SimulatedPhone.run(MailAppDelegate(), sceneDelegate: { MailSceneDelegate() }) })
            // Shown: end
            device.launch()
            #expect(device.logText.contains("note: scene"))
        }

        /// An app that downloads a map.
        private final class MapsAppDelegate: UIResponder, UIApplicationDelegate {
            func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                let session = URLSession(configuration: .background(withIdentifier: "com.example.maps"))
                guard let url = URL(string: "https://maps.example.com/north.map") else { return false }
                session.downloadTask(with: url).resume()
                return true
            }
        }

        @Test("the test is the server of a background session", .simulatedPhone())
        func server() throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, program: { SimulatedPhone.run(MapsAppDelegate()) })
            // Shown: transfer-server
            device.transfers.serve { request in
                request.url.hasSuffix("north.map")
                    ? .file(bytes: 50_000_000, bytesPerSecond: 500_000) : .failure(.cannotFindHost)
            }
            // Shown: end
            device.launch()
            device.advance(by: .seconds(99))
            #expect(!device.logText.contains("com.example.maps 1 done"))
            device.advance(by: .seconds(2))
            #expect(device.logText.contains("com.example.maps 1 done"))
        }

        @Test("a test taps a button, and reads what the screen shows", .simulatedPhone())
        func screen() throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, program: { SimulatedPhone.run(SecondsAppDelegate()) })
            // Shown: phone-screen-test
            device.launch()
            try SimulatedPhone.tap("Start", on: device)
            device.advance(by: .seconds(3))
            try #expect(SimulatedPhone.screen(on: device) == ["3 s", "Start"])
            // Shown: end
            let error = #expect(throws: ScreenError.self) { try SimulatedPhone.tap("Stop", on: device) }
            let text = try #require(error?.description) + "\n"
            let blocks = try Documents.blocks(in: Documents.read("docs/simulated-apple.md"))
            #expect(blocks.contains { $0.text == text })
        }

        @Test("the process has the main thread, and a home with user defaults that outlive it")
        func process() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device,
                    program: {
                        let launches = UserDefaults.standard.integer(forKey: "launches") + 1
                        UserDefaults.standard.set(launches, forKey: "launches")
                        SimulatedPhone.note("launch \(launches), main thread \(Thread.isMainThread)")
                        // When this closure returns, the main run loop keeps running as long as something is scheduled
                        // on it.
                        _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in }
                    })
                device.launch()
                device.kill()
                device.launch()
                let notes = device.log.compactMap { event in if case .note(let text) = event.what { text } else { nil }
                }
                #expect(notes == ["launch 1, main thread true", "launch 2, main thread true"])
            }
        }
    }
#endif

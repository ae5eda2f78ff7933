#if os(Linux)
    import AVFoundation
    import BackgroundTasks
    import CoreLocation
    import Foundation
    import MediaPlayer
    import SimulatedAppleCore
    import UIKit
    import UserNotifications

    /// Notes the calls of UIKit.
    class Recorder: UIResponder, UIApplicationDelegate {
        nonisolated static func note(_ text: String) { SimulatedPhone.note(text) }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            Self.note("launched \(application.applicationState)")
            return true
        }

        func applicationDidBecomeActive(_ application: UIApplication) { Self.note("active") }
        func applicationWillResignActive(_ application: UIApplication) { Self.note("resigns") }
        func applicationDidEnterBackground(_ application: UIApplication) {
            Self.note("background \(application.backgroundTimeRemaining < 31)")
        }
        func applicationWillEnterForeground(_ application: UIApplication) { Self.note("foreground") }
        func applicationWillTerminate(_ application: UIApplication) { Self.note("terminates") }
        func applicationDidReceiveMemoryWarning(_ application: UIApplication) { Self.note("memory") }
        func applicationSignificantTimeChange(_ application: UIApplication) { Self.note("clock") }
    }

    /// Begins a background task on its way to the background, and ends it in the expiration handler.
    final class Claimer: Recorder {
        var claim = UIBackgroundTaskIdentifier.invalid

        override func applicationDidEnterBackground(_ application: UIApplication) {
            claim = application.beginBackgroundTask(withName: "work") {
                Self.note("expires")
                application.endBackgroundTask(self.claim)
            }
        }
    }

    /// Begins a background task, and ends it a moment after the expiration handler has returned.
    final class Latecomer: Recorder {
        private var claim = UIBackgroundTaskIdentifier.invalid

        override func applicationDidEnterBackground(_ application: UIApplication) {
            claim = application.beginBackgroundTask(withName: "late") {
                DispatchQueue.main.async { application.endBackgroundTask(self.claim) }
            }
        }
    }

    /// Begins a background task, and never ends it.
    final class Keeper: Recorder {
        override func applicationDidEnterBackground(_ application: UIApplication) {
            application.beginBackgroundTask(withName: "kept") {}
        }
    }

    /// Stores the identifier of its background task for its next process.
    ///
    /// The next process ends a background task with the identifier of the earlier process.
    final class Hoarder: Recorder {
        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let old = UserDefaults.standard.integer(forKey: "background task")
            let new = application.beginBackgroundTask(withName: "kept") {}
            UserDefaults.standard.set(new.rawValue, forKey: "background task")
            Self.note("background task \(new.rawValue)")
            if old != 0 { application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: old)) }
            return true
        }
    }

    /// Performs refreshes, and asks for the next one each time.
    final class Refresher: Recorder {
        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: .main) { task in
                Self.note("\(type(of: task)) \(UIApplication.shared.applicationState)")
                Self.submit()
                task.setTaskCompleted(success: true)
            }
            BGTaskScheduler.shared.register(forTaskWithIdentifier: "process", using: .main) { task in
                task.expirationHandler = {
                    Self.note("task expires")
                    task.setTaskCompleted(success: false)
                }
            }
            return true
        }

        override func applicationDidEnterBackground(_ application: UIApplication) {
            Self.submit()
            try? BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: "process"))
            do {
                try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "undeclared"))
            } catch {
                Self.note("\(error)")
            }
        }

        static func submit() {
            let request = BGAppRefreshTaskRequest(identifier: "refresh")
            request.earliestBeginDate = Date(timeIntervalSinceNow: 3_600)
            do {
                try BGTaskScheduler.shared.submit(request)
            } catch {
                note("\(error)")
            }
        }
    }

    /// Asks for permission, adds notifications, and notes how they are delivered.
    final class Reminder: Recorder, @preconcurrency UNUserNotificationCenterDelegate {
        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            UNUserNotificationCenter.current().delegate = self
            return true
        }

        override func applicationDidBecomeActive(_ application: UIApplication) {
            let center = UNUserNotificationCenter.current()
            center.requestAuthorization(options: [.alert]) { isGranted, _ in
                guard isGranted else { return }
                center.getPendingNotificationRequests { requests in
                    guard requests.isEmpty else { return }
                    let content = UNMutableNotificationContent()
                    content.title = "Tea"
                    content.userInfo = ["cups": 2]
                    for (identifier, seconds) in [("tea", 1_500.0), ("soon", 10.0)] {
                        let trigger = UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: false)
                        center.add(
                            UNNotificationRequest(identifier: identifier, content: content, trigger: trigger))
                    }
                }
            }
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
            withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
        ) {
            Self.note("comes: \(notification.request.identifier)")
            completionHandler([.banner])
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
            withCompletionHandler completionHandler: @escaping () -> Void
        ) {
            let content = response.notification.request.content
            Self.note("opened: \(content.title), \(content.userInfo["cups"] as? Int ?? 0) cups")
            completionHandler()
        }
    }

    /// Records the positions of a walk.
    final class Walker: Recorder, @preconcurrency CLLocationManagerDelegate {
        let manager = CLLocationManager()

        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            manager.delegate = self
            manager.requestAlwaysAuthorization()
            manager.allowsBackgroundLocationUpdates = true
            manager.pausesLocationUpdatesAutomatically = true
            return true
        }

        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
            Self.note("authorization \(manager.authorizationStatus.rawValue)")
        }

        /// This is also called when the user has answered the question in front of the app.
        override func applicationDidBecomeActive(_ application: UIApplication) {
            if manager.authorizationStatus == .authorizedAlways { manager.startUpdatingLocation() }
        }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            for location in locations { Self.note("at \(location.coordinate.latitude)") }
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            Self.note("error \((error as? CLError)?.errorCode ?? -1)")
        }

        func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { Self.note("paused") }
    }

    /// Plays three sounds.
    final class Player: Recorder {
        let player = AVQueuePlayer(
            items: ["a", "b", "c"].map { AVPlayerItem(url: URL(filePath: "/\($0).m4a")) })
        var observer: Any?

        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            do {
                try AVAudioSession.sharedInstance().setCategory(.playback)
                try AVAudioSession.sharedInstance().setActive(true)
            } catch {
                Self.note("\(error)")
            }
            let center = NotificationCenter.default
            center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: .main) { _ in
                Self.note("item ended")
            }
            center.addObserver(forName: AVAudioSession.interruptionNotification, object: nil, queue: .main) { event in
                let type = event.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                Self.note("interruption \(type ?? 9)")
            }
            MPRemoteCommandCenter.shared().pauseCommand.addTarget { [player] _ in
                player.pause()
                return .success
            }
            let interval = CMTime(seconds: 60, preferredTimescale: 1)
            observer = player.addPeriodicTimeObserver(forInterval: interval, queue: nil) { time in
                Self.note("at \(Int(time.seconds)) s")
            }
            player.play()
            return true
        }
    }

    /// Notes changes of the battery.
    final class Watcher: Recorder {
        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            UIDevice.current.isBatteryMonitoringEnabled = true
            NotificationCenter.default.addObserver(
                forName: UIDevice.batteryStateDidChangeNotification, object: nil, queue: .main
            ) { _ in MainActor.assumeIsolated { Self.note("battery \(UIDevice.current.batteryState)") } }
            Self.note("refresh \(application.backgroundRefreshStatus)")
            return true
        }
    }

    /// Notes the events of its scene.
    final class SceneRecorder: UIResponder, UIWindowSceneDelegate {
        func scene(
            _ scene: UIScene, willConnectTo session: UISceneSession,
            options connectionOptions: UIScene.ConnectionOptions
        ) { SimulatedPhone.note("connects") }
        func sceneDidDisconnect(_ scene: UIScene) {
            let application = UIApplication.shared
            SimulatedPhone.note(
                "disconnected \(scene.activationState) \(application.connectedScenes.count) "
                    + "\(application.openSessions.count) \(application.applicationState)")
        }
        func sceneWillEnterForeground(_ scene: UIScene) { SimulatedPhone.note("scene foreground") }
        func sceneDidBecomeActive(_ scene: UIScene) { SimulatedPhone.note("scene active") }
        func sceneDidEnterBackground(_ scene: UIScene) { SimulatedPhone.note("scene background") }
    }

    /// Sleeps on its way to the background.
    final class Sleeper: Recorder {
        private let seconds: TimeInterval

        init(seconds: TimeInterval) { self.seconds = seconds }

        override func applicationDidEnterBackground(_ application: UIApplication) {
            Thread.sleep(forTimeInterval: seconds)
            Self.note("slept")
        }
    }

    /// Performs refreshes with a launch handler that runs on another queue and waits for the main thread.
    final class Elsewhere: Recorder {
        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: nil) { @Sendable task in
                DispatchQueue.main.sync { Self.note("on the main thread") }
                nonisolated(unsafe) let task = task
                DispatchQueue.global().asyncAfter(deadline: .now() + 5) { task.setTaskCompleted(success: true) }
            }
            return true
        }

        override func applicationDidEnterBackground(_ application: UIApplication) {
            try? BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
        }
    }

    /// Counts its launches in a variable.
    final class Counter: Recorder {
        private static var launches = 0

        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            Self.launches += 1
            Self.note("launch \(Self.launches)")
            BGTaskScheduler.shared.register(forTaskWithIdentifier: "study", using: .main) { task in
                Self.note("\(type(of: task))")
                task.setTaskCompleted(success: true)
            }
            BGTaskScheduler.shared.getPendingTaskRequests { requests in
                guard requests.isEmpty else { return }
                try? BGTaskScheduler.shared.submit(BGHealthResearchTaskRequest(identifier: "study"))
            }
            return true
        }
    }

    /// Counts seconds, and starts location updates at the third.
    final class Asker: Recorder, @preconcurrency CLLocationManagerDelegate {
        private let manager = CLLocationManager()
        private var seconds = 0

        override func applicationDidBecomeActive(_ application: UIApplication) {
            manager.delegate = self
            _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in
                MainActor.assumeIsolated {
                    self.seconds += 1
                    if self.seconds == 3 { self.manager.startUpdatingLocation() }
                }
            }
        }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            Self.note("position at \(seconds) s")
        }
    }
#endif

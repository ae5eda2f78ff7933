import BackgroundTasks
import UIKit

/// Keeps an app's news fresh in the background.
///
/// It differs from the class of the same name in Swift 5 mode, because the system calls the launch handler on a queue
/// of its own. A closure that is written in a method of the main actor would belong to the main actor, and would crash
/// when the system calls it. The handler is therefore `@Sendable`, and the methods that it calls are `nonisolated`.
class NewsAppDelegate: UIResponder, UIApplicationDelegate {
    nonisolated static let refreshIdentifier = "com.example.news.refresh"

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.refreshIdentifier, using: nil) { @Sendable task in
            Self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        Self.scheduleAppRefresh()
    }

    nonisolated static func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: refreshIdentifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 2 * 60 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
            UserDefaults.standard.set(request.earliestBeginDate, forKey: "nextRefresh")
        } catch {
            UserDefaults.standard.set("\(error)", forKey: "refreshError")
        }
    }

    nonisolated static func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()
        task.expirationHandler = {
            task.setTaskCompleted(success: false)
        }
        let count = UserDefaults.standard.integer(forKey: "refreshCount")
        UserDefaults.standard.set(count + 1, forKey: "refreshCount")
        task.setTaskCompleted(success: true)
    }
}

/// The same app with a mistake: its launch handler belongs to the main actor.
class MistakenNewsAppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: NewsAppDelegate.refreshIdentifier, using: nil
        ) { task in
            // The handler crashes although it uses nothing of the main actor.
            task.setTaskCompleted(success: true)
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        NewsAppDelegate.scheduleAppRefresh()
    }
}

import BackgroundTasks
import UIKit

/// Keeps an app's news fresh in the background.
class NewsAppDelegate: UIResponder, UIApplicationDelegate {
    static let refreshIdentifier = "com.example.news.refresh"

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.refreshIdentifier, using: nil) { task in
            self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        scheduleAppRefresh()
    }

    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: Self.refreshIdentifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 2 * 60 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
            UserDefaults.standard.set(request.earliestBeginDate, forKey: "nextRefresh")
        } catch {
            UserDefaults.standard.set("\(error)", forKey: "refreshError")
        }
    }

    func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()
        task.expirationHandler = {
            task.setTaskCompleted(success: false)
        }
        let count = UserDefaults.standard.integer(forKey: "refreshCount")
        UserDefaults.standard.set(count + 1, forKey: "refreshCount")
        task.setTaskCompleted(success: true)
    }
}

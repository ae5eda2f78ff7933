import BackgroundTasks
import UIKit

final class FeedAppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private let label = UILabel()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // The system calls the handler on a queue of its own, so it must not be isolated to the main actor.
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.feed.refresh", using: nil
        ) { @Sendable task in
            Self.refresh(task)
        }

        let controller = UIViewController()
        controller.view.addSubview(label)
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = controller
        window?.makeKeyAndVisible()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        label.text = "\(UserDefaults.standard.integer(forKey: "refreshes")) refreshes"
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        Self.requestRefresh()
    }

    nonisolated static func requestRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.feed.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 2 * 60 * 60)
        try? BGTaskScheduler.shared.submit(request)
    }

    nonisolated static func refresh(_ task: BGTask) {
        // A request is for one refresh.
        requestRefresh()

        // An app downloads its feed here.
        let refreshes = UserDefaults.standard.integer(forKey: "refreshes")
        UserDefaults.standard.set(refreshes + 1, forKey: "refreshes")
        task.setTaskCompleted(success: true)
    }
}

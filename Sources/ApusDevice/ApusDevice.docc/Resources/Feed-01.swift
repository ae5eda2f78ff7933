import BackgroundTasks
import UIKit

final class FeedAppDelegate: UIResponder, UIApplicationDelegate {
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
        return true
    }

    nonisolated static func refresh(_ task: BGTask) {
        // An app downloads its feed here.
        let refreshes = UserDefaults.standard.integer(forKey: "refreshes")
        UserDefaults.standard.set(refreshes + 1, forKey: "refreshes")
        task.setTaskCompleted(success: true)
    }
}

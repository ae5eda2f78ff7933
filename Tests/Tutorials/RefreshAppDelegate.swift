// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BackgroundTasks
import UIKit

/// Asks for the next refresh before it begins with this one, and completes the task on every way.
public class RefreshAppDelegate: UIResponder, UIApplicationDelegate {
    public var onRefresh: (@Sendable () -> Void)?
    /// How long the download takes, in seconds.
    public var downloadTime: TimeInterval = 2
    /// From a refresh to the next one, in seconds, at least.
    public var interval: TimeInterval = 15 * 60

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.refresh", using: nil) { task in
            self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        return true
    }

    public func applicationDidEnterBackground(_ application: UIApplication) {
        scheduleAppRefresh()
    }

    private func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: interval)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule app refresh: \(error)")
        }
    }

    private func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()

        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let (download, store) = (BlockOperation(), BlockOperation())
        download.addExecutionBlock { [downloadTime, unowned download] in
            // In pieces, so that it notices the cancellation.
            let end = Date(timeIntervalSinceNow: downloadTime)
            while Date() < end && !download.isCancelled { Thread.sleep(forTimeInterval: 0.1) }
        }
        store.addExecutionBlock { [onRefresh] in onRefresh?() }
        store.addDependency(download)

        task.expirationHandler = { queue.cancelAllOperations() }
        store.completionBlock = { task.setTaskCompleted(success: !store.isCancelled) }
        queue.addOperations([download, store], waitUntilFinished: false)
    }
}

/// Asks for a refresh only when the user leaves the app, so there is one, and no other.
public class ForgetfulAppDelegate: UIResponder, UIApplicationDelegate {
    public var onRefresh: (@Sendable () -> Void)?
    /// How long the download takes, in seconds.
    public var downloadTime: TimeInterval = 2

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.refresh", using: nil) { task in
            self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        return true
    }

    public func applicationDidEnterBackground(_ application: UIApplication) {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        try? BGTaskScheduler.shared.submit(request)
    }

    private func handleAppRefresh(task: BGAppRefreshTask) {
        task.expirationHandler = { task.setTaskCompleted(success: false) }
        DispatchQueue.global().asyncAfter(deadline: .now() + downloadTime) { [onRefresh] in
            onRefresh?()
            task.setTaskCompleted(success: true)
        }
    }
}

/// Cancels its work when the time is over, and does not say so: the task is never completed then.
public class UnfinishedAppDelegate: UIResponder, UIApplicationDelegate {
    public var onRefresh: (@Sendable () -> Void)?
    /// How long the download takes, in seconds: longer than a refresh may.
    public var downloadTime: TimeInterval = 120

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.refresh", using: nil) { task in
            self.scheduleAppRefresh()
            self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        return true
    }

    public func applicationDidEnterBackground(_ application: UIApplication) {
        scheduleAppRefresh()
    }

    private func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        try? BGTaskScheduler.shared.submit(request)
    }

    private func handleAppRefresh(task: BGAppRefreshTask) {
        let download = DispatchWorkItem { [onRefresh] in
            onRefresh?()
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = { download.cancel() }
        DispatchQueue.global().asyncAfter(deadline: .now() + downloadTime, execute: download)
    }
}

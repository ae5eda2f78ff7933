// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BackgroundTasks
import UIKit

/// Requests the next refresh before it begins the current one, and completes the task in every case.
public class RefreshAppDelegate: UIResponder, UIApplicationDelegate {
    public var onRefresh: (@Sendable () -> Void)?
    /// The duration of the download, in seconds.
    public var downloadTime: TimeInterval = 2
    /// The least time from a refresh to the next one, in seconds.
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
            // The thread sleeps for short times, so that the operation notices its cancellation.
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

/// Requests a refresh only when the user leaves the app, so that only one refresh runs.
public class ForgetfulAppDelegate: UIResponder, UIApplicationDelegate {
    public var onRefresh: (@Sendable () -> Void)?
    /// The duration of the download, in seconds.
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

/// Cancels its work when the time is over, and then never completes the task.
public class UnfinishedAppDelegate: UIResponder, UIApplicationDelegate {
    public var onRefresh: (@Sendable () -> Void)?
    /// The duration of the download in seconds, which is longer than a refresh may take.
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

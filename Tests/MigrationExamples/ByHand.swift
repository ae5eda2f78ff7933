// Five patterns as they are written by hand for a phone, in Swift 5 mode: the left side of docs/migration.md. They have
// the faults that the page describes.

import BackgroundTasks
import Foundation
import UIKit

// Shown: by-hand-polling
final class DelayedWork {
    private var cancelled = Set<UUID>()

    func executeAfterDelay(_ delay: TimeInterval, repeating: Bool, completion: @escaping () -> Void) -> UUID {
        let id = UUID()
        let application = UIApplication.shared
        let claim = application.beginBackgroundTask(expirationHandler: nil)
        DispatchQueue.global(qos: .background).async {
            repeat {
                let end = Date().addingTimeInterval(delay)
                while Date() < end { Thread.sleep(forTimeInterval: 0.1) }
                if self.cancelled.contains(id) { break }
                DispatchQueue.main.async { completion() }
            } while repeating
            application.endBackgroundTask(claim)
        }
        return id
    }

    func cancel(_ ids: Set<UUID>) { cancelled.formUnion(ids) }
}
// Shown: end

// Shown: by-hand-repeating
final class RepeatingSource {
    private let source = DispatchSource.makeTimerSource()
    private var isRunning = false

    init(every interval: TimeInterval, _ handler: @escaping () -> Void) {
        source.schedule(deadline: .now() + interval, repeating: interval)
        source.setEventHandler(handler: handler)
    }

    func resume() {
        if isRunning { return }
        isRunning = true
        source.resume()
    }

    func suspend() {
        if !isRunning { return }
        isRunning = false
        source.suspend()
    }

    deinit { source.cancel() }
}
// Shown: end

// Shown: by-hand-countdown
final class TeaCountdown {
    private(set) var remaining = 0
    private var timer: Timer?

    func start(seconds: Int) {
        remaining = seconds
        UserDefaults.standard.set(Date().addingTimeInterval(TimeInterval(seconds)), forKey: "teaEnds")
        timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
            guard let self else { return }
            remaining -= 1
            if remaining == 0 { timer?.invalidate() }
        }
    }

    func restore() {
        guard let end = UserDefaults.standard.object(forKey: "teaEnds") as? Date else { return }
        let seconds = Int(end.timeIntervalSinceNow)
        if seconds > 0 { start(seconds: seconds) }
    }
}
// Shown: end

// Shown: by-hand-claim
final class Computation {
    private var isDone = false

    func run(_ step: @escaping () -> Bool) {
        let application = UIApplication.shared
        let claim = application.beginBackgroundTask {
            print("the time is over")
        }
        DispatchQueue.global().async {
            while !self.isDone, application.backgroundTimeRemaining > 5 {
                self.isDone = step()
            }
            DispatchQueue.main.async { application.endBackgroundTask(claim) }
        }
    }
}
// Shown: end

// Shown: by-hand-refresh
final class NewsDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.news.refresh", using: nil) { task in
            self.refresh(task as! BGAppRefreshTask)
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.news.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        try? BGTaskScheduler.shared.submit(request)
    }

    private func refresh(_ task: BGAppRefreshTask) {
        loadNews { success in task.setTaskCompleted(success: success) }
    }

    private func loadNews(_ done: @escaping (Bool) -> Void) { done(true) }
}
// Shown: end

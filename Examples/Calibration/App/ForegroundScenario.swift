import BackgroundTasks
import UIKit
import UserNotifications

/// What can be found out while the app is in the foreground, in about three seconds.
@MainActor
enum ForegroundScenario {
    static func run(_ recorder: Recorder) {
        recorder.answer(.timeInForeground, .seconds(UIApplication.shared.backgroundTimeRemaining))
        setTimers(recorder)
        submitTasks(recorder)
        addNotifications(recorder)
    }

    private static func setTimers(_ recorder: Recorder) {
        let start = Date()
        let timer = Timer(timeInterval: 1, repeats: false) { _ in
            let seconds = Date().timeIntervalSince(start)
            MainActor.assumeIsolated { recorder.answer(.timerWithInterval, .seconds(seconds)) }
        }
        RunLoop.main.add(timer, forMode: .common)

        let tolerant = Timer.scheduledTimer(withTimeInterval: 2, repeats: false) { _ in
            let seconds = Date().timeIntervalSince(start)
            // A phone needs a moment to call the timer, and its clock is read after `start`.
            let text = seconds < 1.99 ? "early" : seconds > 2.6 ? "late" : "within the tolerance"
            MainActor.assumeIsolated { recorder.answer(.tolerantTimer, .text(text)) }
        }
        tolerant.tolerance = 0.5

        let repeating = Timer(timeInterval: 2, repeats: true) { _ in }
        repeating.tolerance = 10
        recorder.answer(.longestTolerance, .seconds(repeating.tolerance))
        repeating.invalidate()
    }

    private static func submitTasks(_ recorder: Recorder) {
        let scheduler = BGTaskScheduler.shared
        scheduler.cancelAllTaskRequests()
        recorder.answer(
            .secondRefresh, .text([submit(.first), submit(.first), submit(.second)].joined(separator: ", ")))
        scheduler.getPendingTaskRequests { requests in
            let count = requests.count
            DispatchQueue.main.async {
                recorder.answer(.replacedRequest, .text("\(count) pending"))
                scheduler.cancelAllTaskRequests()
            }
        }
    }

    /// Submits a request, and returns the code of the error.
    private static func submit(_ identifier: TaskIdentifier) -> String {
        let request = BGAppRefreshTaskRequest(identifier: identifier.rawValue)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 86_400)
        do {
            try BGTaskScheduler.shared.submit(request)
            return "accepted"
        } catch {
            return "error \((error as NSError).code)"
        }
    }

    private static func addNotifications(_ recorder: Recorder) {
        let center = UNUserNotificationCenter.current()
        Task {
            let isGranted = try? await center.requestAuthorization(options: [.alert, .provisional])
            recorder.answer(.provisionalPermission, .text(isGranted == true ? "granted" : "refused"))
            center.removeAllPendingNotificationRequests()
            let replaced = [await add(0, to: center), await add(0, to: center)]
            let count = await center.pendingNotificationRequests().count
            recorder.answer(.replacedNotification, .text("\(count) pending of \(replaced.count)"))
            var accepted = 0
            for number in 0..<65 where await add(number, to: center) { accepted += 1 }
            let pending = await center.pendingNotificationRequests().count
            recorder.answer(.pendingNotifications, .text("\(accepted) accepted, \(pending) pending"))
            center.removeAllPendingNotificationRequests()
        }
    }

    /// Adds a request for tomorrow, and returns whether there was no error.
    private static func add(_ number: Int, to center: UNUserNotificationCenter) async -> Bool {
        let content = UNMutableNotificationContent()
        content.title = "Calibration \(number)"
        let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 86_400, repeats: false)
        do {
            try await center.add(
                UNNotificationRequest(identifier: "calibration \(number)", content: content, trigger: trigger))
            return true
        } catch {
            return false
        }
    }
}

import UIKit

/// Runs work after a delay, even if the user leaves the app in the meantime.
///
/// It differs from the class of the same name in Swift 5 mode:
/// - It belongs to the main actor, because `UIApplication.shared` does, and so it needs no lock.
/// - The completion is `@MainActor @Sendable`, because it is passed through another thread.
/// - The expiration handler does not capture the identifier of the background task as a variable, which would be a data
///   race. It finds the identifier under a key that exists before the background task.
@MainActor
final class DelayedWork {
    static let shared = DelayedWork()

    private var lastTask = 0
    private var claims: [Int: UIBackgroundTaskIdentifier] = [:]
    private var cancelled = Set<Int>()

    /// The identifiers of work that has not ended.
    var pendingTasks: Set<Int> { Set(claims.keys) }

    @discardableResult
    func executeAfterDelay(
        delay: TimeInterval, repeating: Bool, completion: @escaping @MainActor @Sendable () -> Void
    ) -> Int {
        lastTask += 1
        let task = lastTask
        claims[task] = UIApplication.shared.beginBackgroundTask(withName: "delayed work") {
            // The time is nearly over. If the background task does not end now, the system ends the app.
            self.finish(task)
        }
        waitInBackground(delay, task: task, repeating: repeating, completion)
        return task
    }

    func cancelExecution(tasks: Set<Int>) {
        cancelled.formUnion(tasks.intersection(pendingTasks))
    }

    private func waitInBackground(
        _ delay: TimeInterval, task: Int, repeating: Bool, _ completion: @escaping @MainActor @Sendable () -> Void
    ) {
        DispatchQueue.global(qos: .background).async {
            Thread.sleep(forTimeInterval: delay)
            DispatchQueue.main.async {
                guard self.claims[task] != nil, !self.cancelled.contains(task) else {
                    self.finish(task)
                    return
                }
                completion()
                if repeating {
                    self.waitInBackground(delay, task: task, repeating: true, completion)
                } else {
                    self.finish(task)
                }
            }
        }
    }

    private func finish(_ task: Int) {
        cancelled.remove(task)
        if let claim = claims.removeValue(forKey: task) { UIApplication.shared.endBackgroundTask(claim) }
    }
}

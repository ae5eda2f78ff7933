import UIKit

/// Runs work after a delay, even if the user leaves the app in the meantime.
///
/// It is an ordinary class of an iOS app, without knowledge of the simulation.
class DelayedWork {
    static let shared = DelayedWork()

    private let lock = NSLock()
    private var lastTask = 0
    private var claims: [Int: UIBackgroundTaskIdentifier] = [:]
    private var cancelled = Set<Int>()

    /// The identifiers of work that has not ended.
    var pendingTasks: Set<Int> { lock.withLock { Set(claims.keys) } }

    @discardableResult
    func executeAfterDelay(delay: TimeInterval, repeating: Bool, completion: @escaping () -> Void) -> Int {
        let task = lock.withLock { () -> Int in
            lastTask += 1
            return lastTask
        }
        let claim = UIApplication.shared.beginBackgroundTask(withName: "delayed work") {
            // The time is nearly over. If the background task does not end now, the system ends the app.
            self.finish(task)
        }
        lock.withLock { claims[task] = claim }
        waitInBackground(delay, task: task, repeating: repeating, completion)
        return task
    }

    func cancelExecution(tasks: Set<Int>) {
        lock.withLock { cancelled.formUnion(tasks.intersection(claims.keys)) }
    }

    private func waitInBackground(
        _ delay: TimeInterval, task: Int, repeating: Bool, _ completion: @escaping () -> Void
    ) {
        DispatchQueue.global(qos: .background).async {
            Thread.sleep(forTimeInterval: delay)
            DispatchQueue.main.async {
                guard self.isWanted(task) else {
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

    private func isWanted(_ task: Int) -> Bool {
        lock.withLock { claims[task] != nil && !cancelled.contains(task) }
    }

    private func finish(_ task: Int) {
        let claim = lock.withLock { () -> UIBackgroundTaskIdentifier? in
            cancelled.remove(task)
            return claims.removeValue(forKey: task)
        }
        if let claim { UIApplication.shared.endBackgroundTask(claim) }
    }
}

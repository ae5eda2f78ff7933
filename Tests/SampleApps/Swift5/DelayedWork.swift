import UIKit

/// Runs work after a delay, also when the user leaves the app meanwhile.
///
/// An ordinary class of an iOS app: it knows nothing of the simulation.
class DelayedWork {
    static let shared = DelayedWork()

    private let lock = NSLock()
    private var cancelled = Set<Int>()
    private var pending = Set<Int>()

    /// The identifiers of work that has not ended.
    var pendingTasks: Set<Int> { lock.withLock { pending } }

    @discardableResult
    func executeAfterDelay(delay: TimeInterval, repeating: Bool, completion: @escaping () -> Void) -> Int {
        var identifier = UIBackgroundTaskIdentifier.invalid
        identifier = UIApplication.shared.beginBackgroundTask(withName: "delayed work") {
            // The time is nearly over: give the claim back, or the system ends the app.
            self.finish(identifier)
        }
        let task = identifier.rawValue
        lock.withLock { _ = pending.insert(task) }
        waitInBackground(delay, task: UIBackgroundTaskIdentifier(rawValue: task), repeating: repeating, completion)
        return task
    }

    func cancelExecution(tasks: Set<Int>) {
        lock.withLock { cancelled.formUnion(tasks.intersection(pending)) }
    }

    private func waitInBackground(
        _ delay: TimeInterval, task: UIBackgroundTaskIdentifier, repeating: Bool, _ completion: @escaping () -> Void
    ) {
        DispatchQueue.global(qos: .background).async {
            Thread.sleep(forTimeInterval: delay)
            DispatchQueue.main.async {
                guard self.isPending(task), !self.isCancelled(task) else {
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

    private func isPending(_ task: UIBackgroundTaskIdentifier) -> Bool {
        lock.withLock { pending.contains(task.rawValue) }
    }

    private func isCancelled(_ task: UIBackgroundTaskIdentifier) -> Bool {
        lock.withLock { cancelled.contains(task.rawValue) }
    }

    private func finish(_ task: UIBackgroundTaskIdentifier) {
        let wasPending = lock.withLock { () -> Bool in
            cancelled.remove(task.rawValue)
            return pending.remove(task.rawValue) != nil
        }
        if wasPending { UIApplication.shared.endBackgroundTask(task) }
    }
}

import ApusBackground
import ApusTimers
import Dispatch
import SimulatedAppleCore

/// One run of a background task, as its launch handler gets it. From any thread.
open class BGTask: NSObject {
    /// The identifier of the request.
    public let identifier: String

    let task: any PhoneTask
    private let callbacks: CallbackQueue
    private let host: any PhoneHost
    private let handler = Locked<Handover<() -> Void>?>(nil)
    private let completion = DispatchSemaphore(value: 0)

    init(_ task: any PhoneTask, _ callbacks: CallbackQueue, _ process: PhoneProcess) {
        self.task = task
        self.callbacks = callbacks
        host = process.host
        identifier = task.request.identifier
        super.init()
        let weakSelf = Handover(WeakTask(value: self))
        process.atEnd { weakSelf.value.value?.forgetHandler() }
    }

    /// Called shortly before the time is over, or when the task was cancelled. Without it an expired task is
    /// completed without success, and without a warning. It is released when it was called and when the task is
    /// completed.
    ///
    /// On the simulated phone it is called where the launch handler was. Apple does not say where it is.
    open var expirationHandler: (() -> Void)? {
        get { handler.withLock { $0 }?.value }
        set {
            let new = newValue.map(Handover.init)
            let old = handler.withLock { handler in
                defer { handler = new }
                return handler
            }
            withExtendedLifetime(old) {}
            guard let new else {
                task.expirationHandler = nil
                return
            }
            let name = "the expiration handler of \(identifier)"
            task.expirationHandler = { [callbacks, host, weakSelf = Handover(WeakTask(value: self))] in
                weakSelf.value.value?.forgetHandler()
                callbacks.call(name, on: host, new.value)
            }
        }
    }

    /// Ends the run; the app may be suspended then. `false` does not bring the task again: submit another request.
    open func setTaskCompleted(success: Bool) {
        forgetHandler()
        task.setCompleted(success: success)
        completion.signal()
    }

    /// Blocks the device's thread until the task is completed elsewhere, but no longer than that, in real time.
    func waitForCompletion(_ patience: Duration) {
        guard patience > .zero else { return }
        let nanoseconds = Int(clamping: patience.wholeNanoseconds)
        _ = completion.wait(timeout: .now() + .nanoseconds(nanoseconds))
    }

    private func forgetHandler() {
        let old = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        // Released outside the lock: what it captured may do anything when it goes.
        withExtendedLifetime(old) {}
    }

    static func make(_ task: any PhoneTask, _ callbacks: CallbackQueue, _ process: PhoneProcess) -> BGTask {
        switch task.request.kind {
        case .refresh: BGAppRefreshTask(task, callbacks, process)
        case .processing where HealthIdentifiers.contains(task.request.identifier):
            BGHealthResearchTask(task, callbacks, process)
        case .processing: BGProcessingTask(task, callbacks, process)
        case .continued: BGContinuedProcessingTask(task, callbacks, process)
        }
    }
}

private struct WeakTask {
    weak var value: BGTask?
}

/// A refresh of the app's content.
open class BGAppRefreshTask: BGTask {}

/// Minutes of work while the phone is not in use.
open class BGProcessingTask: BGTask {}

/// Work of a health study.
open class BGHealthResearchTask: BGProcessingTask {}

/// Work that the user has begun in the foreground. It has to make progress: without any, it expires.
open class BGContinuedProcessingTask: BGTask, ProgressReporting {
    /// How far the work is. Set `totalUnitCount` and `completedUnitCount` of this object; children are not counted on
    /// the simulated phone before they are complete.
    public let progress: Progress

    override init(_ task: any PhoneTask, _ callbacks: CallbackQueue, _ process: PhoneProcess) {
        progress = TaskProgress(of: task)
        super.init(task, callbacks, process)
    }

    /// What the user reads.
    open var title: String { task.title }
    /// What the user reads below it.
    open var subtitle: String { task.subtitle }
    /// Changes what the user reads.
    open func updateTitle(_ title: String, subtitle: String) { task.updateTitle(title, subtitle: subtitle) }
}

/// Reports to the scheduler how far the work is. On Linux a `Progress` cannot be observed from outside.
///
/// For `@unchecked Sendable`, which subclasses have to say again: `Progress` is it, and this adds a constant only.
private final class TaskProgress: Progress, @unchecked Sendable {
    private let task: any PhoneTask

    init(of task: any PhoneTask) {
        self.task = task
        super.init(parent: nil, userInfo: nil)
    }

    override var completedUnitCount: Int64 {
        didSet { report() }
    }

    override var totalUnitCount: Int64 {
        didSet { report() }
    }

    private func report() {
        if totalUnitCount > 0 { task.report(completed: completedUnitCount, of: totalUnitCount) }
    }
}

import ApusBackground
import ApusTimers
import Dispatch
import SimulatedAppleCore

/// One run of a background task, which is passed to the launch handler.
///
/// It can be used on any thread.
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

    /// The handler that is called shortly before the time is over, or when the task was cancelled.
    ///
    /// Without a handler, an expired task is completed without success, and without a warning. The handler is released
    /// when it has been called or when the task is completed.
    ///
    /// The simulated phone calls it on the queue of the launch handler. Apple does not document the queue.
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

    /// Ends the run, so that the app may be suspended.
    ///
    /// `false` does not make the system run the task again. To run it again, submit another request.
    open func setTaskCompleted(success: Bool) {
        forgetHandler()
        task.setCompleted(success: success)
        completion.signal()
    }

    /// Blocks the device's thread until another thread completes the task, for at most `patience` of real time.
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
        // The handler is released outside the lock, because the release can run any code of the app.
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

/// A task that refreshes the app's content.
open class BGAppRefreshTask: BGTask {}

/// A task for minutes of work while the phone is not in use.
open class BGProcessingTask: BGTask {}

/// A task for a health study.
open class BGHealthResearchTask: BGProcessingTask {}

/// A task that the user has started in the foreground.
///
/// It must report progress; otherwise it expires.
open class BGContinuedProcessingTask: BGTask, ProgressReporting {
    /// The progress of the task.
    ///
    /// Set `totalUnitCount` and `completedUnitCount` of this object. Its children count on the simulated phone only
    /// when they are complete.
    public let progress: Progress

    override init(_ task: any PhoneTask, _ callbacks: CallbackQueue, _ process: PhoneProcess) {
        progress = ReportingProgress { completed, total in task.report(completed: completed, of: total) }
        super.init(task, callbacks, process)
    }

    /// The title that the user reads.
    open var title: String { task.title }
    /// The subtitle that the user reads.
    open var subtitle: String { task.subtitle }
    /// Changes the title and the subtitle.
    open func updateTitle(_ title: String, subtitle: String) { task.updateTitle(title, subtitle: subtitle) }
}

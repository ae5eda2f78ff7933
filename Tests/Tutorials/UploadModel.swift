// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import UIKit

/// An upload in steps of a second.
///
/// When the user leaves the app, a background task lets it continue.
public class UploadModel {
    public let steps: Int
    public private(set) var step = 0
    public private(set) var text = ""
    public var onStep: ((Int) -> Void)?

    private var timer: Timer?
    private var observer: NSObjectProtocol?
    private var backgroundTask: UIBackgroundTaskIdentifier = .invalid

    public var isDone: Bool { step >= steps }

    public init(steps: Int = 20) {
        self.steps = steps
        observer = NotificationCenter.default.addObserver(
            forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
        ) { [weak self] _ in
            self?.registerBackgroundTask()
        }
    }

    deinit {
        timer?.invalidate()
        if let observer = observer { NotificationCenter.default.removeObserver(observer) }
    }

    public func start() {
        timer?.invalidate()
        timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
            self?.uploadNext()
        }
    }

    private func uploadNext() {
        step += 1
        // In the foreground, and on the way there, this is the greatest finite number.
        let left = UIApplication.shared.backgroundTimeRemaining
        text = "Step \(step) of \(steps)" + (left < 1_000 ? ", \(Int(left)) s left" : "")
        onStep?(step)
        if isDone {
            timer?.invalidate()
            timer = nil
            endBackgroundTaskIfActive()
        }
    }

    private func registerBackgroundTask() {
        guard !isDone, backgroundTask == .invalid else { return }
        backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "Upload") { [weak self] in
            self?.endBackgroundTaskIfActive()
        }
    }

    private func endBackgroundTaskIfActive() {
        guard backgroundTask != .invalid else { return }
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }
}

/// The same upload as people write it at first: when the time is over, it stops its work, but does not end the task.
public class LeakyUploadModel {
    public let steps: Int
    public private(set) var step = 0
    public private(set) var text = ""
    public var onStep: ((Int) -> Void)?

    private var timer: Timer?
    private var observer: NSObjectProtocol?
    private var backgroundTask: UIBackgroundTaskIdentifier = .invalid

    public init(steps: Int = 20) {
        self.steps = steps
        observer = NotificationCenter.default.addObserver(
            forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
        ) { [weak self] _ in
            self?.registerBackgroundTask()
        }
    }

    public func start() {
        timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
            self?.uploadNext()
        }
    }

    private func uploadNext() {
        step += 1
        let left = UIApplication.shared.backgroundTimeRemaining
        text = left < 1_000 ? "Step \(step), \(Int(left)) s left" : "Step \(step)"
        onStep?(step)
        if step == steps {
            timer?.invalidate()
            UIApplication.shared.endBackgroundTask(backgroundTask)
        }
    }

    private func registerBackgroundTask() {
        backgroundTask = UIApplication.shared.beginBackgroundTask { [weak self] in
            self?.timer?.invalidate()
        }
    }
}

import ApusBackground
import ApusTimers

/// The state of files of the protection class "complete" on a device with a passcode.
enum DataProtection {
    case open
    /// The screen is locked, and the timer ends the access to the files.
    case closing(ScheduledTimer)
    case closed

    var isAvailable: Bool {
        switch self {
        case .open, .closing: true
        case .closed: false
        }
    }
}

/// The access to files of the protection class "complete"; it ends shortly after the device was locked.
///
/// The files of a simulated app are not encrypted. The lock changes ``isProtectedDataAvailable``, notifies the app, and
/// determines which keychain items the app can read. It also determines which files an app in a process of its own can
/// read.
///
/// A suspended app is not notified, not even when it runs again; it can then read the property. This is a choice of the
/// simulation.
///
/// Source: Apple, documentation/uikit/encrypting-your-app-s-files.
extension SimulatedDevice {
    /// Whether files of the protection class "complete" can be read.
    ///
    /// They cannot be read from ``SystemPolicy/dataProtectionDelay`` after the lock until the next unlock, nor between
    /// a restart and the first unlock.
    public var isProtectedDataAvailable: Bool { dataProtection.isAvailable }

    /// Notifies the app that the screen was locked, and closes the files after ``SystemPolicy/dataProtectionDelay``.
    func beginDataProtection() {
        guard case .open = dataProtection else { return }
        notifyRunningApp(of: .protectedDataWillBecomeUnavailable)
        let timer = systemEngine.schedule(after: policy.dataProtectionDelay) { [weak self] in
            MainActor.assumeIsolated { self?.closeProtectedData() }
        }
        dataProtection = .closing(timer)
    }

    /// Opens the files, because the screen was unlocked.
    func endDataProtection() {
        switch dataProtection {
        case .open: return
        case .closing(let timer): timer.cancel()
        case .closed: break
        }
        dataProtection = .open
        protectedDataStateChanged()
        notifyRunningApp(of: .protectedDataDidBecomeAvailable)
    }

    /// Closes the files, because the time after the lock is over or the device was restarted.
    func closeProtectedData() {
        if case .closing(let timer) = dataProtection { timer.cancel() }
        dataProtection = .closed
        protectedDataStateChanged()
    }
}

/// The automatic lock of a screen that is not touched.
struct AutoLock {
    var limit: Duration?
    var timer: ScheduledTimer?
}

/// The automatic lock of the screen (Apple, documentation/uikit/uiapplication/isidletimerdisabled).
extension SimulatedDevice {
    /// The time without a touch after which the screen locks itself, as set by the user; at least a second.
    ///
    /// If it is `nil`, as on a new device, the screen stays unlocked until ``lock()``. The controls with which the user
    /// opens or leaves the app, scrolls, unlocks the device or ends a call count as touches, and so does ``touch()``.
    /// The screen stays on during a call, while the user scrolls, and while an app that has disabled the idle timer is
    /// in the foreground.
    public var autoLock: Duration? {
        get { autoLocking.limit }
        set {
            autoLocking.limit = newValue.map { max(.seconds(1), $0) }
            touch()
        }
    }

    /// The user touches the screen, so the time of ``autoLock`` begins again; the log has no line for it.
    public func touch() {
        autoLocking.timer.take()?.cancel()
        guard let limit = autoLocking.limit, !isLocked else { return }
        autoLocking.timer = systemEngine.schedule(after: limit) { [weak self] in
            MainActor.assumeIsolated { self?.timeWithoutTouchIsOver() }
        }
    }

    private func timeWithoutTouchIsOver() {
        guard !isLocked else { return }
        let host = runningHost
        let isKeptOn = isInCall || host?.isTracking == true || (life.state == .active && host?.keepsScreenOn == true)
        guard !isKeptOn else { return touch() }
        log(.system, .control("auto-lock"))
        lockScreen()
    }
}

/// The questions for permissions that the user has not answered yet, in order.
struct SystemQuestions {
    var waiting: [SystemQuestion] = []
    /// Whether the app is becoming inactive so that the questions can be asked.
    var isAsking = false
}

/// Questions that the system asks the user over the app in front, which is inactive meanwhile.
///
/// Apple, documentation/uikit/uiapplicationdelegate/applicationwillresignactive(_:). The user answers at once. A
/// question that is raised while the app is not active, for example during its launch, waits until the app is active.
/// Apple does not say what a phone does in this case.
extension SimulatedDevice {
    func ask(_ question: SystemQuestion) {
        questions.waiting.append(question)
        askWaitingQuestions()
    }

    /// Asks the waiting questions, if the app is active.
    func askWaitingQuestions() {
        guard !questions.isAsking, !questions.waiting.isEmpty else { return }
        // A question is not asked if the answer to another question has made it unnecessary.
        let settled = questions.waiting.filter { !$0.isOpen() }
        questions.waiting.removeAll { !$0.isOpen() }
        for question in settled { question.answer() }
        guard !questions.waiting.isEmpty, let host = runningHost, host.phase == .active, life.state == .active else {
            return
        }
        questions.isAsking = true
        walk(life.interrupt(), of: host) { device in device.answerQuestions() }
    }

    private func answerQuestions() {
        while !questions.waiting.isEmpty { questions.waiting.removeFirst().answer() }
        questions.isAsking = false
        if screen == .app, !isInCall, life.state == .inactive { activate() }
    }
}

import ApusBackground
import ApusTimers

/// Whether files of the protection class "complete" can be read on a device with a passcode.
enum DataProtection {
    case open
    /// The screen is locked, and the timer closes them.
    case closing(ScheduledTimer)
    case closed

    var isAvailable: Bool {
        switch self {
        case .open, .closing: true
        case .closed: false
        }
    }
}

/// Such files can be read while the device is unlocked, and shortly after it was locked.
///
/// Apple, documentation/uikit/encrypting-your-app-s-files. The files of a simulated app are not encrypted: what follows from
/// the lock is ``isProtectedDataAvailable`` and the calls that an app gets. A suspended app gets none, also not later, which
/// is a choice; it asks when it runs again.
extension SimulatedDevice {
    /// Whether files of the protection class "complete" can be read: not from ``SystemPolicy/dataProtectionDelay`` after the
    /// lock to the next unlock, and not after a restart.
    public var isProtectedDataAvailable: Bool { dataProtection.isAvailable }

    /// The screen was locked.
    func beginDataProtection() {
        guard case .open = dataProtection else { return }
        notifyRunningApp(of: .protectedDataWillBecomeUnavailable)
        let timer = systemEngine.schedule(after: policy.dataProtectionDelay) { [weak self] in
            MainActor.assumeIsolated { self?.closeProtectedData() }
        }
        dataProtection = .closing(timer)
    }

    /// The screen was unlocked.
    func endDataProtection() {
        switch dataProtection {
        case .open: return
        case .closing(let timer): timer.cancel()
        case .closed: break
        }
        dataProtection = .open
        notifyRunningApp(of: .protectedDataDidBecomeAvailable)
    }

    /// The time after the lock is over, or the device was started again.
    func closeProtectedData() {
        if case .closing(let timer) = dataProtection { timer.cancel() }
        dataProtection = .closed
    }
}

/// The screen locks itself when it is not touched.
struct AutoLock {
    var limit: Duration?
    var timer: ScheduledTimer?
}

/// Apple, documentation/uikit/uiapplication/isidletimerdisabled.
extension SimulatedDevice {
    /// How long the screen stays unlocked without a touch, as the user has set it, a second at least. `nil`, which is what a
    /// new device has: it stays unlocked until ``lock()``.
    ///
    /// The controls with which the user opens, leaves, scrolls, unlocks and hangs up are touches, and so is ``touch()``. The
    /// screen stays on during a call, while the user scrolls, and in front of an app that has switched the idle timer off.
    public var autoLock: Duration? {
        get { autoLocking.limit }
        set {
            autoLocking.limit = newValue.map { max(.seconds(1), $0) }
            touch()
        }
    }

    /// The user touches the screen: the time of ``autoLock`` begins anew. It is not logged.
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

/// The questions for permission that the user has not answered yet, in their order.
struct SystemQuestions {
    var waiting: [SystemQuestion] = []
    /// The app is on the way to inactive because of the first one.
    var isAsking = false
}

/// The system asks the user over the app that is in front, which is inactive meanwhile.
///
/// Apple, documentation/uikit/uiapplicationdelegate/applicationwillresignactive(_:). The user answers at once. What is asked
/// for before the app is active, as in its launch, or while it is not in front, waits until it is: Apple does not say what a
/// phone does with that.
extension SimulatedDevice {
    func ask(_ question: SystemQuestion) {
        questions.waiting.append(question)
        askWaitingQuestions()
    }

    /// Asks what waits, if the app is active.
    func askWaitingQuestions() {
        guard !questions.isAsking, !questions.waiting.isEmpty else { return }
        // What an answer to another question has settled needs no question.
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

import ApusBackground
import ApusTimers

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

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

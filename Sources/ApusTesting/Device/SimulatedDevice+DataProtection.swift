import ApusBackground
import ApusTimers

/// Whether files of the protection class "complete" can be read on a device with a passcode.
struct DataProtection {
    var isAvailable = true
    /// When the screen has been locked for long enough.
    var closing: ScheduledTimer?
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
        guard dataProtection.isAvailable, dataProtection.closing == nil else { return }
        tellRunningApp(.protectedDataWillBecomeUnavailable)
        dataProtection.closing = systemEngine.schedule(after: policy.dataProtectionDelay) { [weak self] in
            MainActor.assumeIsolated { self?.closeProtectedData() }
        }
    }

    /// The screen was unlocked.
    func endDataProtection() {
        guard let closing = dataProtection.closing.take() else { return }
        closing.cancel()
        dataProtection.isAvailable = true
        tellRunningApp(.protectedDataDidBecomeAvailable)
    }

    /// The device was started again, and nobody has unlocked it.
    func closeProtectedData() {
        dataProtection.closing = dataProtection.closing ?? systemEngine.schedule(after: .zero) {}
        dataProtection.isAvailable = false
    }

    /// A suspended app does not hear of it, also not later.
    func tellRunningApp(_ event: DevicePartEvent) { if life.state != .suspended { tellParts(event) } }
}

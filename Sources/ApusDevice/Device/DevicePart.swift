package import ApusBackground

/// A part of the device beside its life cycle: the notification center, the audio player, the location service.
///
/// It may log through ``SimulatedHost/log(_:_:)`` and ``SimulatedDevice/log(_:_:)``, keep a process running with
/// ``SimulatedHost/setContinuousMode(_:isActive:)``, and schedule on ``SimulatedDevice/systemEngine``, whose timers run
/// even if the app does not.
@MainActor
package protocol DevicePart: AnyObject {
    /// Something happened to the device or to the app's process. Code of the app must not be called from here, but
    /// handed to the host's main loop.
    func device(_ device: SimulatedDevice, did event: DevicePartEvent)
}

/// The events that the parts of a device get.
package enum DevicePartEvent: Sendable, Hashable, Codable {
    /// The device's `host` is that of a new process; the app is not made yet.
    case launched
    /// The process entered a phase, suspension included.
    case phase(Phase)
    /// The process is gone.
    case ended
    /// A call begins or ends.
    case call(isActive: Bool)
    /// The device was started again. The process has ended before.
    case rebooted
    /// The system takes the interface of an app in the background away.
    case sceneDisconnected
    /// The screen was locked: files of the class "complete" are about to be closed. Not for a suspended process.
    case protectedDataWillBecomeUnavailable
    /// The screen was unlocked: such files can be read again. Not for a suspended process.
    case protectedDataDidBecomeAvailable
    /// The user's switch for background refresh, or the low-power mode, is another one. Not for a suspended process.
    case backgroundRefreshChanged
    /// Memory is low while the process runs.
    case memoryWarning
    /// The wall clock was set.
    case wallClockSet
}

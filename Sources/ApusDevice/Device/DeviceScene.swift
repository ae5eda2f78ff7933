import ApusBackground
import ApusTimers

/// The state of the device and its app that the rules of parts depend on.
package struct DeviceScene: Sendable {
    var conditions = DeviceConditions()
    var isBackgroundRefreshOn = true
    var wasUnlockedSinceBoot = true
    var isInSwitcher = false
    var wasForceQuit = false
    /// The user sees the app, or is about to.
    var isAppInFront = false
    /// The process has arrived where it was going, so that it can be handed something to do.
    var isAppAtRest = false
    /// The process is notified of its end.
    var isAppEnding = false
    /// The app has no process, or a suspended one.
    var isAppStopped = true

    init() {}

    @MainActor
    init(_ device: SimulatedDevice) {
        conditions = device.conditions
        isBackgroundRefreshOn = device.isBackgroundRefreshOn
        wasUnlockedSinceBoot = device.wasUnlockedSinceBoot
        isInSwitcher = device.life.isInSwitcher
        wasForceQuit = device.life.wasForceQuit
        switch device.life.state {
        case .active, .inactive: (isAppInFront, isAppAtRest) = (true, true)
        case .launching(let toForeground): isAppInFront = toForeground
        case .background: isAppAtRest = true
        case .ending: isAppEnding = true
        case .leaving, .suspended, .notRunning, .prewarmed: break
        }
        isAppStopped = [.suspended, .notRunning, .prewarmed].contains(device.life.state)
    }
}

/// One look at the clocks.
struct DeviceMoment: Sendable {
    let wall: WallInstant
    let continuous: ContinuousInstant
    /// In nanoseconds.
    let uptime: UInt64

    init(_ time: any TimeSource) {
        wall = time.wall()
        continuous = time.continuous()
        uptime = time.uptime().nanoseconds
    }

    /// What the wall clock will show then, if it is not set.
    func wall(at instant: ContinuousInstant) -> WallInstant { wall.advanced(by: continuous.duration(to: instant)) }
}

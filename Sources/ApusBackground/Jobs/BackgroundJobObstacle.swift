public import ApusTimers

/// A reason why a pending background job does not run now.
///
/// A host returns all reasons that apply. Each host knows only some of the reasons; for example, a server has no app
/// switcher. Seven of the reasons are the factors that Apple names for a refresh (session WWDC20 10063): battery,
/// low-power mode, the app's usage, the app switcher, the user's switch, budget, and rate.
public enum BackgroundJobObstacle: Sendable, Hashable, CustomStringConvertible {
    /// No request with the identifier is pending.
    case notPending
    /// The request's `earliestBegin`, delayed by the host's random spread, has not been reached.
    ///
    /// The associated value is the instant before which the run does not begin.
    case notBefore(WallInstant)
    /// A run of the same job is active.
    case running
    /// The device has not been unlocked since its start.
    case lockedSinceBoot
    /// The user has turned off background refresh.
    case backgroundRefreshOff
    /// The app is not in the app switcher, because the user removed it or never opened it.
    case notInSwitcher
    /// The user is using the app.
    case appInForeground
    /// Jobs of this kind do not begin while the app is in the background.
    case appInBackground
    /// The battery level is at or below the host's limit, which is 20 % by default.
    case lowBattery
    /// The device is in low-power mode.
    case lowPowerMode
    /// The user has not opened the app recently.
    case notUsedLately
    /// The user is not expected to open the app soon, and the job has not waited for long.
    ///
    /// `next` is the next instant at which the user is expected to open the app.
    case notExpectedSoon(next: WallInstant)
    /// The app's refreshes have used up the time that was available to them so far.
    case budgetUsedUp
    /// The previous run was a short time ago.
    ///
    /// `until` is the instant at which the next run may begin.
    case rateLimited(until: WallInstant)
    /// There is no connection to the network, and the request requires one.
    case noNetwork
    /// The device is not connected to external power, and the request requires it.
    case noExternalPower
    /// The user is using the device.
    case deviceInUse
    /// It is day and the device is not charging.
    ///
    /// The system reserves long work for the night or for charging, even if the request does not require external power.
    case neitherNightNorCharging
    /// The maximum number of runs is active, or the app is being terminated.
    ///
    /// ``HostBackgroundJobs`` also reports this obstacle while a run of the same job is active.
    case busy
    /// An earlier process submitted the request, and the current process has not registered a handler yet.
    case noHandler

    /// The reason in words, with its instant if there is one.
    public var description: String {
        switch self {
        case .notBefore(let instant): "not before \(instant.iso8601)"
        case .notExpectedSoon(let next): "\(words); perhaps at \(next.iso8601)"
        case .rateLimited(let until): "\(words) until \(until.iso8601)"
        default: words
        }
    }

    /// The reason in words without an instant, so that it does not change merely because time passes.
    package var words: String {
        switch self {
        case .notPending: "no request is pending"
        case .notBefore: "its earliest begin has not come"
        case .running: "its last run has not ended"
        case .lockedSinceBoot: "not unlocked since the device was started"
        case .backgroundRefreshOff: "background refresh is off"
        case .notInSwitcher: "not in the app switcher"
        case .appInForeground: "the app is in the foreground"
        case .appInBackground: "the app is in the background"
        case .lowBattery: "low battery"
        case .lowPowerMode: "low-power mode"
        case .notUsedLately: "not used lately"
        case .notExpectedSoon: "not expected to be used soon"
        case .budgetUsedUp: "the day's budget is used up"
        case .rateLimited: "launched a short while ago"
        case .noNetwork: "no network"
        case .noExternalPower: "no external power"
        case .deviceInUse: "the device is in use"
        case .neitherNightNorCharging: "neither night nor charging"
        case .busy: "the system is busy"
        case .noHandler: "no handler is registered yet"
        }
    }
}

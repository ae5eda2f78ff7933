public import ApusTimers

/// A reason why a pending background job does not run at the moment.
///
/// A host names all that hold at the moment; they go away one by one. Which of them a host knows is the host's matter: a
/// server has no app switcher. Seven of them are the factors that Apple names for a refresh (session WWDC20 10063): battery, low-power mode, the
/// app's usage, the app switcher, the user's switch, budget, and rate.
public enum BackgroundJobObstacle: Sendable, Hashable, CustomStringConvertible {
    /// No request with that identifier waits.
    case notPending
    /// The request's `earliestBegin`, or the moment that the host has spread it to, has not come.
    case notBefore(WallInstant)
    /// A run of the same job has not ended.
    case running
    /// The device was not unlocked since it was started.
    case lockedSinceBoot
    /// The user has switched background refresh off.
    case backgroundRefreshOff
    /// The app is not in the app switcher: the user has removed it, or never opened it.
    case notInSwitcher
    /// The user is in the app.
    case appInForeground
    /// Nothing of this kind begins while the app is in the background.
    case appInBackground
    /// The battery is at 20 % or less.
    case lowBattery
    /// The user saves energy.
    case lowPowerMode
    /// The user has not opened the app lately.
    case notUsedLately
    /// The user is not expected to open the app soon, and the job has not waited for long; the next expected use.
    case notExpectedSoon(next: WallInstant)
    /// The app's refreshes have used up the time that they have had so far.
    case budgetUsedUp
    /// The last run was a short while ago.
    case rateLimited(until: WallInstant)
    /// There is no connection, and the request needs one.
    case noNetwork
    /// The device is not plugged in, and the request needs that.
    case noExternalPower
    /// The user uses the device.
    case deviceInUse
    /// It is day and the device is not plugged in: the system keeps long work for a time at which that does not matter,
    /// although the request does not need it.
    case neitherNightNorCharging
    /// As many runs as the system lets are under way, or the app is being ended.
    case busy
    /// The request has outlived the process that submitted it, and this one has not registered a handler yet.
    case noHandler

    /// The reason in words, with the instant if there is one.
    public var description: String {
        switch self {
        case .notBefore(let instant): "not before \(instant.iso8601)"
        case .notExpectedSoon(let next): "\(words); perhaps at \(next.iso8601)"
        case .rateLimited(let until): "\(words) until \(until.iso8601)"
        default: words
        }
    }

    /// The reason without an instant: what stays the same while nothing changes but time.
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

public import ApusTimers

/// A reason why a background job that was submitted has not begun yet.
///
/// A host names all that hold at the moment; they go away one by one. Which of them a host knows is the host's matter:
/// a server has no app switcher.
public enum BackgroundJobObstacle: Sendable, Hashable, CustomStringConvertible {
    /// The request's earliest begin, or the moment that the host has spread it to, is still to come.
    case notBefore(WallInstant)
    /// The battery is at 20 % or less and nothing charges it.
    case lowBattery
    /// The user saves power.
    case lowPowerMode
    /// The system does not expect the user to open the app soon.
    case notExpectedSoon
    /// The user has not used the app for days.
    case notUsedLately
    /// The user has removed the app from the switcher.
    case notInSwitcher
    /// The user has switched background refresh off.
    case backgroundRefreshOff
    /// The app has used up what the day allows it.
    case budgetUsedUp
    /// A run of the same identifier began a short time ago.
    case rateLimited(until: WallInstant)
    /// The job needs a network, and there is none.
    case noNetwork
    /// The job needs external power, and there is none.
    case noExternalPower
    /// The job waits until nobody uses the device.
    case deviceInUse
    /// Nobody has unlocked the device since it started.
    case lockedSinceBoot
    /// The job runs in the background only, and the app is in front.
    case appInForeground
    /// Nothing of this kind begins while the app is in the background.
    case appInBackground
    /// As many runs as the host allows at once are under way, or one of the same identifier is.
    case busy
    /// The request has outlived the process that submitted it, and nobody has registered a handler in this one yet.
    case noHandler

    /// The reason in words, with instants in the form of ISO 8601 in UTC.
    public var description: String {
        switch self {
        case .notBefore(let instant): "not before \(TimeText.iso8601(instant))"
        case .lowBattery: "the battery is low"
        case .lowPowerMode: "low-power mode is on"
        case .notExpectedSoon: "the app is not expected to be opened soon"
        case .notUsedLately: "the app has not been used lately"
        case .notInSwitcher: "the app is not in the app switcher"
        case .backgroundRefreshOff: "background refresh is switched off"
        case .budgetUsedUp: "the day's budget is used up"
        case .rateLimited(let instant): "it ran a short time ago, so not before \(TimeText.iso8601(instant))"
        case .noNetwork: "there is no network"
        case .noExternalPower: "there is no external power"
        case .deviceInUse: "somebody uses the device"
        case .lockedSinceBoot: "the device has not been unlocked since it started"
        case .appInForeground: "the app is in the foreground"
        case .appInBackground: "the app is in the background"
        case .busy: "as many runs as are allowed at once are under way"
        case .noHandler: "no handler is registered yet"
        }
    }
}

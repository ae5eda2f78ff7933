public import ApusTimers

/// An alarm of the installed app, as the system keeps it.
public struct DeviceAlarm: Sendable, Hashable, Codable {
    /// The state of an alarm.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// The alarm waits for its time.
        case scheduled
        /// The alarm counts down to its alert.
        case countdown
        /// The countdown is paused.
        case paused
        /// The alarm alerts, until the user or the app stops or snoozes it.
        case alerting
    }

    /// What the app has asked for.
    package let request: AlarmRequest
    /// The state of the alarm.
    public let state: State
    /// The instant of the wall clock at which the alarm will alert, or began to alert; `nil` while it is paused.
    public let alertInstant: WallInstant?

    /// The identifier that the app has chosen, as text.
    public var id: String { request.id }
    /// The title of the alert.
    public var title: String { request.title }
}

/// An alarm as an app asks for it.
package struct AlarmRequest: Sendable, Hashable, Codable {
    package let id: String
    package let title: String
    /// The times at which the alarm alerts; `nil` for an alarm that begins to count down at once.
    package let schedule: AlarmSchedule?
    /// The countdown before the alert.
    package let preAlert: Duration?
    /// The countdown after a snooze.
    package let postAlert: Duration?
    /// Whether the alert has a button with which the user snoozes it.
    package let isSnoozable: Bool
    /// The intent that is run when the user stops the alert.
    package let stopIntent: IntentRequest?
    /// The intent that is run when the user presses the second button.
    package let secondaryIntent: IntentRequest?

    package init(
        id: String, title: String, schedule: AlarmSchedule?, preAlert: Duration?, postAlert: Duration?,
        isSnoozable: Bool, stopIntent: IntentRequest? = nil, secondaryIntent: IntentRequest? = nil
    ) {
        (self.stopIntent, self.secondaryIntent) = (stopIntent, secondaryIntent)
        (self.id, self.title, self.schedule) = (id, title, schedule)
        (self.preAlert, self.postAlert, self.isSnoozable) = (preAlert, postAlert, isSnoozable)
    }
}

/// The user's permission for an app to schedule alarms.
///
/// Apple, documentation/alarmkit/alarmmanager/authorizationstate-swift.enum
public enum AlarmAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
    /// The user has not been asked.
    case notDetermined
    /// The user does not allow alarms.
    case denied
    /// The user allows alarms.
    case authorized
}

/// The reason for which a call about an alarm fails.
package struct AlarmRefusal: Error, Sendable, Hashable, Codable {
    /// Whether the reason is that the device keeps as many alarms as its limit allows.
    package let isLimit: Bool
    /// The description of what happened, and of the remedy.
    package let message: String

    package init(isLimit: Bool = false, message: String) {
        (self.isLimit, self.message) = (isLimit, message)
    }
}

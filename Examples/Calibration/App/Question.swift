/// What the scenarios find out about a phone.
enum Question: String, CaseIterable {
    case stateAtLaunch
    case callbacksOfLaunch
    case callbacksOfLeaving
    case timeInForeground
    case timeInBackground
    case timeOfSecondTask
    case orderOfExpiration
    case timeAtExpiration
    case threadOfExpiration
    case runAfterExpiration
    case overdueTicks
    case phaseOfTicks
    case tolerantTimer
    case longestTolerance
    case timerWithInterval
    case undeclaredIdentifier
    case secondRefresh
    case replacedRequest
    case provisionalPermission
    case pendingNotifications
    case replacedNotification
    case viewsAtPush
    case viewsAtPop
    case viewsAtSelection

    /// The rule that the answer is about, a row of docs/phone-rules.md.
    var rule: String {
        switch self {
        case .stateAtLaunch: "Apps with scenes launch in `background`, others in `inactive`"
        case .callbacksOfLaunch: "With scenes, the scene delegate is called instead of the app delegate"
        case .callbacksOfLeaving:
            "An app that leaves the foreground becomes inactive, enters the background with a callback, and is then "
                + "suspended"
        case .timeInForeground: "The remaining time is the greatest number in the foreground"
        case .timeInBackground: "The time is about 30 seconds"
        case .timeOfSecondTask: "The time belongs to the app: a second task adds none"
        case .orderOfExpiration, .timeAtExpiration:
            "All expiration handlers are called in one pass, in order, four seconds before the end"
        case .threadOfExpiration:
            "Expiration handlers are called on the main thread, shortly before the time ends"
        case .runAfterExpiration: "A suspended app runs no code, and is not notified of the suspension"
        case .overdueTicks, .phaseOfTicks: "A delayed repeating timer fires once and keeps its phase"
        case .tolerantTimer: "A timer fires between its date and the end of its tolerance, never earlier"
        case .longestTolerance: "A tolerance is at most half the interval"
        case .timerWithInterval: "`Timer(timeInterval:repeats:block:)` first fires after the interval"
        case .undeclaredIdentifier: "Registering an undeclared identifier returns `false`"
        case .secondRefresh: "One refresh and ten processing requests may be pending"
        case .replacedRequest: "A request replaces a pending request with the same identifier"
        case .provisionalPermission: "Provisional authorization is granted without asking the user"
        case .pendingNotifications: "At most 64 requests are pending; adding more is no error"
        case .replacedNotification:
            "A request replaces a pending request with the same identifier, and a delivered one when it is shown"
        case .viewsAtPush, .viewsAtPop, .viewsAtSelection:
            "When a view takes the place of another one, it appears before that disappears"
        }
    }

    /// By how many seconds two answers may differ and still agree.
    var tolerance: Double {
        switch self {
        case .timeInBackground, .timeAtExpiration: 3
        // The system suspends an app a moment after its last background task has ended.
        case .runAfterExpiration: 5
        case .timeOfSecondTask: 0.5
        case .timerWithInterval, .phaseOfTicks: 0.2
        default: 0.01
        }
    }
}

/// The constant data of a Live Activity, with the type of its changing data.
///
/// Source: Apple, documentation/activitykit/activityattributes.
public protocol ActivityAttributes: Codable {
    /// The data that changes.
    associatedtype ContentState: Codable, Hashable
}

/// The content of a Live Activity, with the date from which it is stale.
///
/// Source: Apple, documentation/activitykit/activitycontent.
public struct ActivityContent<State: Codable & Hashable>: Hashable {
    /// The data.
    public var state: State
    /// The date from which the activity is `stale`.
    public var staleDate: Date?
    /// The rank among the app's activities, which has no effect here.
    public var relevanceScore: Double

    /// Creates content.
    public init(state: State, staleDate: Date?, relevanceScore: Double = 0) {
        (self.state, self.staleDate, self.relevanceScore) = (state, staleDate, relevanceScore)
    }
}

extension ActivityContent: Sendable where State: Sendable {}

/// The state of a Live Activity.
///
/// Source: Apple, documentation/activitykit/activitystate.
public enum ActivityState: String, Hashable, Codable, Sendable {
    /// The activity is shown, and can be updated.
    case active
    /// The activity waits for its start; the simulation does not use this case.
    case pending
    /// The activity is shown with content that is older than its `staleDate`, and can be updated.
    case stale
    /// The activity has ended, and is still shown on the lock screen.
    case ended
    /// The activity is not shown any more.
    case dismissed
}

/// How long an activity that the app has ended stays on the lock screen.
///
/// Source: Apple, documentation/activitykit/activityuidismissalpolicy.
public enum ActivityUIDismissalPolicy: Hashable, Sendable {
    /// The activity stays for four hours.
    case `default`
    /// The activity is removed at once.
    case immediate
    /// The activity stays until a date, but for four hours at most.
    case after(Date)
}

/// The alert of an update, which the device writes into its log.
///
/// Source: Apple, documentation/activitykit/alertconfiguration.
public struct AlertConfiguration: Hashable, Sendable {
    /// The sound of an alert.
    public enum AlertSound: Hashable, Codable, Sendable {
        /// The system's sound.
        case `default`
        /// A sound of the app.
        case named(String)
    }

    /// The title.
    public var title: LocalizedStringResource
    /// The text.
    public var body: LocalizedStringResource
    /// The sound.
    public var sound: AlertSound

    /// Creates an alert.
    public init(title: LocalizedStringResource, body: LocalizedStringResource, sound: AlertSound) {
        (self.title, self.body, self.sound) = (title, body, sound)
    }
}

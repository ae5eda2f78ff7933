/// What the user allows an app to show as notifications.
///
/// Apple, documentation/usernotifications/unauthorizationstatus, without the status of app clips.
public enum NotificationAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
    /// The user was not asked yet; nothing is shown.
    case notDetermined
    /// Nothing is shown.
    case denied
    /// Everything is shown.
    case authorized
    /// Shown quietly, without having asked.
    case provisional

    /// Whether anything is shown.
    public var allowsShowing: Bool {
        switch self {
        case .notDetermined, .denied: false
        case .authorized, .provisional: true
        }
    }
}

/// What an app in front wants to be done with a notification that has come.
public enum NotificationPresentation: Sendable, Hashable {
    /// Nothing: the app has dealt with it.
    case none
    /// Shown as if the app were not in front.
    case shown
}

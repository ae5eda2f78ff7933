import ApusDevice
import SimulatedAppleCore

/// The user's permission for Live Activities.
///
/// Source: Apple, documentation/activitykit/activityauthorizationinfo.
public final class ActivityAuthorizationInfo: Sendable {
    private let center = ActivityCenter.shared

    /// Creates the information about the running app.
    public init() {}

    /// Whether the app can begin Live Activities: the user allows them, and the app declares them
    /// (`NSSupportsLiveActivities`).
    public var areActivitiesEnabled: Bool { center.areEnabled }

    /// The new value of ``areActivitiesEnabled``, each time that it changes from now on.
    public var activityEnablementUpdates: some AsyncSequence<Bool, Never> {
        center.events { event -> Bool? in if case .enabled(let isEnabled) = event { isEnabled } else { nil } }
    }
}

/// The reason for which a Live Activity does not begin.
///
/// The device's log has a warning with the remedy. Apple's errors that never occur in the simulation are omitted.
///
/// Source: Apple, documentation/activitykit/activityauthorizationerror.
public enum ActivityAuthorizationError: Error, Hashable, Codable, Sendable {
    /// The attributes and the content have more than 4 KB.
    case attributesTooLarge
    /// The user does not allow Live Activities.
    case denied
    /// The app has as many activities as the device allows.
    case targetMaximumExceeded
    /// The app does not declare `NSSupportsLiveActivities`.
    case unsupportedTarget
    /// The app is not in the foreground.
    case visibility

    init(_ refusal: ActivityRefusal) {
        self =
            switch refusal {
            case .attributesTooLarge: .attributesTooLarge
            case .denied: .denied
            case .targetMaximumExceeded: .targetMaximumExceeded
            case .unsupportedTarget: .unsupportedTarget
            case .visibility: .visibility
            }
    }
}

public import ApusTimers
public import Foundation

/// A Live Activity of the installed app, as the system keeps it.
public struct DeviceActivity: Sendable, Hashable, Codable {
    /// The state of a Live Activity.
    ///
    /// Apple, documentation/activitykit/activitystate
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// The activity is shown, and can be updated.
        case active
        /// The activity is shown, and its content is older than the app has allowed.
        case stale
        /// The activity has ended: it cannot be updated, and is still shown on the lock screen.
        case ended
        /// The activity is not shown any more.
        case dismissed
    }

    /// The identifier, which the system has chosen: "activity-1" for the first activity.
    public let id: String
    /// The name of the type of the attributes.
    public let kind: String
    /// The state of the activity.
    public internal(set) var state: State
    /// The attributes, which never change, as JSON.
    public let attributes: Data
    /// The present content as JSON.
    public internal(set) var content: Data
    /// The instant of the wall clock from which the content is stale; `nil` if it never becomes stale.
    public internal(set) var staleInstant: WallInstant?
}

/// A Live Activity as an app asks for it.
package struct ActivityRequest: Sendable, Hashable, Codable {
    package let kind: String
    package let attributes: Data
    package let content: Data
    package let staleInstant: WallInstant?

    package init(kind: String, attributes: Data, content: Data, staleInstant: WallInstant?) {
        (self.kind, self.attributes) = (kind, attributes)
        (self.content, self.staleInstant) = (content, staleInstant)
    }
}

/// The time for which an activity that the app has ended stays on the lock screen.
///
/// Apple, documentation/activitykit/activityuidismissalpolicy
package enum ActivityDismissal: Sendable, Hashable, Codable {
    case `default`
    case immediate
    case after(WallInstant)
}

/// The reason for which a Live Activity is not started; the cases have the names of Apple's errors.
///
/// Apple, documentation/activitykit/activityauthorizationerror
package enum ActivityRefusal: String, Error, Sendable, Hashable, Codable {
    case attributesTooLarge, denied, targetMaximumExceeded, unsupportedTarget, visibility
}

public import ApusBackground
public import ApusTimers

/// A notification that a simulated phone shows.
public struct ShownNotification: Sendable, Hashable {
    /// What was asked for: the identifier and the contents.
    public var request: NotificationRequest
    /// When it was shown, on the wall clock.
    public var instant: WallInstant
}

/// Which requests a phone's notification center keeps when there are more than it takes.
///
/// It drops the others without an error. Sources differ about which, so it is a choice.
public enum NotificationOverflow: String, Sendable, Hashable, CaseIterable {
    /// Those that are due soonest; of equal ones, those that were set first.
    ///
    /// Apple, documentation/uikit/uilocalnotification (the older interface)
    case keepsSoonest
    /// Those that were set last.
    ///
    /// Tests of developers with the present interface.
    case keepsLast
}

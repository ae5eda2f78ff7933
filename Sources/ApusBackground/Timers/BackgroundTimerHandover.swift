public import ApusTimers

extension BackgroundTimer {
    /// What stands in for a timer that is due when the app may not run any more.
    ///
    /// The timer itself stays pending. When the app comes back before the deadline, it continues as if nothing had
    /// happened; when it comes back later, the work runs then.
    public enum Handover: Sendable {
        /// Nothing: the timer waits until the app runs again.
        case none
        /// A notification at the deadline. It is removed when the app comes back to the foreground earlier.
        case notification(UserNotification)
        /// Something of the app's own, on the main loop: to submit a job, for example. It gets the timer and the
        /// instant at which it is due. Work and job may both run, so let the later one see that the earlier did.
        case custom(@MainActor @Sendable (ID, WallInstant) -> Void)
    }
}

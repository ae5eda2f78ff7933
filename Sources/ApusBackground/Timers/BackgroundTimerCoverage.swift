extension BackgroundTimer {
    /// How pending timers are covered by background tasks.
    public enum Coverage: Sendable, Hashable, CaseIterable {
        /// One background task, while at least one timer needs it.
        case shared
        /// A background task for each timer, so that reports of what had to be cut name a number and each ends on its
        /// own.
        case each
    }
}

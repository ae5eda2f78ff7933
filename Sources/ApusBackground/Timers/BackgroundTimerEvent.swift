extension BackgroundTimer {
    /// What happened to a timer.
    public enum Event: Sendable, Hashable {
        /// The work has run. The last event of the timer unless it repeats. A repeating timer that was cancelled while
        /// its work ran ends with this, and `willRepeat` is false.
        case executed(ID, willRepeat: Bool)
        /// The timer was cancelled, or the ``BackgroundTimer`` was released. Its last event.
        case cancelled(ID)
        /// The host grants no more time, so the app may be suspended before these timers fire. They stay pending.
        case expired([ID])
        /// Something else stands in for these timers while the app is in the background. They stay pending.
        case handedOver([ID])
    }
}

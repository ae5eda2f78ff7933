/// Gets the events of the timers of a ``BackgroundTimer``.
public protocol BackgroundTimerDelegate: AnyObject, Sendable {
    /// An event, soon after it happened, on the main loop in `common` mode; in the order of the events.
    ///
    /// - Parameters:
    ///   - name: The name of the ``BackgroundTimer``.
    ///   - event: What happened.
    @MainActor func backgroundTimer(named name: String, did event: BackgroundTimer.Event)
}

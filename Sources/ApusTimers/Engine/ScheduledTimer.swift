import TimerWheel

/// A timer that was scheduled: the value to cancel it with. May be kept, copied or dropped; dropping cancels nothing.
///
/// It keeps its engine alive.
public struct ScheduledTimer: Sendable {
    let engine: TimerEngine
    let clock: ClockKind
    let handle: TimerHandle

    /// Cancels the timer and releases its action.
    ///
    /// Returns true when the action has not started and therefore never will, also when its deadline has passed and it
    /// waits for its executor. False when it has started or finished, or was cancelled before. May be called from any
    /// thread, also from an action.
    @discardableResult
    public func cancel() -> Bool { engine.cancel(clock, handle) }
}

/// A registration for settings of the wall clock; see ``TimerEngine/onWallClockChange(on:_:)``.
public struct WallClockObservation: Sendable {
    let engine: TimerEngine
    let identifier: UInt64

    /// Ends the observation and releases its handler. A call that is running is not waited for. May be called often.
    public func cancel() { engine.removeObserver(identifier) }
}

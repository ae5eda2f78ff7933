import TimerWheel

/// A timer that was scheduled: the value to cancel it with. May be kept, copied or dropped; dropping cancels nothing.
///
/// It does not keep its engine: with the engine, its timers end.
public struct ScheduledTimer: Sendable {
    let shard: EngineShard.Reference
    let handle: TimerHandle
    /// Which of the shard's engines the timer is of.
    let epoch: UInt32
    let clock: ClockKind

    /// Cancels the timer and releases its action.
    ///
    /// Returns true when the action has not started and therefore never will, also when its deadline has passed and it
    /// waits for its executor. False when it has started or finished, or was cancelled before. May be called from any
    /// thread, also from an action.
    @discardableResult
    public func cancel() -> Bool {
        guard let removed = remove() else { return false }
        // Outside the lock: what the action captured may do anything when it goes.
        _ = removed.payload.intoAction()
        return true
    }

    /// Gives the timer a new deadline, `duration` from now on its clock, and a new tolerance: as if it had been
    /// cancelled and scheduled anew with the same action, in one step and without an allocation.
    ///
    /// - Parameters:
    ///   - duration: How long from now; at once when zero or negative.
    ///   - tolerance: How much later than the deadline it may fire; negative counts as zero.
    /// - Returns: False, and nothing changes, when the action has started or finished, or was cancelled. May be called
    ///   from any thread, also from an action.
    @discardableResult
    public func reset(after duration: Duration, tolerance: Duration = .zero) -> Bool {
        moved(after: duration, tolerance: tolerance)
    }
}

/// A registration for settings of the wall clock; see ``TimerEngine/onWallClockChange(on:_:)``.
public struct WallClockObservation: Sendable {
    let engine: TimerEngine
    let identifier: UInt64

    /// Ends the observation and releases its handler. A call that is running is not waited for. May be called often.
    public func cancel() { engine.core.removeObserver(identifier) }
}

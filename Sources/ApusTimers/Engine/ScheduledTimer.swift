import CApus
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
    /// Where the action's object lies, or lay: for the processor to fetch it together with the timer's record, if the
    /// timer is cancelled long after it was scheduled. Nothing else may be done with it.
    let object: UInt64

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

extension ScheduledTimer {
    /// The wheel that the timer is in, if its engine still has the shard. Under the shard's lock.
    @inline(__always)
    func wheel(in shard: borrowing EngineShard) -> UnsafeMutablePointer<TimerWheel>? {
        shard.epoch == epoch ? shard.wheel : nil
    }

    /// Takes the timer out: its action, unless it has started or was cancelled before.
    @inline(__always)
    func remove() -> RemovedTimer? {
        capus_prefetch(object)
        let (removed, core) = shard.withShard { shard -> (RemovedTimer?, EngineCore?) in
            guard let removed = wheel(in: shard)?.pointee.remove(handle) else { return (nil, nil) }
            return (removed, removed.wasWaiting ? shard.core(armedFor: removed.hardDeadline, on: clock) : nil)
        }
        if let removed, let core { core.searchEarliest(clock, insteadOf: removed.hardDeadline) }
        return removed
    }

    func moved(after duration: Duration, tolerance: Duration) -> Bool {
        let tolerance = EngineCore.nanoseconds(tolerance)
        let (isReset, former, core) = shard.withShard { shard -> (Bool, UInt64, EngineCore?) in
            guard let core = shard.core, let wheel = wheel(in: shard) else { return (false, 0, nil) }
            return core._withUnsafeGuaranteedRef { core in
                let deadline = core.deadline(after: duration, on: clock)
                let former = wheel.pointee.hardDeadline(handle) ?? 0
                guard wheel.pointee.reset(handle, deadline: deadline, tolerance: tolerance) else {
                    return (false, 0, nil)
                }
                core.arming.lower(clock, to: TimerWheel.hardDeadline(deadline, tolerance: tolerance))
                return (true, former, shard.core(armedFor: former, on: clock))
            }
        }
        core?.searchEarliest(clock, insteadOf: former)
        return isReset
    }
}

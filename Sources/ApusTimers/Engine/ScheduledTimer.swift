import CApus
import TimerWheel

/// Cancels or resets a timer that was scheduled.
///
/// The value may be kept, copied or dropped; dropping it does not cancel the timer. It does not retain the engine, and
/// the timer ends with its engine.
public struct ScheduledTimer: Sendable {
    let shard: EngineShard.Reference
    let handle: TimerHandle
    /// The shard's epoch when the timer was scheduled.
    ///
    /// A shard serves several engines one after another; each of these engines has an epoch of its own.
    let epoch: UInt32
    let clock: ClockKind
    /// The address of the action's object, only for prefetching it together with the timer's record.
    ///
    /// The object may have been freed.
    let object: UInt64

    /// Cancels the timer and releases its action, from any thread or action.
    ///
    /// - Returns: True if the action has not started and therefore never starts, even if the deadline has passed and
    ///   the action waits for its executor. False if the action has started or finished, or the timer was already
    ///   cancelled.
    @discardableResult
    public func cancel() -> Bool {
        guard let removed = remove() else { return false }
        // The action is released outside the lock, because releasing what it captured may run any code.
        _ = removed.payload.intoAction()
        return true
    }

    /// Gives the timer a new deadline, `duration` from now on its clock, and a new tolerance, from any thread or
    /// action.
    ///
    /// It has the effect of cancelling and scheduling the same action again, in one step and without an allocation.
    ///
    /// - Parameters:
    ///   - duration: The time from now until the deadline; zero or less fires as soon as possible.
    ///   - tolerance: How much later than the deadline the timer may fire; negative values count as zero.
    /// - Returns: False, without an effect, if the action has started or finished, or the timer was cancelled.
    @discardableResult
    public func reset(after duration: Duration, tolerance: Duration = .zero) -> Bool {
        moved(after: duration, tolerance: tolerance)
    }
}

extension ScheduledTimer {
    /// Returns the timer's wheel if its engine still has the shard, whose lock the caller holds.
    @inline(__always)
    func wheel(in shard: borrowing EngineShard) -> UnsafeMutablePointer<TimerWheel>? {
        shard.epoch == epoch ? shard.wheel : nil
    }

    /// Removes the timer; returns nil if it has already been started or cancelled.
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

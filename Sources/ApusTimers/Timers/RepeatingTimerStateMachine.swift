import TimerWheel

/// Decides when a repeating timer waits and delivers, without a clock, lock or thread: each event is a method that
/// returns the next action.
///
/// The machine waits for a tick only while the consumer is free; after a delivery, the next event is `finished`. Each
/// wait has an `epoch`. A wake-up with an older epoch was overtaken by `pause` or `cancel`, and is ignored.
struct RepeatingTimerStateMachine: Sendable {
    /// When the next tick is due, unless the timer is cancelled.
    private enum Schedule {
        /// The next tick is due `remainder` nanoseconds after the next `resume`.
        ///
        /// The remainder is negative if the tick was overdue.
        case suspended(remainder: Int64)
        case running(due: UInt64)
        case cancelled
    }

    private var schedule: Schedule
    private var isDelivering = false
    /// Whether the next tick fell due while the consumer was busy.
    private var isLateByConsumer = false
    private var epoch: UInt64 = 0
    private var nextNumber = 1
    private var skipped = 0

    private let interval: UInt64
    private let clock: ClockKind
    private let policy: MissedTickPolicy

    enum WaitAction: Equatable {
        case none
        /// Wait until the clock reaches `due`, and then report `epoch`.
        case wait(due: UInt64, epoch: UInt64)
        case stopWaiting
    }

    init(interval: UInt64, clock: ClockKind, policy: MissedTickPolicy) {
        precondition(interval > 0, "the interval was validated")
        self.interval = interval
        self.clock = clock
        self.policy = policy
        schedule = .suspended(remainder: Int64(clamping: interval))
    }

    mutating func resume(now: UInt64) -> WaitAction {
        guard case .suspended(let remainder) = schedule else { return .none }
        let due = ContinuousInstant(nanoseconds: now).advanced(by: .nanoseconds(remainder)).nanoseconds
        schedule = .running(due: due)
        return isDelivering ? .none : wait(due)
    }

    mutating func pause(now: UInt64) -> WaitAction {
        guard case .running(let due) = schedule else { return .none }
        let remainder = ContinuousInstant(nanoseconds: now).duration(to: ContinuousInstant(nanoseconds: due))
        schedule = .suspended(remainder: remainder.wholeNanoseconds)
        return stopWaiting()
    }

    mutating func cancel() -> WaitAction {
        if case .cancelled = schedule { return .none }
        schedule = .cancelled
        return stopWaiting()
    }

    enum FireAction: Equatable {
        case ignore
        /// Wait again, because the clock was set back after the wake-up and is before `due`.
        case wait(due: UInt64, epoch: UInt64)
        case deliver(Tick)
    }

    /// Delivers a tick when the wait with this epoch has ended, or waits again if the tick is not due yet.
    mutating func fired(epoch: UInt64, now: UInt64) -> FireAction {
        guard epoch == self.epoch, case .running(let due) = schedule, !isDelivering else { return .ignore }
        guard now >= due else {
            self.epoch += 1
            return .wait(due: due, epoch: self.epoch)
        }
        isDelivering = true
        let overdue = (now - due) / interval
        let wasLateByConsumer = isLateByConsumer
        isLateByConsumer = false
        switch policy.kind {
        case .coalesce, .skip:
            return deliver(due: due + overdue * interval, passed: overdue, now: now, next: nil)
        case .burst:
            return deliver(due: due, passed: 0, now: now, next: nil)
        case .delay:
            let startsAnew = wasLateByConsumer || overdue > 0
            return deliver(due: due, passed: 0, now: now, next: startsAnew ? now.addingSaturating(interval) : nil)
        }
    }

    /// Returns the wait for the next tick, after the consumer has finished its work.
    mutating func finished(now: UInt64) -> WaitAction {
        precondition(isDelivering, "only a delivered tick can be finished")
        isDelivering = false
        guard case .running(var due) = schedule else { return .none }
        if due < now {
            switch policy.kind {
            case .skip:
                // This counts the due instants before now; a tick that is due exactly now is not missed.
                let passed = (now - due - 1) / interval + 1
                due = due.addingSaturating(passed.multipliedSaturating(by: interval))
                count(passed)
                schedule = .running(due: due)
            case .coalesce, .delay, .burst:
                isLateByConsumer = true
            }
        }
        return wait(due)
    }

    private mutating func deliver(due: UInt64, passed: UInt64, now: UInt64, next: UInt64?) -> FireAction {
        count(passed)
        let tick = Tick(
            number: nextNumber, due: ClockInstant(clock: clock, nanoseconds: due),
            actual: ClockInstant(clock: clock, nanoseconds: now), missedCount: skipped
        )
        nextNumber += 1
        skipped = 0
        schedule = .running(due: next ?? due.addingSaturating(interval))
        return .deliver(tick)
    }

    private mutating func count(_ passed: UInt64) {
        nextNumber += Int(clamping: passed)
        skipped += Int(clamping: passed)
    }

    private mutating func wait(_ due: UInt64) -> WaitAction {
        epoch += 1
        return .wait(due: due, epoch: epoch)
    }

    private mutating func stopWaiting() -> WaitAction {
        epoch += 1
        return isDelivering ? .none : .stopWaiting
    }
}

extension UInt64 {
    fileprivate func multipliedSaturating(by other: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}

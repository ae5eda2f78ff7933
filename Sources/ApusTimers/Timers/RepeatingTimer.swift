/// Calls a handler repeatedly at a fixed interval, without drift.
///
/// A new timer is suspended. ``resume()``, ``pause()`` and ``cancel()`` may be called from any thread, including from
/// the handler, in any order and any number of times; a call that does not apply in the timer's state has no effect.
/// Dropping the last reference cancels the timer. The handler never overlaps itself, and is never called under a lock.
///
/// Tick number n is due at start + n × interval, so the lateness of one tick never moves the next (except with
/// ``MissedTickPolicy/delay``). Time while the timer is suspended does not count: ``pause()`` keeps the rest of the
/// running interval. No handler is called while the machine sleeps; afterwards the policy decides about missed ticks.
///
/// If the handler's executor runs one piece of work at a time (the engine's thread, the main actor, a serial queue), no
/// tick starts after a call of ``pause()`` or ``cancel()`` on that executor. A call from elsewhere does not wait for
/// the executor, so one tick whose delivery had begun may start just after the call has returned. No other tick
/// follows.
public final class RepeatingTimer: Sendable {
    private let core: RepeatingTimerCore

    /// Creates a suspended timer.
    ///
    /// - Parameters:
    ///   - interval: The time between ticks, at least 1 ns.
    ///   - tolerance: How much later a tick may come, to share a wake-up: zero or more, less than the interval.
    ///   - missedTicks: What happens to ticks that fell due while the handler was running.
    ///   - clock: The clock that measures the interval.
    ///   - executor: Where the handler runs.
    ///   - engine: The engine that wakes the timer.
    ///   - handler: Called with each tick, and released when the timer is cancelled.
    /// - Throws: ``TimerError`` with `invalidInterval` or `invalidTolerance`.
    public init(
        every interval: Duration, tolerance: Duration = .zero, missedTicks: MissedTickPolicy = .coalesce,
        clock: ClockKind = .continuous, on executor: ActionExecutor = .engine, engine: TimerEngine = .shared,
        handler: @escaping @Sendable (Tick) -> Void
    ) throws(TimerError) {
        let (interval, _) = try TimerError.validated(every: interval, tolerance: tolerance)
        core = RepeatingTimerCore(
            machine: RepeatingTimerStateMachine(interval: interval, clock: clock, policy: missedTicks),
            tolerance: tolerance, clock: clock, executor: executor, engine: engine, handler: handler
        )
    }

    deinit { core.cancel() }

    /// Starts the timer, or resumes it with the rest of the interval; this has no effect if it is running or cancelled.
    public func resume() { core.resume() }

    /// Pauses the timer; this has no effect if it is suspended or cancelled.
    ///
    /// A tick that is being delivered is completed. The type's description states when such a tick may still start
    /// after this function has returned.
    public func pause() { core.pause() }

    /// Ends the timer for good and releases its handler.
    ///
    /// A tick that is being delivered is completed. The type's description states when such a tick may still start
    /// after this function has returned.
    public func cancel() { core.cancel() }
}

/// Holds the timer's state, and outlives the timer while its handler runs.
///
/// The core is itself the action of its engine timers, with the epoch as the token, so that a tick allocates nothing.
///
/// For `@unchecked Sendable`, which subclasses must repeat: all mutable values are in `state`, protected by its lock.
private final class RepeatingTimerCore: TimerHandler, @unchecked Sendable {
    /// The handler's closure, in a struct because each passage through the lock's generic code would wrap a bare
    /// closure in another one.
    private struct Handler {
        let body: @Sendable (Tick) -> Void
    }

    private struct State {
        var machine: RepeatingTimerStateMachine
        var handler: Handler?
        var timer: ScheduledTimer?
    }

    private let state: Locked<State>
    private let tolerance: Duration
    private let clock: ClockKind
    private let engine: TimerEngine

    init(
        machine: RepeatingTimerStateMachine, tolerance: Duration, clock: ClockKind, executor: ActionExecutor,
        engine: TimerEngine, handler: @escaping @Sendable (Tick) -> Void
    ) {
        state = Locked(State(machine: machine, handler: Handler(body: handler), timer: nil))
        self.tolerance = tolerance
        self.clock = clock
        self.engine = engine
        super.init(overridden: executor)
    }

    func resume() {
        state.withLock { state in perform(state.machine.resume(now: now), &state) }
    }

    func pause() {
        state.withLock { state in perform(state.machine.pause(now: now), &state) }
    }

    func cancel() {
        let handler = state.withLock { state in
            perform(state.machine.cancel(), &state)
            return state.handler.take()
        }
        // The handler is released outside the lock, because releasing what it captured may run any code.
        withExtendedLifetime(handler) {}
    }

    private var now: UInt64 { engine.time.nanoseconds(on: clock) }

    /// Performs an action under the lock, so that a `pause` cannot overtake an earlier `resume`.
    ///
    /// Holding the lock is safe, because the engine calls no user code in `insert` and `cancel`.
    private func perform(_ action: RepeatingTimerStateMachine.WaitAction, _ state: inout State) {
        switch action {
        case .none: break
        case .wait(let due, let epoch): state.timer = wait(due, epoch)
        case .stopWaiting: state.timer.take()?.cancel()
        }
    }

    private func wait(_ due: UInt64, _ epoch: UInt64) -> ScheduledTimer {
        engine.core.insert(.handler(self, token: epoch), clock: clock, deadline: due, tolerance: tolerance)
    }

    override func fired(_ epoch: UInt64) {
        let delivery = state.withLock { state -> (Tick, Handler)? in
            switch state.machine.fired(epoch: epoch, now: now) {
            case .ignore:
                return nil
            case .wait(let due, let epoch):
                state.timer = wait(due, epoch)
                return nil
            case .deliver(let tick):
                guard let handler = state.handler else { preconditionFailure("only a cancelled timer has no handler") }
                return (tick, handler)
            }
        }
        guard let (tick, handler) = delivery else { return }
        handler.body(tick)
        state.withLock { state in perform(state.machine.finished(now: now), &state) }
    }
}

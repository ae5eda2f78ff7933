import Synchronization
import TimerWheel

/// Runs actions at given instants: any number of timers in memory, on three clocks, with one thread.
///
/// - A timer never fires before its deadline. While the process runs, it fires by deadline + tolerance, plus the time
///   that the operating system needs to wake a thread. Tolerance lets timers share a wake-up: the engine sleeps until
///   the earliest deadline + tolerance and then fires every timer whose deadline has passed, which is the minimum
///   number of wake-ups.
/// - Timers on one clock start in the order of their deadlines. Timers with equal deadlines start in the order of
///   scheduling, if the same thread scheduled them. A deadline that has passed when its timer is scheduled counts as
///   the present instant; while the engine runs due timers, such a timer waits until they have all run, so it never
///   delays a timer that was already due.
/// - While no timer is due, the engine does not wake. There is one exception: after more than 64 cancellations of the
///   earliest timer since the last wake-up, the engine may wake once in vain.
/// - Each action runs on the executor that was passed for it, never under a lock, so it may schedule and cancel timers.
///   The engine's thread blocks signals, so that they are delivered to the threads that wait for signals. A thread or a
///   program that an action starts inherits the signal mask, unless it is given another one (pthread_sigmask(3),
///   `POSIX_SPAWN_SETSIGMASK`).
/// - No timer fires while the machine sleeps. Afterwards, deadlines on ``ClockKind/continuous`` and ``ClockKind/wall``
///   that passed meanwhile fire immediately; those on ``ClockKind/uptime`` still have their remaining time.
/// - When the wall clock is set, the engine re-evaluates deadlines on ``ClockKind/wall``.
///
/// An engine has no thread in a forked child that executes no other program (fork(2)): timers of an engine from before
/// the fork never fire there. Scheduling, cancelling and stopping in the child do not affect the parent, but a lock
/// that another thread held at the fork is never released. An engine that the child creates works.
///
/// Dropping the last reference ends an engine like ``stop()``, but does not wait for a running action, so the caller
/// may hold a lock that the action needs.
///
/// Use ``shared`` unless you need an engine that you can stop.
public final class TimerEngine: Sendable {
    /// The process's engine on the machine's clocks, which lives as long as the process.
    public static let shared = TimerEngine()

    /// The clocks that this engine uses.
    public var time: any TimeSource { core.time }

    /// The engine without its public interface.
    ///
    /// The engine's thread, and actions that wait for other executors, retain the core. So no code needs a weak
    /// reference to the engine, which would make every other reference slow.
    let core: EngineCore

    private let lastNumber = Atomic<UInt64>(0)

    /// Creates an engine that reads `time` and is woken by `wakeup`, which it owns from now on.
    ///
    /// Timers with equal deadlines start in the order of scheduling, even if different threads scheduled them.
    public convenience init(time: any TimeSource, wakeup: any Wakeup) {
        self.init(time: time, wakeup: wakeup, groups: 1)
    }

    /// Creates an engine with its own thread on the machine's clocks.
    public convenience init() {
        self.init(time: SystemTime(), wakeup: SystemWakeup(), groups: EngineShards.groupsPerEngine)
    }

    /// Creates an engine whose timers are spread over `groups` groups of shards; `groups` must be a power of two.
    package init(time: any TimeSource, wakeup: any Wakeup, groups: Int) {
        core = EngineCore(time: time, wakeup: wakeup, groups: groups)
        core.start()
    }

    deinit { core.end() }

    /// Returns the next number, from 1 upwards, for objects that are numbered on this engine; may be called from any
    /// thread.
    package func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Schedules an action `duration` from now on one of the clocks, from any thread.
    ///
    /// - Parameters:
    ///   - duration: The time from now until the deadline, to the nanosecond; it saturates at 292 years, and zero or
    ///     less fires as soon as possible.
    ///   - tolerance: How much later than the deadline the action may run, to share a wake-up; negative values count as
    ///     zero.
    ///   - clock: The clock that measures the duration.
    ///   - executor: Where the action runs.
    ///   - action: Runs at most once, and is released after it has run or was cancelled.
    /// - Returns: The value that cancels or resets the timer. After ``stop()``, the timer never fires.
    @discardableResult
    public func schedule(
        after duration: Duration, tolerance: Duration = .zero, clock: ClockKind = .continuous,
        on executor: ActionExecutor = .engine, _ action: consuming @escaping @Sendable () -> Void
    ) -> ScheduledTimer {
        core.insert(
            .action(action, on: executor), clock: clock, deadline: core.deadline(after: duration, on: clock),
            tolerance: tolerance
        )
    }

    /// Schedules an action at an instant on the clock that the instant's type names.
    ///
    /// If the instant has passed, the action runs as soon as possible. The parameters are those of
    /// ``schedule(after:tolerance:clock:on:_:)``.
    @discardableResult
    public func schedule<Instant: NanosecondInstant>(
        at instant: Instant, tolerance: Duration = .zero, on executor: ActionExecutor = .engine,
        _ action: consuming @escaping @Sendable () -> Void
    ) -> ScheduledTimer {
        core.insert(
            .action(action, on: executor), clock: Instant.clock, deadline: instant.nanoseconds, tolerance: tolerance
        )
    }

    /// Schedules a shared action `duration` from now, like ``schedule(after:tolerance:clock:on:_:)`` but without an
    /// allocation.
    ///
    /// - Parameters:
    ///   - duration: The time from now until the deadline, to the nanosecond; it saturates at 292 years, and zero or
    ///     less fires as soon as possible.
    ///   - tolerance: How much later than the deadline the action may run, to share a wake-up; negative values count as
    ///     zero.
    ///   - clock: The clock that measures the duration.
    ///   - handler: The action and its executor.
    ///   - token: The action's argument.
    /// - Returns: The value that cancels or resets the timer. After ``stop()``, the timer never fires.
    @discardableResult
    public func schedule(
        after duration: Duration, tolerance: Duration = .zero, clock: ClockKind = .continuous, handler: TimerHandler,
        token: UInt64
    ) -> ScheduledTimer {
        core.insert(
            .handler(handler, token: token), clock: clock, deadline: core.deadline(after: duration, on: clock),
            tolerance: tolerance
        )
    }

    /// Schedules a shared action at an instant on the clock that the instant's type names.
    ///
    /// If the instant has passed, the action runs as soon as possible. The parameters are those of
    /// ``schedule(after:tolerance:clock:handler:token:)``.
    @discardableResult
    public func schedule<Instant: NanosecondInstant>(
        at instant: Instant, tolerance: Duration = .zero, handler: TimerHandler, token: UInt64
    ) -> ScheduledTimer {
        core.insert(
            .handler(handler, token: token), clock: Instant.clock, deadline: instant.nanoseconds, tolerance: tolerance
        )
    }

    /// Calls `handler` each time the wall clock is set, until the returned token is cancelled or its last reference is
    /// dropped.
    ///
    /// Observing causes no wake-ups of its own, because the kernel reports the change. One call of `handler` may stand
    /// for several changes in quick succession. Timers on the wall clock need no observation; the engine re-evaluates
    /// them itself. An observation does not keep the engine alive.
    public func observeWallClock(
        on executor: ActionExecutor = .engine, _ handler: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        let identifier = core.addObserver(on: executor, handler)
        return ObservationToken { [core] in core.removeObserver(identifier) }
    }

    /// How many timers have neither started nor been cancelled; a running repeating timer and a sleep count as one
    /// each.
    public var liveTimerCount: Int { core.shards.liveTimerCount }

    /// Ends the engine: it releases pending actions without running them, resumes sleeping tasks with
    /// `CancellationError`, and ends the thread.
    ///
    /// It waits for an action that is running on the engine's thread, unless that action is the caller. Therefore, do
    /// not hold a lock that an action needs. Timers that are scheduled later never fire. It may be called any number of
    /// times, from any thread; each call waits.
    public func stop() { core.stop() }
}

// MARK: For the rest of the module

extension TimerEngine {
    /// Counts the engine's work, for tests and benchmarks.
    package struct Statistics: Sendable, Hashable {
        /// How many wake-ups the engine has handled.
        package var wakeUps = 0
        /// How many actions were started.
        package var fires = 0
        /// How many times a kernel timer was armed or disarmed.
        package var rearms = 0
    }

    package var statistics: Statistics { core.statistics }

    /// How many actions were started on the engine's thread.
    package var fireCount: Int { core.driver.fires }
}

import Synchronization
import TimerWheel

/// Runs actions at instants: timers in memory, any number of them, on three clocks, with one thread.
///
/// - A timer never fires before its deadline, and while the process runs it fires by deadline + tolerance, plus what
///   the operating system needs to wake a thread. Tolerance lets timers share a wake-up: the engine sleeps until the
///   earliest deadline + tolerance and then fires everything whose deadline has come, which is the minimum number of
///   wake-ups.
/// - Timers of one clock start in the order of their deadlines; equal deadlines in the order of scheduling, if one
///   thread scheduled them. A deadline that has passed when its timer is scheduled is due there and then; while the
///   engine runs what is due, such a timer waits until that is done, so it never delays a timer that was due before.
/// - While nothing is due, the engine does not wake at all. Only after more than 64 cancellations of the earliest timer
///   without a wake-up in between it may wake once for nothing.
/// - Actions run where the caller said, never under a lock, so they may schedule and cancel as they like. The engine's
///   thread blocks signals, so that they reach the threads that wait for them: a program that an action starts inherits
///   that, unless the call that starts it sets the mask (`POSIX_SPAWN_SETSIGMASK`).
/// - While the machine sleeps nothing fires; afterwards, deadlines on ``ClockKind/continuous`` and ``ClockKind/wall``
///   that passed meanwhile fire at once, and those on ``ClockKind/uptime`` have the remaining time left.
/// - When the wall clock is set, deadlines on ``ClockKind/wall`` are looked at again.
///
/// In a child of fork(2) that executes no other program, an engine from before the fork has no thread: its timers never
/// fire there. Scheduling, cancelling and stopping there do not affect the parent, but a lock that another thread held when
/// the process was forked is held for ever. An engine that the child makes works.
///
/// Dropping the last reference ends an engine like ``stop()``, but waits for no action, so it may happen under a lock that
/// the running action wants.
///
/// Use ``shared`` unless you need one that you can shut down.
public final class TimerEngine: Sendable {
    /// The engine of the process, on the machine's clocks. It lives as long as the process.
    public static let shared = TimerEngine()

    /// The clocks that this engine goes by.
    public var time: any TimeSource { core.time }

    /// Everything but the face. The engine's thread and the actions on their way to other executors keep it, so that
    /// no code needs a weak reference to the engine: those make every other reference slow.
    let core: EngineCore

    private let lastNumber = Atomic<UInt64>(0)

    /// An engine that goes by `time` and is woken by `wakeup`, which it owns from now on.
    ///
    /// Timers with equal deadlines start in the order of scheduling, whatever threads scheduled them.
    public convenience init(time: any TimeSource, wakeup: any Wakeup) {
        self.init(time: time, wakeup: wakeup, groups: 1)
    }

    /// An engine of its own, with its own thread, on the machine's clocks.
    public convenience init() {
        self.init(time: SystemTime(), wakeup: SystemWakeup(), groups: EngineShards.groupsPerEngine)
    }

    /// An engine whose timers are spread over `groups` of shards, a power of two.
    package init(time: any TimeSource, wakeup: any Wakeup, groups: Int) {
        core = EngineCore(time: time, wakeup: wakeup, groups: groups)
        core.start()
    }

    deinit { core.end() }

    /// Counts from 1, for callers that number objects on this engine. From any thread.
    package func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Schedules an action `duration` from now (at once when zero or negative) on one of the clocks.
    ///
    /// - Parameters:
    ///   - duration: How long from now, to the nanosecond; saturates at 292 years.
    ///   - tolerance: How much later than the deadline it may fire, to share a wake-up; negative counts as zero.
    ///   - clock: The clock that the time runs on.
    ///   - executor: Where the action runs.
    ///   - action: Runs at most once, and is released when it ran or was cancelled.
    /// - Returns: The value to cancel it with. After ``stop()``, a timer that never fires.
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

    /// Schedules an action at an instant of the clock that the instant's type names; at once when it has passed.
    ///
    /// The parameters are those of ``schedule(after:tolerance:clock:on:_:)``.
    @discardableResult
    public func schedule<Instant: NanosecondInstant>(
        at instant: Instant, tolerance: Duration = .zero, on executor: ActionExecutor = .engine,
        _ action: consuming @escaping @Sendable () -> Void
    ) -> ScheduledTimer {
        core.insert(
            .action(action, on: executor), clock: Instant.clock, deadline: instant.nanoseconds, tolerance: tolerance
        )
    }

    /// Schedules a shared action `duration` from now: like ``schedule(after:tolerance:clock:on:_:)``, but without an
    /// allocation.
    ///
    /// - Parameters:
    ///   - duration: How long from now, to the nanosecond; saturates at 292 years.
    ///   - tolerance: How much later than the deadline it may fire, to share a wake-up; negative counts as zero.
    ///   - clock: The clock that the time runs on.
    ///   - handler: The action, with where it runs.
    ///   - token: What the action is called with.
    /// - Returns: The value to cancel it with. After ``stop()``, a timer that never fires.
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

    /// Schedules a shared action at an instant of the clock that the instant's type names; at once when it has passed.
    ///
    /// The parameters are those of ``schedule(after:tolerance:clock:handler:token:)``.
    @discardableResult
    public func schedule<Instant: NanosecondInstant>(
        at instant: Instant, tolerance: Duration = .zero, handler: TimerHandler, token: UInt64
    ) -> ScheduledTimer {
        core.insert(
            .handler(handler, token: token), clock: Instant.clock, deadline: instant.nanoseconds, tolerance: tolerance
        )
    }

    /// Calls `handler` after every noticed setting of the wall clock, until the observation is cancelled or its last
    /// reference is dropped. It does not keep the engine.
    ///
    /// It causes no wake-ups: the kernel reports the setting. Setting the clock several times in a row may be reported
    /// once. Timers on the wall clock need no observation; the engine re-evaluates them itself.
    public func observeWallClock(
        on executor: ActionExecutor = .engine, _ handler: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        let identifier = core.addObserver(on: executor, handler)
        return ObservationToken { [core] in core.removeObserver(identifier) }
    }

    /// Timers that have neither started nor been cancelled; a repeating timer that runs and a sleep count as one each.
    public var liveTimerCount: Int { core.shards.liveTimerCount }

    /// Ends the engine: pending actions are released without running, sleeping tasks resume with `CancellationError`,
    /// and the thread ends. An action that is running on the engine's thread is waited for, unless it is the caller: do
    /// not hold a lock that an action wants.
    ///
    /// Everything scheduled later never fires. May be called any number of times, from any thread; each call waits.
    public func stop() { core.stop() }
}

// MARK: For the rest of the module

extension TimerEngine {
    /// What the engine has done, for tests and benchmarks.
    package struct Statistics: Sendable, Hashable {
        /// How often the wakeup called.
        package var wakeUps = 0
        /// How many actions were started.
        package var fires = 0
        /// How often the kernel's timer was armed or disarmed.
        package var rearms = 0
    }

    package var statistics: Statistics { core.statistics }

    /// How many actions were started on the engine's thread.
    package var fireCount: Int { core.driver.fires }
}

import TimerWheel

/// Runs actions at instants: timers in memory, any number of them, on three clocks, with one thread.
///
/// - A timer never fires before its deadline, and while the process runs it fires by deadline + tolerance, plus what
///   the operating system needs to wake a thread. Tolerance lets timers share a wake-up: the engine sleeps until the
///   earliest deadline + tolerance and then fires everything whose deadline has come, which is the minimum number of
///   wake-ups.
/// - Timers of one clock start in the order of (deadline, order of scheduling).
/// - While nothing is due, the engine does not wake at all.
/// - Actions run where the caller said, never under a lock, so they may schedule and cancel as they like.
/// - While the machine sleeps nothing fires; afterwards, deadlines on ``ClockKind/continuous`` and ``ClockKind/wall``
///   that passed meanwhile fire at once, and those on ``ClockKind/uptime`` have the remaining time left.
/// - When somebody sets the wall clock, deadlines on ``ClockKind/wall`` are looked at again.
///
/// Use ``shared`` unless you need one that you can shut down.
public final class TimerEngine: Sendable {
    /// The engine of the process, on the machine's clocks. It lives as long as the process.
    public static let shared = TimerEngine()

    /// The clocks that this engine goes by.
    public let time: any TimeSource

    private let wakeup: any Wakeup
    private let state: Locked<EngineState>

    /// An engine that goes by `time` and is woken by `wakeup`, which it owns from now on.
    public init(time: any TimeSource, wakeup: any Wakeup) {
        self.time = time
        self.wakeup = wakeup
        state = Locked(EngineState(time: time))
        wakeup.start { [weak self] reason in self?.wake(reason) }
    }

    /// An engine of its own, with its own thread, on the machine's clocks.
    public convenience init() {
        self.init(time: SystemTime(), wakeup: SystemWakeup())
    }

    deinit { shutdown() }

    /// Schedules an action `duration` from now (at once when zero or negative) on one of the clocks.
    ///
    /// - Parameters:
    ///   - duration: How long from now, to the nanosecond; saturates at 292 years.
    ///   - tolerance: How much later than the deadline it may fire, to share a wake-up; negative counts as zero.
    ///   - clock: The clock that the time runs on.
    ///   - executor: Where the action runs.
    ///   - action: Runs at most once, and is released when it ran or was cancelled.
    /// - Returns: The value to cancel it with. After ``shutdown()``, a timer that never fires.
    @discardableResult
    public func schedule(
        after duration: Duration, tolerance: Duration = .zero, clock: ClockKind = .continuous,
        on executor: ActionExecutor = .engine, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledTimer {
        let now = ContinuousInstant(nanoseconds: time.nanoseconds(on: clock))
        return insert(
            TimerEntry(executor: executor, action: action), clock: clock,
            deadline: now.advanced(by: max(.zero, duration)).nanoseconds, tolerance: tolerance
        )
    }

    /// Schedules an action at an instant of the clock that the instant's type names; at once when it has passed.
    ///
    /// The parameters are those of ``schedule(after:tolerance:clock:on:_:)``.
    @discardableResult
    public func schedule<Instant: NanosecondInstant>(
        at instant: Instant, tolerance: Duration = .zero, on executor: ActionExecutor = .engine,
        _ action: @escaping @Sendable () -> Void
    ) -> ScheduledTimer {
        insert(
            TimerEntry(executor: executor, action: action), clock: Instant.clock, deadline: instant.nanoseconds,
            tolerance: tolerance
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
    ///   - token: What the action is told.
    /// - Returns: The value to cancel it with. After ``shutdown()``, a timer that never fires.
    @discardableResult
    public func schedule(
        after duration: Duration, tolerance: Duration = .zero, clock: ClockKind = .continuous, handler: TimerHandler,
        token: UInt64
    ) -> ScheduledTimer {
        let now = ContinuousInstant(nanoseconds: time.nanoseconds(on: clock))
        return insert(
            TimerEntry(executor: handler.executor, action: { handler.body(token) }), clock: clock,
            deadline: now.advanced(by: max(.zero, duration)).nanoseconds, tolerance: tolerance
        )
    }

    /// Schedules a shared action at an instant of the clock that the instant's type names; at once when it has passed.
    ///
    /// The parameters are those of ``schedule(after:tolerance:clock:handler:token:)``.
    @discardableResult
    public func schedule<Instant: NanosecondInstant>(
        at instant: Instant, tolerance: Duration = .zero, handler: TimerHandler, token: UInt64
    ) -> ScheduledTimer {
        insert(
            TimerEntry(executor: handler.executor, action: { handler.body(token) }), clock: Instant.clock,
            deadline: instant.nanoseconds, tolerance: tolerance
        )
    }

    /// Calls `handler` after every noticed setting of the wall clock, until the observation is cancelled.
    ///
    /// It causes no wake-ups: the kernel reports the setting. Setting the clock several times in a row may be reported
    /// once. Timers on the wall clock need no observation; the engine re-evaluates them itself.
    public func onWallClockChange(
        on executor: ActionExecutor = .engine, _ handler: @escaping @Sendable () -> Void
    ) -> WallClockObservation {
        let identifier = state.withLock { state in
            let identifier = state.nextObserver
            state.nextObserver += 1
            guard !state.isShutDown else { return identifier }
            state.observers[identifier] = EngineState.Observer(executor: executor, handler: handler)
            if !state.isDraining { state.rearm(.wall, wakeup) }
            return identifier
        }
        return WallClockObservation(engine: self, identifier: identifier)
    }

    /// Timers that have neither started nor been cancelled; a repeating timer that runs and a sleep count as one each.
    public var liveTimers: Int { state.withLock { $0.liveTimers } }

    /// Ends the engine: pending actions are released without running, sleeping tasks resume with `CancellationError`,
    /// and the thread ends. An action that is running on the engine's thread is waited for, unless it is the caller.
    ///
    /// Everything scheduled later never fires. May be called any number of times, from any thread.
    public func shutdown() {
        var entries: [TimerEntry] = []
        var observers: [UInt64: EngineState.Observer] = [:]
        let isFirst = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.isShutDown = true
            state.removeAll { entries.append($0) }
            observers = state.observers
            state.observers = [:]
            return true
        }
        guard isFirst else { return }
        wakeup.stop()
        for entry in entries { entry.abandon?() }
        // The handlers are released here, outside the lock.
        observers.removeAll()
    }

    // MARK: For the rest of the module

    /// What the engine has done, for tests and benchmarks.
    package struct Statistics: Sendable, Hashable {
        /// How often the wakeup called.
        package var wakeUps = 0
        /// How many actions were started.
        package var fires = 0
        /// How often the kernel's timer was armed or disarmed.
        package var rearms = 0
    }

    package var statistics: Statistics { state.withLock { $0.statistics } }

    func insert(_ entry: TimerEntry, clock: ClockKind, deadline: UInt64, tolerance: Duration) -> ScheduledTimer {
        let tolerance = UInt64(max(0, tolerance.wholeNanoseconds))
        let handle = state.withLock { state -> TimerHandle? in
            if state.isShutDown { return nil }
            return state.insert(entry, clock: clock, deadline: deadline, tolerance: tolerance, wakeup: wakeup)
        }
        if handle == nil { entry.abandon?() }
        return ScheduledTimer(engine: self, clock: clock, handle: handle ?? .none)
    }

    func cancel(_ clock: ClockKind, _ handle: TimerHandle) -> Bool {
        // The entry is released after the lock: its closure's captures may do anything when they go.
        let entry = state.withLock { $0.remove(clock, handle, wakeup: wakeup) }
        return entry != nil
    }

    func reset(_ timer: ScheduledTimer, after duration: Duration, tolerance: Duration) -> Bool {
        let now = ContinuousInstant(nanoseconds: time.nanoseconds(on: timer.clock))
        let deadline = now.advanced(by: max(.zero, duration)).nanoseconds
        let tolerance = UInt64(max(0, tolerance.wholeNanoseconds))
        return state.withLock { state in
            guard state.withWheel(timer.clock, { $0.reset(timer.handle, deadline: deadline, tolerance: tolerance) })
            else { return false }
            if !state.isDraining { state.rearm(timer.clock, wakeup) }
            return true
        }
    }

    func removeObserver(_ identifier: UInt64) {
        let observer = state.withLock { state in
            let observer = state.observers.removeValue(forKey: identifier)
            if observer != nil, !state.isDraining { state.rearm(.wall, wakeup) }
            return observer
        }
        withExtendedLifetime(observer) {}
    }

    // MARK: Firing

    private func wake(_ reason: WakeReason) {
        let observers = state.withLock { state -> [EngineState.Observer] in
            guard !state.isShutDown else { return [] }
            state.isDraining = true
            state.statistics.wakeUps += 1
            guard reason == .wallClockChanged else { return [] }
            state.forgetWallArming()
            return state.observers.sorted { $0.key < $1.key }.map(\.value)
        }
        for observer in observers { observer.executor.run(observer.handler) }
        drain()
    }

    private func drain() {
        while true {
            let batch = state.withLock { state -> [EngineState.Due] in
                guard !state.isShutDown else { return [] }
                let batch = state.takeDue(at: time)
                if batch.isEmpty {
                    // Nothing is due at this instant, and from here on whoever inserts arms.
                    state.isDraining = false
                    state.rearmAll(wakeup)
                }
                return batch
            }
            if batch.isEmpty { return }
            for due in batch { start(due) }
        }
    }

    private func start(_ due: EngineState.Due) {
        if due.executor.isImmediate {
            fire(due)
        } else {
            // The timer is claimed when its action starts, so it can be cancelled while it waits for its executor.
            due.executor.run { [self] in fire(due) }
        }
    }

    private func fire(_ due: EngineState.Due) {
        let entry = state.withLock { state in
            let entry = state.remove(due.clock, due.handle, wakeup: wakeup)
            if entry != nil { state.statistics.fires += 1 }
            return entry
        }
        entry?.action()
    }
}

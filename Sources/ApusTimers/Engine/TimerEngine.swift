import Synchronization
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
    private let isOnSystemTime: Bool
    let shards: EngineShards
    let arming: KernelArming
    let driver: EngineDriver
    let observers = Locked(Observers())
    let isShutDown = Atomic(false)
    let wakeUps = Atomic(0)
    let fires = Atomic(0)

    /// An engine that goes by `time` and is woken by `wakeup`, which it owns from now on.
    ///
    /// Timers with equal deadlines start in the order of scheduling, whatever threads scheduled them.
    public convenience init(time: any TimeSource, wakeup: any Wakeup) {
        self.init(time: time, wakeup: wakeup, shards: 1)
    }

    /// An engine of its own, with its own thread, on the machine's clocks.
    public convenience init() {
        self.init(time: SystemTime(), wakeup: SystemWakeup(), shards: Self.shardsPerEngine)
    }

    /// An engine whose timers are spread over `shards`, a power of two.
    package init(time: any TimeSource, wakeup: any Wakeup, shards: Int) {
        self.time = time
        self.wakeup = wakeup
        isOnSystemTime = time is SystemTime
        self.shards = EngineShards(count: shards)
        arming = KernelArming(wakeup: wakeup)
        driver = EngineDriver(shards: shards)
        wakeup.start { [weak self] reason in self?.wake(reason) }
    }

    /// One for each processor, up to 16.
    private static var shardsPerEngine: Int {
        var shards = 1
        while shards < min(16, ProcessorCount.active) { shards *= 2 }
        return shards
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
        insert(
            .action(action, on: executor), clock: clock, deadline: deadline(after: duration, on: clock),
            tolerance: tolerance
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
    ///   - token: What the action is told.
    /// - Returns: The value to cancel it with. After ``shutdown()``, a timer that never fires.
    @discardableResult
    public func schedule(
        after duration: Duration, tolerance: Duration = .zero, clock: ClockKind = .continuous, handler: TimerHandler,
        token: UInt64
    ) -> ScheduledTimer {
        insert(
            .handler(handler, token: token), clock: clock, deadline: deadline(after: duration, on: clock),
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
        insert(
            .handler(handler, token: token), clock: Instant.clock, deadline: instant.nanoseconds, tolerance: tolerance
        )
    }

    /// Calls `handler` after every noticed setting of the wall clock, until the observation is cancelled.
    ///
    /// It causes no wake-ups: the kernel reports the setting. Setting the clock several times in a row may be reported
    /// once. Timers on the wall clock need no observation; the engine re-evaluates them itself.
    public func onWallClockChange(
        on executor: ActionExecutor = .engine, _ handler: @escaping @Sendable () -> Void
    ) -> WallClockObservation {
        let identifier = observers.withLock { observers in
            let identifier = observers.next
            observers.next += 1
            if !isShutDown.load(ordering: .acquiring) {
                observers.handlers[identifier] = Observers.Observer(executor: executor, handler: handler)
                arming.setHasObservers(true)
            }
            return identifier
        }
        return WallClockObservation(engine: self, identifier: identifier)
    }

    /// Timers that have neither started nor been cancelled; a repeating timer that runs and a sleep count as one each.
    public var liveTimers: Int { shards.liveTimers }

    /// Ends the engine: pending actions are released without running, sleeping tasks resume with `CancellationError`,
    /// and the thread ends. An action that is running on the engine's thread is waited for, unless it is the caller.
    ///
    /// Everything scheduled later never fires. May be called any number of times, from any thread.
    public func shutdown() {
        guard !isShutDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var pending: [TimerPayload] = []
        for index in 0..<shards.count {
            shards.withShard(index) { shard in
                shard.isClosed = true
                for clock in ClockKind.allCases {
                    shard.wheel(clock)?.pointee.removeAll { pending.append($0) }
                }
            }
        }
        let observers = observers.withLock { observers in
            let handlers = observers.handlers
            observers.handlers = [:]
            return handlers
        }
        wakeup.stop()
        for payload in pending { payload.intoAction().abandon() }
        // The handlers are released here, outside the lock.
        withExtendedLifetime(observers) {}
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

    package var statistics: Statistics {
        Statistics(
            wakeUps: wakeUps.load(ordering: .relaxed), fires: fires.load(ordering: .relaxed), rearms: arming.rearms
        )
    }

    /// Who wants to know that the wall clock was set.
    struct Observers {
        struct Observer {
            let executor: ActionExecutor
            let handler: @Sendable () -> Void
        }

        var handlers: [UInt64: Observer] = [:]
        var next: UInt64 = 0
    }

    /// Like `time.nanoseconds(on:)`, without asking who `time` is.
    @inline(__always)
    func nanoseconds(on clock: ClockKind) -> UInt64 {
        isOnSystemTime ? SystemTime().nanoseconds(on: clock) : time.nanoseconds(on: clock)
    }

    @inline(__always)
    func deadline(after duration: Duration, on clock: ClockKind) -> UInt64 {
        let (sum, overflow) = nanoseconds(on: clock).addingReportingOverflow(UInt64(max(0, duration.wholeNanoseconds)))
        return overflow ? .max : sum
    }

    @inline(__always)
    private static func nanoseconds(_ tolerance: Duration) -> UInt64 {
        tolerance == .zero ? 0 : UInt64(max(0, tolerance.wholeNanoseconds))
    }

    @inline(__always)
    func insert(
        _ payload: TimerPayload, clock: ClockKind, deadline: UInt64, tolerance: Duration
    ) -> ScheduledTimer {
        let tolerance = Self.nanoseconds(tolerance)
        let index = shards.own
        let handle = shards.withShard(Int(index)) { shard -> TimerHandle in
            guard !shard.isClosed else { return .none }
            let wheel = shard.wheel(clock, from: nanoseconds(on: clock))
            let handle = wheel.pointee.insert(deadline: deadline, tolerance: tolerance, payload: payload)
            arming.lower(clock, to: Self.hard(deadline, tolerance))
            return handle
        }
        if handle == .none { payload.intoAction().abandon() }
        return ScheduledTimer(engine: self, handle: handle, clock: clock, shard: index)
    }

    /// A timer that has no deadline yet; nil after the engine's end.
    func reserve(_ clock: ClockKind) -> ScheduledTimer? {
        let index = shards.own
        let handle = shards.withShard(Int(index)) { shard in
            shard.isClosed ? nil : shard.wheel(clock, from: nanoseconds(on: clock)).pointee.reserve()
        }
        return handle.map { ScheduledTimer(engine: self, handle: $0, clock: clock, shard: index) }
    }

    /// Gives a reserved timer its deadline. False when it was cancelled; then the payload was not taken.
    func activate(_ timer: ScheduledTimer, deadline: UInt64, tolerance: Duration, _ payload: TimerPayload) -> Bool {
        let tolerance = Self.nanoseconds(tolerance)
        return shards.withShard(Int(timer.shard)) { shard in
            guard let wheel = shard.wheel(timer.clock),
                wheel.pointee.activate(timer.handle, deadline: deadline, tolerance: tolerance, payload: payload)
            else { return false }
            arming.lower(timer.clock, to: Self.hard(deadline, tolerance))
            return true
        }
    }

    /// Takes a timer out: its action, unless it has started or was cancelled before.
    @inline(__always)
    func remove(_ timer: ScheduledTimer) -> RemovedTimer? {
        let (removed, wasEarliest) = shards.withShard(Int(timer.shard)) { shard -> (RemovedTimer?, Bool) in
            guard let removed = shard.wheel(timer.clock)?.pointee.remove(timer.handle) else { return (nil, false) }
            return (removed, removed.wasWaiting && arming.isArmed(timer.clock, for: removed.hardDeadline))
        }
        if let removed, wasEarliest { searchEarliest(timer.clock, insteadOf: removed.hardDeadline) }
        return removed
    }

    func reset(_ timer: ScheduledTimer, after duration: Duration, tolerance: Duration) -> Bool {
        let deadline = deadline(after: duration, on: timer.clock)
        let tolerance = Self.nanoseconds(tolerance)
        let (isReset, former) = shards.withShard(Int(timer.shard)) { shard -> (Bool, UInt64?) in
            guard let wheel = shard.wheel(timer.clock) else { return (false, nil) }
            let former = wheel.pointee.hardDeadline(timer.handle)
            guard wheel.pointee.reset(timer.handle, deadline: deadline, tolerance: tolerance) else {
                return (false, nil)
            }
            arming.lower(timer.clock, to: Self.hard(deadline, tolerance))
            return (true, former.flatMap { arming.isArmed(timer.clock, for: $0) ? $0 : nil })
        }
        if let former { searchEarliest(timer.clock, insteadOf: former) }
        return isReset
    }

    /// After the timer for which the kernel is armed went away.
    @inline(never)
    private func searchEarliest(_ clock: ClockKind, insteadOf hard: UInt64) {
        guard arming.beginSearch(clock, insteadOf: hard) else { return }
        arming.settle(clock, earliest: shards.earliest(clock))
    }

    func removeObserver(_ identifier: UInt64) {
        let observer = observers.withLock { observers in
            let observer = observers.handlers.removeValue(forKey: identifier)
            if observer != nil, observers.handlers.isEmpty { arming.setHasObservers(false) }
            return observer
        }
        withExtendedLifetime(observer) {}
    }

    @inline(__always)
    private static func hard(_ deadline: UInt64, _ tolerance: UInt64) -> UInt64 {
        let (sum, overflow) = deadline.addingReportingOverflow(min(tolerance, TimerWheel.longestTolerance))
        return overflow ? .max : sum
    }
}

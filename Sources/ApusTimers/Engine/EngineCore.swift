import Synchronization
import TimerWheel

/// Implements ``TimerEngine``: the shards, the arming of the kernel's timers, and the thread that fires.
final class EngineCore: Sendable {
    let time: any TimeSource
    let wakeup: any Wakeup
    let isOnSystemTime: Bool
    let shards: EngineShards
    let arming: KernelArming
    let driver: EngineDriver
    let observers = Locked(Observers())
    let life = EngineLife()
    /// Whether `metrics` is set, so that an engine without metrics does not take the lock of `metrics`.
    let hasMetrics = Atomic(false)
    let metrics = Locked<EngineMetrics?>(nil)
    let wakeUps = Atomic(0)
    /// How many actions were started on other executors.
    let firesElsewhere = Atomic(0)

    init(time: any TimeSource, wakeup: any Wakeup, groups: Int) {
        self.time = time
        self.wakeup = wakeup
        isOnSystemTime = time is SystemTime
        shards = EngineShards(groups: groups)
        arming = KernelArming(wakeup: wakeup)
        driver = EngineDriver(groups: groups)
    }

    /// Starts the wakeup, which retains the core until ``stop()`` or ``end()``.
    func start() {
        for index in 0..<shards.count { shards.withShard(index) { $0.core = .passUnretained(self) } }
        wakeup.start { reason in self.wake(reason) }
    }

    /// Ends the engine, and waits for an action that is running on its thread, unless that action is the caller.
    func stop() {
        switch life.stop() {
        case .endWakeUps:
            let pending = takeAll()
            wakeup.stop()
            life.ended()
            pending.abandon()
        case .leaveToWakeUp: takeAll().abandon()
        case .waitForEnd: life.waitForEnd()
        case .nothing: break
        }
    }

    /// Ends the engine without waiting; an action that is running is completed, and no other starts.
    func end() {
        switch life.endSoon() {
        case .endWakeUps:
            let pending = takeAll()
            // No action is running, so this does not block.
            wakeup.stop()
            life.ended()
            pending.abandon()
        case .leaveToWakeUp: takeAll().abandon()
        case .nothing: break
        }
    }

    /// The number of records that are examined each time a shard's lock is held, while all timers are removed.
    private static var removedAtOnce: Int { 512 }

    private struct Pending {
        var payloads: [TimerPayload] = []
        var observers: [UInt64: Observers.Observer] = [:]

        /// Releases the actions, and resumes the sleeping tasks.
        ///
        /// This must not be called under a lock, because releasing what an action captured may run any code.
        consuming func abandon() { for payload in payloads { payload.intoAction().abandon() } }
    }

    private func takeAll() -> Pending {
        var pending = Pending()
        for index in 0..<shards.count { shards.withShard(index) { $0.core = nil } }
        for index in 0..<shards.count {
            var first: UInt32? = 0
            while let next = first {
                first = shards.withShard(index) { shard in
                    shard.wheel?.pointee.removeAll(from: next, examining: Self.removedAtOnce) {
                        pending.payloads.append($0)
                    }
                }
            }
        }
        pending.observers = observers.exchange(\.handlers, with: [:])
        return pending
    }

    var statistics: TimerEngine.Statistics {
        TimerEngine.Statistics(
            wakeUps: wakeUps.load(ordering: .relaxed), fires: driver.fires + firesElsewhere.load(ordering: .relaxed),
            rearms: arming.rearms
        )
    }

    /// The observers that are notified when the wall clock is set.
    struct Observers {
        struct Observer {
            let executor: ActionExecutor
            let handler: @Sendable () -> Void
        }

        var handlers: [UInt64: Observer] = [:]
        var next: UInt64 = 0
    }

    var activeMetrics: EngineMetrics? {
        hasMetrics.load(ordering: .acquiring) ? metrics.withLock { $0 } : nil
    }

    /// Reads a clock like `time.nanoseconds(on:)`, but without a dynamic call if `time` is `SystemTime`.
    @inline(__always)
    func nanoseconds(on clock: ClockKind) -> UInt64 {
        isOnSystemTime ? SystemTime().nanoseconds(on: clock) : time.nanoseconds(on: clock)
    }

    @inline(__always)
    func deadline(after duration: Duration, on clock: ClockKind) -> UInt64 {
        nanoseconds(on: clock).addingSaturating(UInt64(max(0, duration.wholeNanoseconds)))
    }

    @inline(__always)
    static func nanoseconds(_ tolerance: Duration) -> UInt64 {
        UInt64(max(0, tolerance.wholeNanoseconds))
    }

    @inline(__always)
    func insert(
        _ payload: TimerPayload, clock: ClockKind, deadline: UInt64, tolerance: Duration
    ) -> ScheduledTimer {
        let reference = shards.own(clock)
        let tolerance = Self.nanoseconds(tolerance)
        let (handle, epoch) = reference.withShard { shard in
            (insert(payload, into: &shard, clock, deadline, tolerance), shard.epoch)
        }
        if let handle {
            return ScheduledTimer(
                shard: reference, handle: handle, epoch: epoch, clock: clock, object: payload.ownObject)
        }
        payload.intoAction().abandon()
        return ScheduledTimer(shard: reference, handle: .none, epoch: 0, clock: clock, object: 0)
    }

    /// Inserts a timer into the shard that the caller has chosen.
    ///
    /// - Returns: The handle; nil after the engine's end, in which case the payload still belongs to the caller.
    func insert(
        _ payload: TimerPayload, in reference: EngineShard.Reference, clock: ClockKind, deadline: UInt64,
        tolerance: Duration
    ) -> TimerHandle? {
        let tolerance = Self.nanoseconds(tolerance)
        return reference.withShard { insert(payload, into: &$0, clock, deadline, tolerance) }
    }

    @inline(__always)
    private func insert(
        _ payload: TimerPayload, into shard: inout EngineShard, _ clock: ClockKind, _ deadline: UInt64,
        _ tolerance: UInt64
    ) -> TimerHandle? {
        guard shard.core != nil else { return nil }
        let wheel = shard.wheel ?? makeWheel(in: &shard, clock)
        let handle = wheel.pointee.insert(deadline: deadline, tolerance: tolerance, payload: payload)
        arming.lower(clock, to: TimerWheel.hardDeadline(deadline, tolerance: tolerance))
        return handle
    }

    @inline(never)
    private func makeWheel(in shard: inout EngineShard, _ clock: ClockKind) -> UnsafeMutablePointer<TimerWheel> {
        shards.use(clock)
        return shard.makeWheel(from: nanoseconds(on: clock))
    }

    /// Arms the kernel for the next deadline, after the timer for which it was armed has been removed.
    @inline(never)
    func searchEarliest(_ clock: ClockKind, insteadOf hard: UInt64) {
        guard arming.beginSearch(clock, insteadOf: hard) else { return }
        arming.settle(clock, earliest: shards.earliest(clock))
    }

    func addObserver(on executor: ActionExecutor, _ handler: @escaping @Sendable () -> Void) -> UInt64 {
        observers.withLock { observers in
            let identifier = observers.next
            observers.next += 1
            if !life.isOver {
                observers.handlers[identifier] = Observers.Observer(executor: executor, handler: handler)
                arming.setHasObservers(true)
            }
            return identifier
        }
    }

    func removeObserver(_ identifier: UInt64) {
        let observer = observers.withLock { observers in
            let observer = observers.handlers.removeValue(forKey: identifier)
            if observer != nil, observers.handlers.isEmpty { arming.setHasObservers(false) }
            return observer
        }
        withExtendedLifetime(observer) {}
    }
}

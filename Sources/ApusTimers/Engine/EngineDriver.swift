import Synchronization
import TimerWheel

/// Runs due actions; only the engine's thread uses it.
///
/// For `@unchecked Sendable`: the wakeup never runs two wake-ups at once, and the count is atomic.
final class EngineDriver: @unchecked Sendable {
    private let lanes: UnsafeMutablePointer<EngineLane>
    private let laneCount: Int
    /// How many actions were started on the engine's thread.
    ///
    /// Only that thread writes it, so counting needs no locked instruction.
    private let count = Atomic(0)

    var fires: Int { count.load(ordering: .relaxed) }

    init(groups: Int) {
        laneCount = groups
        lanes = .allocate(capacity: groups)
        for index in 0..<groups { (lanes + index).initialize(to: EngineLane()) }
    }

    deinit {
        lanes.deinitialize(count: laneCount)
        lanes.deallocate()
    }

    /// Runs one pass: all actions that are due on a clock, in the order of their deadlines, except those that are
    /// scheduled during the pass.
    ///
    /// - Returns: How many timers were due.
    func fire(_ clock: ClockKind, of engine: EngineCore, metrics: EngineMetrics?) -> Int {
        let shards = engine.shards
        let now = engine.nanoseconds(on: clock)
        for index in 0..<laneCount {
            lanes[index].begin(shards.index(index, clock))
            lanes[index].refill(shards, now: now)
        }
        var due = 0
        while let index = earliestLane {
            due += 1
            let (timer, executor) = lanes[index].take()
            if let executor {
                // The timer is started only when its action starts, so it can be cancelled while it waits for its
                // executor.
                executor.run { [shard = lanes[index].shard] in engine.fire(timer, clock, shard) }
            } else if lanes[index].start(timer, shards) {
                count.store(count.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
                metrics?.started(late: engine.lateness(of: timer.deadline, on: clock))
                timer.payload.intoAction().run()
            }
            lanes[index].refill(shards, now: now)
        }
        for index in 0..<laneCount { lanes[index].end(shards) }
        return due
    }

    /// The lane with the earliest timer; nil when all lanes are empty.
    ///
    /// If several timers are equally early, it is the first of their lanes.
    @inline(__always)
    private var earliestLane: Int? {
        if laneCount == 1 { return lanes[0].next == nil ? nil : 0 }
        var earliest: (deadline: UInt64, index: Int)?
        for index in 0..<laneCount {
            if let next = lanes[index].next, earliest.map({ next < $0.deadline }) ?? true { earliest = (next, index) }
        }
        return earliest?.index
    }
}

extension EngineCore {
    /// The maximum number of passes in one wake-up.
    ///
    /// A pass costs less than a wake-up. The number is limited because actions may keep scheduling timers that are due
    /// at once, and a change of the wall clock is noticed only at the beginning of a wake-up. In virtual time the clock
    /// does not advance between passes, so a wake-up has one pass. A timer that an action schedules for the same
    /// instant gets its own wake-up, in turn with the other work of that instant.
    private var passesPerWakeUp: Int { isOnSystemTime ? 16 : 1 }

    /// Handles a wake-up, on the engine's thread.
    func wake(_ reason: WakeReason) {
        guard life.beginWakeUp() else { return }
        defer {
            if life.endWakeUp() {
                wakeup.stop()
                life.ended()
            }
        }
        wakeUps.wrappingAdd(1, ordering: .relaxed)
        arming.beginDrain(reason) { nanoseconds(on: $0) }
        if reason == .wallClockChanged {
            let observers = observers.withLock { $0.handlers.sorted { $0.key < $1.key }.map(\.value) }
            for observer in observers { observer.executor.run(observer.handler) }
        }
        let metrics = activeMetrics
        var due = 0
        for _ in 0..<passesPerWakeUp {
            var more = 0
            // A clock that gets its first timer meanwhile is examined in the next pass, or by `settle` below.
            ClockKind.visitAll { clock in
                if shards.isInUse(clock) { more += driver.fire(clock, of: self, metrics: metrics) }
            }
            if more == 0 { break }
            due += more
        }
        metrics?.woke(due: due, liveTimers: shards.liveTimerCount)
        arming.endDrain()
        ClockKind.visitAll { clock in arming.settle(clock, earliest: shards.earliest(clock)) }
    }

    /// Starts a due timer on its executor, unless it was cancelled or reset since it was taken.
    fileprivate func fire(_ due: DueTimer, _ clock: ClockKind, _ shard: Int) {
        let removed = shards.withShard(shard) { $0.wheel?.pointee.remove(due) }
        guard let removed else { return }
        firesElsewhere.wrappingAdd(1, ordering: .relaxed)
        activeMetrics?.started(late: lateness(of: due.deadline, on: clock))
        removed.payload.intoAction().run()
    }

    fileprivate func lateness(of deadline: UInt64, on clock: ClockKind) -> UInt64 {
        let now = nanoseconds(on: clock)
        // The wall clock may have been set back since the timer was taken.
        return now > deadline ? now - deadline : 0
    }
}

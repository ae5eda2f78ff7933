import Synchronization
import TimerWheel

/// What only the engine's thread uses.
///
/// For `@unchecked Sendable`: the wakeup calls one wake-up after another, never two at once, and the count is atomic.
final class EngineDriver: @unchecked Sendable {
    private let lanes: UnsafeMutablePointer<EngineLane>
    private let laneCount: Int
    /// Actions that ran here. Written by this thread only, so counting needs no locked instruction.
    private let count = Atomic(0)

    var fires: Int { count.load(ordering: .relaxed) }

    init(shards: Int) {
        laneCount = shards
        lanes = .allocate(capacity: shards)
        for index in 0..<shards { (lanes + index).initialize(to: EngineLane()) }
    }

    deinit {
        lanes.deinitialize(count: laneCount)
        lanes.deallocate()
    }

    /// Runs everything that is due on a clock, in the order of the deadlines; gives how many that were.
    func fire(_ clock: ClockKind, of engine: EngineCore, metrics: EngineMetrics?) -> Int {
        let shards = engine.shards
        let now = engine.nanoseconds(on: clock)
        for index in 0..<laneCount {
            lanes[index].begin()
            lanes[index].refill(shards, index, clock, now: now)
        }
        var due = 0
        while let index = earliestLane {
            due += 1
            let (timer, executor) = lanes[index].take()
            if let executor {
                // The timer is started when its action starts, so it can be cancelled while it waits for its executor.
                executor.run { engine.fire(timer, clock, index) }
            } else if lanes[index].start(timer, shards, index) {
                count.store(count.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
                metrics?.started(late: engine.lateness(of: timer.deadline, on: clock))
                timer.payload.intoAction().run()
            }
            lanes[index].refill(shards, index, clock, now: now)
        }
        for index in 0..<laneCount { lanes[index].end(shards, index, clock) }
        return due
    }

    /// The lane with the earliest timer; of equal ones the first.
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
    /// On the engine's thread.
    func wake(_ reason: WakeReason) {
        guard !isShutDown.load(ordering: .acquiring) else { return }
        wakeUps.wrappingAdd(1, ordering: .relaxed)
        arming.beginDrain(reason) { nanoseconds(on: $0) }
        if reason == .wallClockChanged {
            let observers = observers.withLock { $0.handlers.sorted { $0.key < $1.key }.map(\.value) }
            for observer in observers { observer.executor.run(observer.handler) }
        }
        let metrics = activeMetrics
        var due = 0
        while true {
            var more = 0
            // A clock that gets its first timer meanwhile is looked at in the next round, or when all is settled.
            let clocks = shards.clocksInUse
            ClockKind.visitAll { clock in
                if clocks >> UInt8(truncatingIfNeeded: clock.rawValue) & 1 == 1 {
                    more += driver.fire(clock, of: self, metrics: metrics)
                }
            }
            if more == 0 { break }
            due += more
        }
        metrics?.woke(due: due, liveTimers: shards.liveTimerCount)
        arming.endDrain()
        let earliest = shards.earliestOfEach()
        arming.settle(.uptime, earliest: earliest.uptime)
        arming.settle(.continuous, earliest: earliest.continuous)
        arming.settle(.wall, earliest: earliest.wall)
    }

    /// On another executor, some time after the timer was found due.
    fileprivate func fire(_ due: DueTimer, _ clock: ClockKind, _ shard: Int) {
        let removed = shards.withShard(shard) { $0.wheel(clock)?.pointee.remove(due) }
        guard let removed else { return }
        firesElsewhere.wrappingAdd(1, ordering: .relaxed)
        activeMetrics?.started(late: lateness(of: due.deadline, on: clock))
        removed.payload.intoAction().run()
    }

    fileprivate func lateness(of deadline: UInt64, on clock: ClockKind) -> UInt64 {
        let now = nanoseconds(on: clock)
        // The wall clock may have been set back since the timer was found due.
        return now > deadline ? now - deadline : 0
    }
}

import CApus
import Synchronization
import TimerWheel

/// The shards that an engine has borrowed.
///
/// For `@unchecked Sendable`: the pointers are set once, and what they point to is atomic or has a lock of its own.
final class EngineShards: @unchecked Sendable {
    let count: Int
    private let shards: UnsafeMutablePointer<EngineShard.Reference>
    /// For each shard, twice the number of its timers that the engine's thread has started and not yet released; odd
    /// while it starts one. Written by that thread only.
    private let started: UnsafeMutablePointer<Atomic<Int>>

    /// One for each processor, up to 16.
    static var perEngine: Int {
        var shards = 1
        while shards < min(16, ProcessorCount.active) { shards *= 2 }
        return shards
    }

    /// `count` is a power of two.
    init(count: Int) {
        precondition(count > 0 && count & (count - 1) == 0, "shards are chosen by a mask")
        self.count = count
        shards = .allocate(capacity: count)
        started = .allocate(capacity: count)
        for index in 0..<count {
            (shards + index).initialize(to: .borrow())
            (started + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        for index in 0..<count { shards[index].giveBack() }
        shards.deinitialize(count: count)
        started.deinitialize(count: count)
        shards.deallocate()
        started.deallocate()
    }

    /// The shard that the calling thread puts its timers in.
    @inline(__always)
    var own: EngineShard.Reference { shards[count == 1 ? 0 : Int(capus_thread_number()) & (count - 1)] }

    @inline(__always)
    func withShard<Result>(_ index: Int, _ body: (inout EngineShard) -> Result) -> Result {
        shards[index].withShard(body)
    }

    /// The engine's thread is about to start a timer.
    @inline(__always)
    func beginStart(_ index: Int, of count: Int) { started[index].store(2 * count + 1, ordering: .relaxed) }

    @inline(__always)
    func setStarted(_ index: Int, _ count: Int) { started[index].store(2 * count, ordering: .releasing) }

    /// Timers whose actions have not started.
    var liveTimerCount: Int {
        (0..<count).reduce(0) { sum, index in
            sum
                + withShard(index) { shard in
                    // Under the lock the wheel's count stands still; starts continue, but each takes a moment only.
                    var started = started[index].load(ordering: .acquiring)
                    while started & 1 == 1 { started = self.started[index].load(ordering: .acquiring) }
                    return shard.count - started / 2
                }
        }
    }

    /// The earliest hard deadline of a clock; `.max` without any. Takes one lock after another.
    func earliest(_ clock: ClockKind) -> UInt64 {
        var earliest = UInt64.max
        for index in 0..<count {
            earliest = min(earliest, withShard(index) { $0.wheel(clock)?.pointee.nextWake() } ?? .max)
        }
        return earliest
    }

    /// The same for every clock, and each lock is taken once.
    func earliestOfEach() -> EarliestDeadlines {
        var earliest = EarliestDeadlines()
        for index in 0..<count {
            withShard(index) { shard in
                if let wheel = shard.wheel(.uptime) { earliest.uptime = wheel.pointee.earlier(than: earliest.uptime) }
                if let wheel = shard.wheel(.continuous) {
                    earliest.continuous = wheel.pointee.earlier(than: earliest.continuous)
                }
                if let wheel = shard.wheel(.wall) { earliest.wall = wheel.pointee.earlier(than: earliest.wall) }
            }
        }
        return earliest
    }

    /// The clocks that have timers, or had; a bit for each, by its number. Takes one lock after another.
    var clocksInUse: UInt8 {
        var clocks: UInt8 = 0
        for index in 0..<count { clocks |= withShard(index) { $0.made } }
        return clocks
    }
}

/// For each clock the earliest hard deadline; `.max` without any.
struct EarliestDeadlines {
    var uptime = UInt64.max
    var continuous = UInt64.max
    var wall = UInt64.max
}

extension TimerWheel {
    /// The earliest hard deadline, if it is earlier than that.
    fileprivate mutating func earlier(than other: UInt64) -> UInt64 { min(nextWake() ?? .max, other) }
}

import CApus
import PlatformC
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

/// Some of an engine's timers: one wheel a clock. Threads are spread over the shards, so that they rarely contend.
///
/// A shard is never freed: engines borrow shards, one after another. So a ``ScheduledTimer`` can name its shard without
/// a reference to the engine, which all threads would have to count at one place in memory. The epoch shows whether it
/// is still the same engine's.
///
/// No method here calls user code.
struct EngineShard: ~Copyable {
    /// A wheel is made when its clock is first used.
    private let wheels: UnsafeMutablePointer<TimerWheel>
    private(set) var made: UInt8 = 0
    /// The engine, from its beginning to its shutdown; nothing is put in before or after. It lives at least as long as
    /// it is named here, because its shutdown needs the lock to take it away.
    var core: Unmanaged<EngineCore>?
    /// How many engines the shard has had.
    private(set) var epoch: UInt32 = 0
    // The next shard's lock is on another pair of cache lines.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    private let morePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    init() { wheels = .allocate(capacity: ClockKind.allCases.count) }

    /// The engine is gone: the remaining timers are freed, and its timers' names mean nothing any more.
    mutating func retire() {
        for clock in ClockKind.allCases where made & bit(clock) != 0 {
            (wheels + clock.rawValue).deinitialize(count: 1)
        }
        made = 0
        core = nil
        epoch &+= 1
    }

    private func bit(_ clock: ClockKind) -> UInt8 { 1 &<< UInt8(truncatingIfNeeded: clock.rawValue) }

    /// The clock's wheel, if there is one. Used only while the shard's lock is held.
    @inline(__always)
    func wheel(_ clock: ClockKind) -> UnsafeMutablePointer<TimerWheel>? {
        made & bit(clock) == 0 ? nil : wheels + clock.rawValue
    }

    /// Makes the clock's wheel, of which there was none.
    @inline(never)
    mutating func makeWheel(_ clock: ClockKind, from now: UInt64) -> UnsafeMutablePointer<TimerWheel> {
        (wheels + clock.rawValue).initialize(to: TimerWheel(now: now))
        made |= bit(clock)
        return wheels + clock.rawValue
    }

    /// The engine, if the kernel is armed for that instant: then the caller has to look for the next one.
    @inline(__always)
    func core(armedFor hard: UInt64, on clock: ClockKind) -> EngineCore? {
        guard let core, core._withUnsafeGuaranteedRef({ $0.arming.isArmed(clock, for: hard) }) else { return nil }
        return core.takeUnretainedValue()
    }

    /// Timers in the wheels: those that wait, that were taken, and that were started and not yet released.
    var count: Int { ClockKind.allCases.reduce(0) { $0 + (wheel($1)?.pointee.count ?? 0) } }
}

extension EngineShard {
    /// A shard and its lock, at an address that stays.
    ///
    /// The protecting lock, for `@unchecked Sendable`, is the one at that address.
    struct Reference: @unchecked Sendable {
        private let shard: UnsafeMutablePointer<Locked<EngineShard>>

        private static let pool = Locked<[Reference]>([])

        /// A shard that no engine has, for one engine.
        static func borrow() -> Reference {
            if let reference = pool.withLock({ $0.popLast() }) { return reference }
            let shard = UnsafeMutablePointer<Locked<EngineShard>>.allocate(capacity: 1)
            shard.initialize(to: Locked(EngineShard()))
            return Reference(shard: shard)
        }

        /// After the engine's end.
        func giveBack() {
            withShard { $0.retire() }
            Self.pool.withLock { $0.append(self) }
        }

        @inline(__always)
        func withShard<Result>(_ body: (inout EngineShard) -> Result) -> Result {
            // For `nonisolated(unsafe)`: what crosses the lock are values, and objects that may be sent.
            nonisolated(unsafe) let result = shard.pointee.withLock { shard in
                nonisolated(unsafe) let result = body(&shard)  // the same
                return result
            }
            return result
        }
    }
}

enum ProcessorCount {
    /// How many processors the machine has in use; at least 1.
    static var active: Int {
        #if canImport(Darwin)
            max(1, sysconf(_SC_NPROCESSORS_ONLN))
        #else
            max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        #endif
    }
}

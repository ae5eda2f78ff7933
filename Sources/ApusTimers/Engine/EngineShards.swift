import CApus
import PlatformC
import Synchronization
import TimerWheel

/// Holds the shards that an engine has borrowed from the pool: one for each clock in each group of threads.
///
/// For `@unchecked Sendable`: the pointers never change, and what they point to is atomic or protected by its own lock.
final class EngineShards: @unchecked Sendable {
    let count: Int
    private let groups: Int
    private let shards: UnsafeMutablePointer<EngineShard.Reference>
    /// The clocks that have or had timers, as bits.
    private let used = Atomic<UInt8>(0)
    /// For each shard, twice the number of timers that the engine's thread has started and not released; plus 1 while
    /// it starts another.
    ///
    /// Only that thread writes it.
    private let started: UnsafeMutablePointer<Atomic<Int>>

    /// The number of an engine's groups of shards: the number of processors, rounded up to a power of two, and at most
    /// 16.
    static var groupsPerEngine: Int {
        var groups = 1
        while groups < min(16, ProcessorCount.active) { groups *= 2 }
        return groups
    }

    /// Borrows the shards for a number of groups of threads, which must be a power of two.
    init(groups: Int) {
        precondition(groups > 0 && groups & (groups - 1) == 0, "groups are chosen by a mask")
        self.groups = groups
        count = groups * ClockKind.allCases.count
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

    /// Returns the shard into which the calling thread inserts its timers of a clock.
    @inline(__always)
    func own(_ clock: ClockKind) -> EngineShard.Reference {
        shards[index(groups == 1 ? 0 : Int(capus_thread_number()) & (groups - 1), clock)]
    }

    @inline(__always)
    func index(_ group: Int, _ clock: ClockKind) -> Int { group &* ClockKind.count &+ clock.rawValue }

    @inline(__always)
    func withShard<Result>(_ index: Int, _ body: (inout EngineShard) -> Result) -> Result {
        shards[index].withShard(body)
    }

    #if COUNTS_VISITS
        /// The maximum number of records that were examined between taking and releasing a lock.
        var mostVisits: Int { (0..<count).map { withShard($0) { $0.mostVisits } }.max() ?? 0 }
    #endif

    /// Marks that the engine's thread has started `count` timers, and is starting another.
    @inline(__always)
    func beginStart(_ index: Int, of count: Int) { started[index].store(2 * count + 1, ordering: .relaxed) }

    @inline(__always)
    func setStarted(_ index: Int, _ count: Int) { started[index].store(2 * count, ordering: .releasing) }

    /// How many timers have not started.
    var liveTimerCount: Int {
        (0..<count).reduce(0) { sum, index in
            sum
                + withShard(index) { shard in
                    // The lock keeps the wheel's count constant. The engine's thread may start timers meanwhile, but
                    // `started` is odd only for a moment.
                    var started = started[index].load(ordering: .acquiring)
                    while started & 1 == 1 { started = self.started[index].load(ordering: .acquiring) }
                    return shard.count - started / 2
                }
        }
    }

    /// The maximum number of times that a search for the earliest deadline takes one shard's lock.
    private static var searchesAtOnce: Int { 8 }

    /// Returns the earliest hard deadline on a clock, or an earlier instant if the search would be long; `.max` without
    /// timers.
    ///
    /// It takes the shards' locks one after another, and examines a bounded number of records under each.
    func earliest(_ clock: ClockKind) -> UInt64 {
        guard isInUse(clock) else { return .max }
        var earliest = UInt64.max
        for group in 0..<groups {
            var next = TimerWheel.NextWake(instant: .max, isExact: true)
            for _ in 0..<Self.searchesAtOnce {
                next = withShard(index(group, clock)) { shard in
                    shard.wheel?.pointee.nextWake(examining: TimerWheel.examinedAtOnce) ?? next
                }
                if next.isExact { break }
            }
            earliest = min(earliest, next.instant)
        }
        return earliest
    }

    /// Whether a clock has or had timers.
    @inline(__always)
    func isInUse(_ clock: ClockKind) -> Bool {
        used.load(ordering: .sequentiallyConsistent) >> UInt8(truncatingIfNeeded: clock.rawValue) & 1 == 1
    }

    /// Marks a clock as used; the caller holds the lock of a shard, into which it then inserts the clock's first timer.
    func use(_ clock: ClockKind) {
        used.bitwiseOr(1 << UInt8(truncatingIfNeeded: clock.rawValue), ordering: .sequentiallyConsistent)
        // The caller then compares its deadline with the armed one. A thread that searches for the earliest deadline
        // first stores `.max` as armed, then reads the clocks in use. The fence ensures that at least one of the two
        // threads sees the other's change.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
}

/// Holds some of an engine's timers on one clock, protected by a lock.
///
/// Threads are spread over groups of shards, so that they rarely contend. In each group every clock has its own shard,
/// so that work on one clock does not delay another.
///
/// A shard is never freed; engines borrow shards, one after another. A ``ScheduledTimer`` therefore refers to its shard
/// without retaining the engine, whose reference count would be contended by all threads. The epoch shows whether the
/// shard still belongs to the timer's engine.
///
/// No method of a shard calls user code.
struct EngineShard: ~Copyable {
    /// The shard's timers, used only under its lock; nil before the first timer.
    private(set) var wheel: UnsafeMutablePointer<TimerWheel>?
    /// The engine from its start to its end; without one, no timer is inserted.
    ///
    /// This reference does not retain the engine. It is always valid, because the engine clears it, under the shard's
    /// lock, before the engine is released.
    var core: Unmanaged<EngineCore>?
    /// How many engines have returned the shard.
    private(set) var epoch: UInt32 = 0
    // The padding keeps the lock of the next shard on another pair of cache lines.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    private let morePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    #if COUNTS_VISITS
        /// The maximum number of records that were examined between taking and releasing the lock, for tests.
        fileprivate(set) var mostVisits = 0
    #endif

    /// Separates the shard from its engine, makes the engine's handles stale, and returns the wheel, which the caller
    /// frees.
    mutating func retire() -> UnsafeMutablePointer<TimerWheel>? {
        defer { wheel = nil }
        core = nil
        epoch &+= 1
        return wheel
    }

    /// Creates the wheel; there must be none yet.
    mutating func makeWheel(from now: UInt64) -> UnsafeMutablePointer<TimerWheel> {
        let wheel = UnsafeMutablePointer<TimerWheel>.allocate(capacity: 1)
        wheel.initialize(to: TimerWheel(now: now))
        self.wheel = wheel
        return wheel
    }

    /// Returns the engine if the kernel is armed for the instant `hard`; the caller must then search for the next
    /// deadline.
    @inline(__always)
    func core(armedFor hard: UInt64, on clock: ClockKind) -> EngineCore? {
        guard let core, core._withUnsafeGuaranteedRef({ $0.arming.isArmed(clock, for: hard) }) else { return nil }
        return core.takeUnretainedValue()
    }

    /// How many timers are in the wheel: waiting, taken, or started and not released yet.
    var count: Int { wheel?.pointee.count ?? 0 }
}

extension EngineShard {
    /// Refers to a shard and its lock, whose address never changes.
    ///
    /// For `@unchecked Sendable`: the lock at that address protects the shard.
    struct Reference: @unchecked Sendable {
        private let shard: UnsafeMutablePointer<Locked<EngineShard>>

        private static let pool = Locked<[Reference]>([])

        /// Returns a shard that no engine uses.
        static func borrow() -> Reference {
            if let reference = pool.withLock({ $0.popLast() }) { return reference }
            let shard = UnsafeMutablePointer<Locked<EngineShard>>.allocate(capacity: 1)
            shard.initialize(to: Locked(EngineShard()))
            return Reference(shard: shard)
        }

        /// Returns the shard to the pool after its engine's end.
        func giveBack() {
            if let wheel = withShard({ $0.retire() }) {
                wheel.deinitialize(count: 1)
                wheel.deallocate()
            }
            Self.pool.withLock { $0.append(self) }
        }

        @inline(__always)
        func withShard<Result>(_ body: (inout EngineShard) -> Result) -> Result {
            // For `nonisolated(unsafe)`: only values and sendable objects cross the lock.
            nonisolated(unsafe) let result = shard.pointee.withLock { shard in
                #if COUNTS_VISITS
                    let visits = shard.wheel?.pointee.visits ?? 0
                    defer { shard.mostVisits = max(shard.mostVisits, (shard.wheel?.pointee.visits ?? 0) - visits) }
                #endif
                nonisolated(unsafe) let result = body(&shard)  // For the same reason.
                return result
            }
            return result
        }
    }
}

enum ProcessorCount {
    /// The number of processors that are online; at least 1.
    static var active: Int {
        #if canImport(Darwin)
            max(1, sysconf(_SC_NPROCESSORS_ONLN))
        #else
            max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        #endif
    }
}

import CApus
import PlatformC
import Synchronization
import TimerWheel

/// The shards that an engine has borrowed.
///
/// For `@unchecked Sendable`: the pointers are set once, and what they point to is atomic or has a lock of its own.
final class EngineShards: @unchecked Sendable {
    /// All of them: for each group of threads, one for each clock.
    let count: Int
    private let groups: Int
    private let shards: UnsafeMutablePointer<EngineShard.Reference>
    /// The clocks that have timers, or had; a bit for each, by its number.
    private let used = Atomic<UInt8>(0)
    /// For each shard, twice the number of its timers that the engine's thread has started and not yet released; odd
    /// while it starts one. Written by that thread only.
    private let started: UnsafeMutablePointer<Atomic<Int>>

    /// One group for each processor, up to 16.
    static var groupsPerEngine: Int {
        var groups = 1
        while groups < min(16, ProcessorCount.active) { groups *= 2 }
        return groups
    }

    /// `groups` is a power of two.
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

    /// The shard that the calling thread puts its timers of a clock in.
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

    #if DEBUG
        /// The most records that were examined under one hold of a lock.
        var mostVisits: Int { (0..<count).map { withShard($0) { $0.mostVisits } }.max() ?? 0 }
    #endif

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

    /// How often a search for the earliest deadline takes a shard's lock, if its minimum was cancelled in a crowd.
    private static var searchesAtOnce: Int { 8 }

    /// The earliest hard deadline of a clock, or an earlier instant if the search would be long; `.max` without any.
    /// Takes one lock after another, each for a bounded number of records.
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

    /// Whether a clock has timers, or had.
    @inline(__always)
    func isInUse(_ clock: ClockKind) -> Bool {
        used.load(ordering: .sequentiallyConsistent) >> UInt8(truncatingIfNeeded: clock.rawValue) & 1 == 1
    }

    /// A clock's first timer is about to be put in a shard, whose lock is held.
    func use(_ clock: ClockKind) {
        used.bitwiseOr(1 << UInt8(truncatingIfNeeded: clock.rawValue), ordering: .sequentiallyConsistent)
        // The caller compares its deadline with what the kernel is armed for, and a thread that looks for the earliest
        // deadline stores that before it reads the clocks: one of the two sees the other.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
}

/// Some of an engine's timers of one clock. Threads are spread over groups of shards, so that they rarely contend; each
/// clock has a shard of its own in a group, so that one does not wait for what is done about another.
///
/// A shard is never freed: engines borrow shards, one after another. So a ``ScheduledTimer`` can name its shard without
/// a reference to the engine, which all threads would have to count at one place in memory. The epoch shows whether it
/// is still the same engine's.
///
/// No method here calls user code.
struct EngineShard: ~Copyable {
    /// The timers, from the first on. Used only while the shard's lock is held.
    private(set) var wheel: UnsafeMutablePointer<TimerWheel>?
    /// The engine, from its beginning to its shutdown; nothing is put in before or after. It lives at least as long as
    /// it is named here, because its shutdown needs the lock to take it away.
    var core: Unmanaged<EngineCore>?
    /// How many engines the shard has had.
    private(set) var epoch: UInt32 = 0
    // The next shard's lock is on another pair of cache lines.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    private let morePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    #if DEBUG
        /// The most records that were examined under one hold of the lock, for tests.
        fileprivate(set) var mostVisits = 0
    #endif

    /// The engine is gone, and its timers' names mean nothing any more. The wheel is the caller's.
    mutating func retire() -> UnsafeMutablePointer<TimerWheel>? {
        defer { wheel = nil }
        core = nil
        epoch &+= 1
        return wheel
    }

    /// Makes the wheel, of which there was none.
    mutating func makeWheel(from now: UInt64) -> UnsafeMutablePointer<TimerWheel> {
        let wheel = UnsafeMutablePointer<TimerWheel>.allocate(capacity: 1)
        wheel.initialize(to: TimerWheel(now: now))
        self.wheel = wheel
        return wheel
    }

    /// The engine, if the kernel is armed for that instant: then the caller has to look for the next one.
    @inline(__always)
    func core(armedFor hard: UInt64, on clock: ClockKind) -> EngineCore? {
        guard let core, core._withUnsafeGuaranteedRef({ $0.arming.isArmed(clock, for: hard) }) else { return nil }
        return core.takeUnretainedValue()
    }

    /// Timers in the wheel: those that wait, that were taken, and that were started and not yet released.
    var count: Int { wheel?.pointee.count ?? 0 }
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
            if let wheel = withShard({ $0.retire() }) {
                wheel.deinitialize(count: 1)
                wheel.deallocate()
            }
            Self.pool.withLock { $0.append(self) }
        }

        @inline(__always)
        func withShard<Result>(_ body: (inout EngineShard) -> Result) -> Result {
            // For `nonisolated(unsafe)`: what crosses the lock are values, and objects that may be sent.
            nonisolated(unsafe) let result = shard.pointee.withLock { shard in
                #if DEBUG
                    let visits = shard.wheel?.pointee.visits ?? 0
                    defer { shard.mostVisits = max(shard.mostVisits, (shard.wheel?.pointee.visits ?? 0) - visits) }
                #endif
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

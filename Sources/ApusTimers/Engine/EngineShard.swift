import TimerWheel

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

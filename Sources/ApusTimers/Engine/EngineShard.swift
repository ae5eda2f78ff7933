import TimerWheel

/// Some of an engine's timers: one wheel a clock. Threads are spread over the shards, so that they seldom meet.
///
/// No method here calls user code.
struct EngineShard: ~Copyable {
    /// A wheel is made when its clock is first used.
    private let wheels: UnsafeMutablePointer<TimerWheel>
    private var made: UInt8 = 0
    /// After the engine's end nothing is put in any more.
    var isClosed = false
    // The next shard's lock is on another pair of cache lines.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    private let morePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    init() { wheels = .allocate(capacity: ClockKind.allCases.count) }

    deinit {
        for clock in ClockKind.allCases where made & bit(clock) != 0 {
            (wheels + clock.rawValue).deinitialize(count: 1)
        }
        wheels.deallocate()
    }

    private func bit(_ clock: ClockKind) -> UInt8 { 1 &<< UInt8(truncatingIfNeeded: clock.rawValue) }

    /// The clock's wheel, if there is one. Used only while the shard's lock is held.
    @inline(__always)
    func wheel(_ clock: ClockKind) -> UnsafeMutablePointer<TimerWheel>? {
        made & bit(clock) == 0 ? nil : wheels + clock.rawValue
    }

    /// The clock's wheel, which begins at `now` if there was none.
    @inline(__always)
    mutating func wheel(_ clock: ClockKind, from now: @autoclosure () -> UInt64) -> UnsafeMutablePointer<TimerWheel> {
        if made & bit(clock) == 0 {
            (wheels + clock.rawValue).initialize(to: TimerWheel(now: now()))
            made |= bit(clock)
        }
        return wheels + clock.rawValue
    }

    /// Timers in the wheels: those that wait, that were taken, and that were claimed and not yet released.
    var count: Int { ClockKind.allCases.reduce(0) { $0 + (wheel($1)?.pointee.count ?? 0) } }
}

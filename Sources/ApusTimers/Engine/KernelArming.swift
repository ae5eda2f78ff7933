import Synchronization

/// Arms the kernel's timers, and decides which thread does so.
///
/// Ground rules
///
/// 1. The `armed` instant of a clock is never later than the earliest hard deadline of the clock's timers, except that
///    it is `.max` while a thread searches for the earliest deadline. It is 0 while the engine's thread fires timers,
///    so that no other thread arms meanwhile; the engine's thread arms when it has finished.
/// 2. A thread that inserts a timer compares the timer's hard deadline with `armed` under the shard's lock, and arms if
///    the deadline is earlier. A thread that searches for the earliest deadline first stores `.max` and then visits
///    each shard under its lock. So either the search finds the timer, or the inserting thread reads `.max`. In the
///    second case, both threads lower `armed`, and the lower value remains. For a clock that has no timers yet, the
///    fence in `EngineShards.use` replaces the lock.
/// 3. Locks are taken in the order shard, then arming; never two shards at once.
/// 4. The kernel's timer is not set to the value that it already has, unless it has fired: a timer that fired must be
///    armed or disarmed. With a punctual wakeup, exactly the timers whose deadlines are reached have fired. With any
///    other wakeup, each armed timer may have fired.
struct KernelArming: ~Copyable {
    struct Kernel {
        var uptime: UInt64?
        var continuous: UInt64?
        var wall: UInt64?
        /// Whether the wall clock was set, after which the state of its timer is unknown.
        var wallIsUnknown = false
        /// The clocks, as bits, whose timers may have fired and were neither armed nor disarmed since then.
        ///
        /// Such a timer may wake repeatedly, or never again.
        var wentOff: UInt8 = 0
        var hasObservers = false
        var rearms = 0

        subscript(_ clock: ClockKind) -> UInt64? {
            get {
                switch clock {
                case .uptime: uptime
                case .continuous: continuous
                case .wall: wall
                }
            }
            set {
                switch clock {
                case .uptime: uptime = newValue
                case .continuous: continuous = newValue
                case .wall: wall = newValue
                }
            }
        }
    }

    private let wakeup: any Wakeup
    private let isPunctual: Bool
    private let uptime = Atomic<UInt64>(.max)
    private let continuous = Atomic<UInt64>(.max)
    private let wall = Atomic<UInt64>(.max)
    /// How many more cancellations of the earliest timer may disarm the kernel's timer before the next wake-up.
    private let disarms = Atomic<Int>(KernelArming.disarmsPerWakeUp)
    private let kernel = Locked(Kernel())

    /// How many cancellations of the earliest timer disarm the kernel's timer between two wake-ups.
    ///
    /// Arming and disarming are system calls, so a program that schedules and cancels one timeout after another would
    /// make two of them for each timeout. After this number of cancellations, the kernel's timer stays armed and causes
    /// one unneeded wake-up. Up to this number, an engine whose timers were all cancelled does not wake.
    static var disarmsPerWakeUp: Int { 64 }

    private static var draining: UInt64 { 0 }
    private static var searching: UInt64 { .max }

    init(wakeup: any Wakeup) {
        self.wakeup = wakeup
        isPunctual = wakeup.isPunctual
    }

    @inline(__always)
    private func withArmed<Result>(_ clock: ClockKind, _ body: (borrowing Atomic<UInt64>) -> Result) -> Result {
        switch clock {
        case .uptime: body(uptime)
        case .continuous: body(continuous)
        case .wall: body(wall)
        }
    }

    var rearms: Int { kernel.withLock { $0.rearms } }

    /// Arms for an inserted timer if its deadline is the earliest; the caller holds the lock of the timer's shard.
    @inline(__always)
    func lower(_ clock: ClockKind, to hard: UInt64) {
        if hard < withArmed(clock, { $0.load(ordering: .relaxed) }) { arm(clock, at: hard) }
    }

    @inline(never)
    private func arm(_ clock: ClockKind, at hard: UInt64) {
        kernel.withLock { kernel in
            withArmed(clock) { armed in
                guard hard < armed.load(ordering: .relaxed) else { return }
                armed.store(hard, ordering: .relaxed)
                setKernel(clock, hard, &kernel)
            }
        }
    }

    /// Whether the kernel is armed for the hard deadline of a timer that was cancelled or reset.
    @inline(__always)
    func isArmed(_ clock: ClockKind, for hard: UInt64) -> Bool {
        withArmed(clock) { $0.load(ordering: .relaxed) } == hard
    }

    /// Begins a search for the next deadline after the earliest timer was cancelled; the caller holds no lock.
    ///
    /// - Returns: Whether the caller must search, and pass the result to ``settle(_:earliest:)``.
    func beginSearch(_ clock: ClockKind, insteadOf hard: UInt64) -> Bool {
        guard hard != Self.draining, hard != Self.searching,
            disarms.wrappingSubtract(1, ordering: .relaxed).oldValue > 0
        else { return false }
        // The exchange fails if another deadline was armed meanwhile, or if the engine's thread is firing, which
        // searches anyway.
        return withArmed(clock) { armed in
            armed.compareExchange(expected: hard, desired: Self.searching, ordering: .sequentiallyConsistent).exchanged
        }
    }

    /// Prevents arming while the engine's thread fires, until ``endDrain()``.
    func beginDrain(_ reason: WakeReason, now: (ClockKind) -> UInt64) {
        ClockKind.visitAll { clock in
            withArmed(clock) { $0.store(Self.draining, ordering: .sequentiallyConsistent) }
        }
        disarms.store(Self.disarmsPerWakeUp, ordering: .relaxed)
        kernel.withLock { kernel in
            if reason == .wallClockChanged { kernel.wallIsUnknown = true }
            ClockKind.visitAll { clock in
                guard let deadline = kernel[clock], !isPunctual || deadline <= now(clock) else { return }
                kernel[clock] = nil
                kernel.wentOff |= Self.bit(clock)
            }
        }
    }

    /// Allows arming again after the engine's thread has fired all due timers.
    ///
    /// The caller then searches for the earliest deadlines and passes them to ``settle(_:earliest:)``.
    func endDrain() {
        ClockKind.visitAll { clock in
            withArmed(clock) { $0.store(Self.searching, ordering: .sequentiallyConsistent) }
        }
    }

    /// Arms for the earliest deadline that a search found, unless an earlier one was armed meanwhile.
    func settle(_ clock: ClockKind, earliest: UInt64) {
        kernel.withLock { kernel in
            withArmed(clock) { armed in
                let present = armed.load(ordering: .relaxed)
                guard present != Self.draining else { return }
                let target = min(present, earliest)
                armed.store(target, ordering: .relaxed)
                setKernel(clock, target == .max ? nil : target, &kernel)
            }
        }
    }

    /// Sets whether the kernel must report that the wall clock was set, even if the clock has no timers.
    func setHasObservers(_ hasObservers: Bool) {
        kernel.withLock { kernel in
            kernel.hasObservers = hasObservers
            let armed = wall.load(ordering: .relaxed)
            if armed != Self.draining { setKernel(.wall, armed == .max ? nil : armed, &kernel) }
        }
    }

    private static func bit(_ clock: ClockKind) -> UInt8 { 1 << UInt8(truncatingIfNeeded: clock.rawValue) }

    private func setKernel(_ clock: ClockKind, _ deadline: UInt64?, _ kernel: inout Kernel) {
        // A deadline that is never reached makes the kernel report that the clock was set.
        let deadline = deadline ?? (clock == .wall && kernel.hasObservers ? .max : nil)
        let isUnknown = clock == .wall && kernel.wallIsUnknown
        let wentOff = kernel.wentOff & Self.bit(clock) != 0
        guard deadline != kernel[clock] || isUnknown || wentOff else { return }
        kernel[clock] = deadline
        kernel.wentOff &= ~Self.bit(clock)
        if clock == .wall { kernel.wallIsUnknown = false }
        kernel.rearms += 1
        if let deadline {
            wakeup.arm(at: ClockInstant(clock: clock, nanoseconds: deadline))
        } else {
            wakeup.disarm(clock)
        }
    }
}

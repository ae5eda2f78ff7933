import Synchronization

/// For which instants the kernel's timers are armed, and who arms them.
///
/// Ground rules
///
/// 1. `armed` of a clock is never later than the earliest hard deadline of the clock's timers, except while a thread
///    looks for that deadline: 0 while the engine's thread fires (it arms when it has finished), and `.max` from the
///    moment on when a thread has begun to look.
/// 2. A thread that adds a timer compares its hard deadline with `armed` under the shard's lock, and arms if it is
///    earlier. A thread that looks for the earliest deadline stores `.max` first and then visits each shard under its
///    lock. So either the visitor sees the timer, or the adding thread sees `.max`. Both then lower `armed`, and the
///    last one wins. For a clock without timers yet, `EngineShards.use` takes the place of the lock.
/// 3. Locks are taken in the order shard, then arming; never two shards at once.
/// 4. The kernel's timer is not set to the value that it has. A timer that went off has to be armed or disarmed,
///    though. Only a wakeup that is punctual leaves no doubt about which ones did: those whose deadlines were reached.
struct KernelArming: ~Copyable {
    struct Kernel {
        var uptime: UInt64?
        var continuous: UInt64?
        var wall: UInt64?
        /// The wall clock was set, so its timer may be anything now.
        var wallIsUnknown = false
        /// Which timers went off, or may have, and were neither armed nor disarmed since, by the clocks' numbers: they
        /// wake repeatedly, or never wake again.
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
    /// How often the earliest timer may still be cancelled, before the next wake-up, with the kernel's timer disarmed.
    private let disarms = Atomic<Int>(KernelArming.disarmsPerWakeUp)
    private let kernel = Locked(Kernel())

    /// Disarming the kernel's timer when the earliest timer was cancelled is a system call. To arm and cancel one
    /// timeout after another would cost two for each; so after this many the kernel's timer is left as it is, and goes
    /// off once for nothing. Up to then it is disarmed, and an engine whose timers were all cancelled does not wake.
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

    /// After a timer was put in, under its shard's lock.
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

    /// Whether a timer that was cancelled, or moved, is what the kernel is armed for.
    @inline(__always)
    func isArmed(_ clock: ClockKind, for hard: UInt64) -> Bool {
        withArmed(clock) { $0.load(ordering: .relaxed) } == hard
    }

    /// After the earliest timer was cancelled, without any lock: true if the caller has to look for the next one, and
    /// to give it to ``settle(_:earliest:)``.
    func beginSearch(_ clock: ClockKind, insteadOf hard: UInt64) -> Bool {
        guard hard != Self.draining, hard != Self.searching,
            disarms.wrappingSubtract(1, ordering: .relaxed).oldValue > 0
        else { return false }
        // Failing: another was armed meanwhile, or the engine's thread is at work and will look anyway.
        return withArmed(clock) { armed in
            armed.compareExchange(expected: hard, desired: Self.searching, ordering: .sequentiallyConsistent).exchanged
        }
    }

    /// The engine's thread begins to fire: no thread arms until ``endDrain(_:)``.
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

    /// The engine's thread has fired everything: from now on a thread that adds a timer arms. The caller then looks for
    /// the earliest deadlines and gives them to ``settle(_:earliest:)``.
    func endDrain() {
        ClockKind.visitAll { clock in
            withArmed(clock) { $0.store(Self.searching, ordering: .sequentiallyConsistent) }
        }
    }

    /// Arms for the earliest deadline that was found, unless an earlier one was added meanwhile.
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

    /// Whether the kernel has to report settings of the wall clock although no timer goes by it.
    func setHasObservers(_ hasObservers: Bool) {
        kernel.withLock { kernel in
            kernel.hasObservers = hasObservers
            let armed = wall.load(ordering: .relaxed)
            if armed != Self.draining { setKernel(.wall, armed == .max ? nil : armed, &kernel) }
        }
    }

    private static func bit(_ clock: ClockKind) -> UInt8 { 1 << UInt8(truncatingIfNeeded: clock.rawValue) }

    private func setKernel(_ clock: ClockKind, _ deadline: UInt64?, _ kernel: inout Kernel) {
        // Far ahead: the kernel then reports settings of the clock, and nothing else wakes.
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

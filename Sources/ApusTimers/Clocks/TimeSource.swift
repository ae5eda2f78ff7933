/// The source of time: all code of Apus reads its clocks from one of these.
///
/// ``SystemTime`` reads the machine's clocks; `VirtualTime` (ApusTesting) is a clock that tests move by hand.
///
/// The clocks are read from any thread, and under locks of Apus: a reading must not wait, and must not call what uses Apus.
public protocol TimeSource: Sendable {
    /// Time since boot without machine sleep.
    func uptime() -> UptimeInstant
    /// Time since boot with machine sleep.
    func continuous() -> ContinuousInstant
    /// The time of day.
    func wall() -> WallInstant
}

/// Wakes the engine: a kernel timer for each clock, or the simulation's step loop.
///
/// The engine owns its wakeup: it calls `start` once, then `arm` and `disarm` from any thread, then `stop` once. `arm` and
/// `disarm` are called under the engine's locks, also after `stop`: they must not wait, and must not call the handler or
/// what uses the engine. `start` and `stop` are called under no lock.
public protocol Wakeup: Sendable {
    /// Whether it never wakes before an armed deadline, also when the wall clock is set; false unless said otherwise.
    ///
    /// The engine then arms only the clocks whose deadlines were reached. A wake-up does not say for which clocks it
    /// came, so with any other wakeup each armed clock may be the one whose timer woke early, and all are armed again.
    var isPunctual: Bool { get }

    /// Begins delivering wake-ups to `handler`, one at a time, on the wakeup's own thread.
    func start(_ handler: @escaping @Sendable (WakeReason) -> Void)

    /// Asks for a wake-up when its clock reaches `deadline`, in place of the clock's earlier one.
    ///
    /// A deadline that has passed wakes at once. A wake-up may come early: the engine then arms the clock again. One that
    /// was reached may wake repeatedly until the next call for its clock, which the engine makes before it finishes a
    /// wake-up.
    func arm(at deadline: ClockInstant)

    /// Asks for no wake-up on that clock any more.
    func disarm(_ clock: ClockKind)

    /// Ends delivery and releases the handler, which retains the engine. No handler runs after this returns, unless
    /// `stop` was called from the handler itself.
    func stop()
}

extension Wakeup {
    /// False.
    public var isPunctual: Bool { false }
}

/// Why the engine was woken.
public enum WakeReason: Sendable, Hashable {
    /// A deadline was reached (or nearly: the engine looks at the clocks itself).
    case deadline
    /// The wall clock was set.
    case wallClockChanged
}

/// The source of randomness, for jitter and identifiers, so that a seed decides them in tests.
public protocol RandomSource: Sendable {
    /// The next 64 random bits. May be called from any thread.
    func next() -> UInt64
}

/// What the clocks of a time source show at one moment.
package struct ClockReading: Hashable, Sendable {
    package var wall: WallInstant
    package var continuous: ContinuousInstant
    package var uptime: UptimeInstant

    /// Reads the three clocks one after another.
    package init(_ time: some TimeSource) {
        self.init(wall: time.wall(), continuous: time.continuous(), uptime: time.uptime())
    }

    package init(wall: WallInstant, continuous: ContinuousInstant, uptime: UptimeInstant) {
        (self.wall, self.continuous, self.uptime) = (wall, continuous, uptime)
    }

    /// The wall clock's reading at that instant, if it is not set before.
    package func wall(at instant: ContinuousInstant) -> WallInstant {
        wall.advanced(by: continuous.duration(to: instant))
    }
}

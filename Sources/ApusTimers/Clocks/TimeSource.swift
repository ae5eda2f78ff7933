/// Reads the clocks; all code of Apus gets the time from a time source.
///
/// ``SystemTime`` reads the machine's clocks. `VirtualTime` in ApusTesting has clocks that a test advances.
///
/// The clocks are read from any thread, and while locks of Apus are held. So a reading must not block, and must not
/// call code that uses Apus.
public protocol TimeSource: Sendable {
    /// Returns the time since boot, without machine sleep.
    func uptime() -> UptimeInstant
    /// Returns the time since boot, with machine sleep.
    func continuous() -> ContinuousInstant
    /// Returns the time of day in UTC.
    func wall() -> WallInstant
}

/// Wakes the engine: by a kernel timer for each clock, or from a simulation's step loop.
///
/// The engine owns its wakeup: it calls `start` once, then `arm` and `disarm` from any thread, then `stop` once. It
/// calls `arm` and `disarm` while it holds its locks, also after `stop`. So these two methods must not block, and must
/// not call the handler or code that uses the engine. The engine holds no lock when it calls `start` and `stop`.
public protocol Wakeup: Sendable {
    /// Whether the wakeup never wakes before an armed deadline, even when the wall clock is set; false by default.
    ///
    /// After a wake-up of a punctual wakeup, the engine arms only the clocks whose deadlines were reached. If the
    /// wakeup is not punctual, the engine arms every armed clock again, because a wake-up does not name its clock and
    /// any clock may have woken early.
    var isPunctual: Bool { get }

    /// Starts delivering wake-ups to `handler`, one at a time, on the wakeup's own thread.
    func start(_ handler: @escaping @Sendable (WakeReason) -> Void)

    /// Requests a wake-up when the clock reaches the deadline, and replaces the clock's earlier request.
    ///
    /// A deadline that has passed wakes immediately. A wake-up may come early; the engine then arms the clock again. A
    /// deadline that was reached may wake repeatedly until `arm` or `disarm` is called for its clock. The engine calls
    /// one of them before it finishes a wake-up.
    func arm(at deadline: ClockInstant)

    /// Withdraws the request for a wake-up on a clock.
    func disarm(_ clock: ClockKind)

    /// Ends delivery and releases the handler, which retains the engine.
    ///
    /// No handler runs after this returns, unless `stop` was called from the handler itself.
    func stop()
}

extension Wakeup {
    /// By default, a wakeup may wake early.
    public var isPunctual: Bool { false }
}

/// The reason for waking the engine.
public enum WakeReason: Sendable, Hashable {
    /// A deadline was reached or nearly reached; the engine reads the clocks to find out.
    case deadline
    /// The wall clock was set.
    case wallClockChanged
}

/// Returns random numbers for jitter and identifiers, from a seed in tests.
public protocol RandomSource: Sendable {
    /// Returns the next 64 random bits; may be called from any thread.
    func next() -> UInt64
}

/// The readings of a time source's three clocks at one moment.
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

    /// Returns what the wall clock will show at an instant, unless the clock is set before that instant.
    package func wall(at instant: ContinuousInstant) -> WallInstant {
        wall.advanced(by: continuous.duration(to: instant))
    }
}

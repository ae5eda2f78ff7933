public import ApusTimers

/// A clock whose sleeps end at once: for tests of code that takes a `Clock` and whose time does not matter.
///
/// Each sleep moves the clock to its deadline, so code that measures time sees that it has slept. Sleeps of several
/// tasks move it one after another, in no particular order; a test for which the order matters uses ``VirtualTime``.
public final class ImmediateClock: Clock, Sendable {
    /// Time is measured in `Swift.Duration`, to the nanosecond.
    public typealias Duration = Swift.Duration
    /// Its instants are those of the clock that is meant where no clock is named.
    public typealias Instant = ContinuousInstant

    private let instant: Locked<Instant>

    /// A clock that stands at an instant.
    public init(now: Instant = Instant(nanoseconds: 0)) { instant = Locked(now) }

    /// The latest deadline of a sleep so far.
    public var now: Instant { instant.withLock { $0 } }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Moves the clock to `deadline`, unless that has passed, and lets other tasks run.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        instant.withLock { $0 = max($0, deadline) }
        await Task.yield()
    }
}

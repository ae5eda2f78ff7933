public import ApusTimers

/// A clock whose sleeps end at once, for tests of code that takes a `Clock`, if the timing does not matter.
///
/// Each sleep moves the clock to the sleep's deadline, so code that measures time sees that time has passed. Sleeps of
/// several tasks move the clock one after another, in no particular order; a test for which the order matters uses
/// ``VirtualTime``.
public final class ImmediateClock: Clock, Sendable {
    /// The type of durations, with a precision of a nanosecond.
    public typealias Duration = Swift.Duration
    /// The type of instants: those of the continuous clock, which Apus uses where no clock is named.
    public typealias Instant = ContinuousInstant

    private let instant: Locked<Instant>

    /// Creates a clock that stands at an instant.
    public init(now: Instant = Instant(nanoseconds: 0)) { instant = Locked(now) }

    /// The latest of the initial instant and the deadlines of all sleeps so far.
    public var now: Instant { instant.withLock { $0 } }

    /// The resolution of the clock: one nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Moves the clock to `deadline`, unless that has passed, and yields to other tasks.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        instant.withLock { $0 = max($0, deadline) }
        await Task.yield()
    }
}

/// A Swift `Clock` over a ``TimerEngine``, for APIs that take a clock, such as `debounce(for:clock:)` of
/// swift-async-algorithms.
///
/// `sleep(until:tolerance:)` creates no task, honours the tolerance, and leaves no timer after a cancellation.
public struct TimerClock<Instant: NanosecondInstant>: Clock {
    /// Durations are measured in `Swift.Duration`, to the nanosecond.
    public typealias Duration = Swift.Duration

    /// The engine whose timers end the sleeps.
    public let engine: TimerEngine

    /// Creates a clock over the engine; the instant's type determines which of the three clocks it is.
    public init(engine: TimerEngine) { self.engine = engine }

    /// The present instant.
    public var now: Instant { engine.time.now() }

    /// The resolution of the engine's deadlines: one nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends the task until `deadline`, or up to `tolerance` later; nil means no tolerance.
    ///
    /// It returns immediately if the deadline has passed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the engine is stopped.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await engine.sleep(until: deadline, tolerance: tolerance ?? .zero)
    }
}

extension TimerClock where Instant == ContinuousInstant {
    /// Returns the monotonic clock that counts while the machine sleeps.
    public static func continuous(engine: TimerEngine = .shared) -> TimerClock { TimerClock(engine: engine) }
}

extension TimerClock where Instant == UptimeInstant {
    /// Returns the monotonic clock that stops while the machine sleeps.
    public static func uptime(engine: TimerEngine = .shared) -> TimerClock { TimerClock(engine: engine) }
}

extension TimerClock where Instant == WallInstant {
    /// Returns the wall clock; when that clock is set, the engine adjusts the sleeps on it.
    public static func wall(engine: TimerEngine = .shared) -> TimerClock { TimerClock(engine: engine) }
}
